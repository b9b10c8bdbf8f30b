# frames_scene.sh: what tests of weft's files in other programs share.

# Writes a scene with every kind of cloth to the current folder: a sheet, a tube, a mesh with a seam in its texture, an open
# and a closed chain, and a single particle.
write_frames_scene()
{
    cat >patch.obj <<'OBJ'
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 2 0 0
vt 0 0
vt 0.5 0
vt 0.5 1
vt 0 1
vt 0.6 0
vt 1 0
vt 0.6 1
f 1/1 2/2 3/3 4/4
f 2/5 5/6 3/7
OBJ
    cat >scene.json <<'JSON'
{
    "step": 0.005, "frames_per_second": 25, "duration": 0.4,
    "cloths": [
        {"name": "rag", "grid": {"size": [0.5, 0.5], "counts": [12, 9]}, "pins": [{"corner": "top_left"}]},
        {"name": "sleeve-2", "grid": {"size": [0.5, 0.5], "counts": [8, 6], "shape": "tube"}, "position": [1, 0, 0]},
        {"name": "patch", "mesh": {"file": "patch.obj", "scale": 0.2}, "position": [0, 0, 1]},
        {"name": "rope", "grid": {"size": [0.1, 1], "counts": [1, 5]}, "position": [0, 0, 2]},
        {"name": "ring", "grid": {"size": [0.5, 0.1], "counts": [6, 1], "shape": "tube"}, "position": [0, 0, 3]},
        {"name": "grain", "grid": {"size": [0.1, 0.1], "counts": [1, 1]}, "position": [0, 0, 4]}
    ],
    "air": {"wind": [1, 0, 2]}
}
JSON
}

# leave_out REASON: ends a test that cannot be made here; with WEFT_REQUIRE_TOOLS=1 that is a failure.
leave_out()
{
    echo "left out: $1" >&2
    test "${WEFT_REQUIRE_TOOLS:-0}" = 1 && exit 1
    exit 77
}
