"""Compares what Blender shows after tools/blender_import.py with the OBJ frames of the same run.

    blender --background --factory-startup --python-exit-code 1 \
        --python tools/blender_import.py --python tests/blender_check.py -- RESULT

The OBJ frames are expected in the folder obj next to RESULT, each with the name of its cloth.
"""

import sys
from pathlib import Path

import bpy

# Floats below eight metres are rounded by up to 2.4e-7 m.
TOLERANCE = 2.5e-7


def read_vertices(path):
    """Positions of an OBJ frame, turned from y up to Blender's z up."""
    rows = (line.split() for line in path.read_text().splitlines() if line.startswith("v "))
    return [(float(x), -float(z), float(y)) for _, x, y, z in rows]


def largest_error(cloth, expected):
    """How far the cloth, as it is shown in this frame, is from where it should be."""
    shown = cloth.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = shown.to_mesh()
    # A particle on a seam of the texture is several vertices of a glb file; the first are enough.
    if len(mesh.vertices) < len(expected):
        sys.exit(f"{cloth.name}: {len(mesh.vertices)} vertices, not {len(expected)}")
    places = [shown.matrix_world @ vertex.co for vertex in mesh.vertices]
    error = max(abs(a - b) for place, point in zip(places, expected) for a, b in zip(place, point))
    shown.to_mesh_clear()
    return error


def main():
    result = Path(sys.argv[sys.argv.index("--") + 1])
    cloths = [thing for thing in bpy.data.objects if thing.type == "MESH"]
    frames = sorted((result.parent / "obj").glob("*.obj"))
    scene = bpy.context.scene
    if not cloths or len(frames) != len(cloths) * (scene.frame_end + 1):
        sys.exit(f"{result}: {len(cloths)} cloths to frame {scene.frame_end}, but {len(frames)} OBJ files")
    if abs(scene.render.fps / scene.render.fps_base - 25) > 1e-4:
        sys.exit(f"{result}: {scene.render.fps} / {scene.render.fps_base} frames a second, not 25")
    worst = 0
    for frame in range(scene.frame_end + 1):
        scene.frame_set(frame)
        for cloth in cloths:
            expected = read_vertices(result.parent / "obj" / f"{cloth.name}_{frame:04}.obj")
            worst = max(worst, largest_error(cloth, expected))
    if not worst <= TOLERANCE:
        sys.exit(f"{result}: off by {worst} m")
    print(f"{result.name}: {len(cloths)} cloths, {scene.frame_end + 1} frames, largest error {worst:.2g} m")


main()
