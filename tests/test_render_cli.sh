#!/usr/bin/env bash
# `weft render` as a user meets it, on a Vulkan device.   test_render_cli.sh WEFT
set -u
set -m # background jobs then listen to SIGINT, as they do on a terminal
weft=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail()
{
    echo "FAILED: $1" >&2
    failures=$((failures + 1))
}

# draw ARGUMENTS...: weft render has to go well, in silence but for the progress.
draw()
{
    "$weft" render "$@" >output 2>&1 || fail "weft render $*: status $?: $(cat output)"
    grep -qi validation output && fail "weft render $*: $(cat output)"
}

# png_size FILE: as its header has it.
png_size()
{
    test "$(head -c 4 "$1" | tail -c 3)" = PNG || fail "$1 is no PNG file"
    printf '%dx%d' $((0x$(od -An -tx1 -j16 -N4 "$1" | tr -d ' '))) $((0x$(od -An -tx1 -j20 -N4 "$1" | tr -d ' ')))
}

cat >scene.json <<'JSON'
{
    "step": 0.01,
    "frames_per_second": 25,
    "duration": 0.24,
    "cloths": [{"grid": {"size": [0.5, 0.5], "counts": [8, 8]}, "pins": [{"corner": "top_left"}]}],
    "solids": [{"type": "plane", "position": [0, -0.3, 0]}]
}
JSON

# Pictures.
draw scene.json --out last.png --size 160x90
test "$(png_size last.png)" = 160x90 || fail "last.png is $(png_size last.png), not 160x90"
draw scene.json --out six.png --size 160x90 --frame 6
cmp -s last.png six.png || fail "the last frame is not frame 6"
draw scene.json --out start.png --size 160x90 --frame 0 --quiet
test -s output && fail "--quiet says: $(cat output)"
cmp -s last.png start.png && fail "nothing moves"
for color in components stretch wireframe; do
    draw scene.json --out $color.png --size 160x90 --color $color
    cmp -s last.png $color.png && fail "--color $color looks like fabric"
done
draw scene.json --out texture.png --size 160x90 --texture last.png
cmp -s last.png texture.png && fail "--texture is not seen"
draw scene.json --out above.png --size 160x90 --elevation 80 --azimuth -20 --distance 3
cmp -s last.png above.png && fail "the camera does not move"
draw scene.json --out eye.png --size 160x90 --camera 1,1,1 --target 0,0,0 --fov 40
cmp -s last.png eye.png && fail "--camera is not heard"
draw scene.json --out set.png --size 160x90 --set 'gravity=[0,9.81,0]'
cmp -s last.png set.png && fail "--set is not heard"
draw scene.json --out strip.png --size 401x90 --strip 4 --color components
test "$(png_size strip.png)" = 401x90 || fail "strip.png is $(png_size strip.png), not 401x90"
draw scene.json --out gpu.png --size 160x90 --device gpu
test "$(png_size gpu.png)" = 160x90 || fail "gpu.png is $(png_size gpu.png), not 160x90"

# Frames of an earlier run give the same pictures.
# like A B FORMAT: the same picture. OBJ keeps nanometres only, which may show in the last bit of a pixel.
like()
{
    test "$3" = obj || { cmp -s "$1" "$2"; return; }
    python3 - "$1" "$2" <<'PYTHON'
import struct, sys, zlib


def pixels(path):
    data, at, packed = open(path, "rb").read(), 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        if kind == b"IHDR":
            width, height, _, color = struct.unpack(">IIBB", data[at + 8 : at + 18])
        packed += data[at + 8 : at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    step, raw = {2: 3, 6: 4}[color], zlib.decompress(packed)
    row, rows = bytearray(width * step), []
    for y in range(height):
        line = raw[y * (width * step + 1) : (y + 1) * (width * step + 1)]
        above, row = row, bytearray(line[1:])
        for k in range(len(row)):
            left, up = (row[k - step] if k >= step else 0), above[k]
            corner = above[k - step] if k >= step else 0
            guess = left + up - corner
            nearest = min((left, up, corner), key=lambda value: abs(guess - value))
            row[k] = (row[k] + (0, left, up, (left + up) // 2, nearest)[line[0]]) % 256
        rows.append(bytes(row))
    return b"".join(rows)


first, second = pixels(sys.argv[1]), pixels(sys.argv[2])
other = [abs(a - b) for a, b in zip(first, second) if a != b]
sys.exit(len(first) != len(second) or len(other) > 30 or max(other, default=0) > 1)
PYTHON
}
for format in obj pc2 mdd; do
    "$weft" run scene.json --out frames_$format --format $format --quiet >output 2>&1 || fail "weft run: $(cat output)"
    draw scene.json frames_$format --out from_$format.png --size 160x90
    like last.png from_$format.png $format || fail "the picture from $format frames is another"
    draw frames_$format scene.json --out from_$format.png --size 160x90 --frame 0
    cmp -s start.png from_$format.png || fail "the first picture from $format frames is another"
done
draw scene.json frames_pc2 --out from_stretch.png --size 160x90 --color stretch
cmp -s last.png from_stretch.png && fail "stretch from frames is not seen"
draw frames_obj --out bare.png --size 160x90
cmp -s last.png bare.png && fail "frames without their scene have a floor"
draw frames_pc2/cloth.pc2 --out cache.png --size 160x90 --strip 2 --color wireframe

# A picture takes the place of another only when it is complete.
cp last.png kept.png
"$weft" render scene.json --out kept.png --set integrator.method=explicit --set 'cloths[0].material.stretch_stiffness=1e8' \
    --set integrator.retries=0 >output 2>&1
test $? = 1 || fail "a run that diverges does not end with status 1: $(cat output)"
cmp -s last.png kept.png || fail "a picture that was not made has taken the place of another"

# Films.
if command -v ffmpeg >/dev/null && command -v ffprobe >/dev/null; then
    frames()
    {
        ffprobe -v error -count_frames -select_streams v -show_entries stream=width,height,r_frame_rate,nb_read_frames \
            -of csv=p=0 "$1"
    }
    draw scene.json --out all.mp4 --size 160x90
    test "$(frames all.mp4)" = 160,90,25/1,7 || fail "all.mp4 has $(frames all.mp4), not 160,90,25/1,7"
    draw scene.json --out some.mp4 --size 160x90 --frame 2:4
    test "$(frames some.mp4)" = 160,90,25/1,3 || fail "some.mp4 has $(frames some.mp4), not 160,90,25/1,3"

    # Ctrl-C.
    "$weft" render scene.json --set duration=100000 --out long.mp4 --size 160x90 >output 2>&1 &
    job=$!
    for _ in $(seq 100); do
        test -f long.mp4.part && break
        sleep 0.1
    done
    sleep 1
    kill -INT $job
    wait $job
    got=$?
    test $got = 130 || fail "SIGINT: status $got, not 130: $(cat output)"
    test -f long.mp4 && fail "a film that was interrupted is there"
fi
test -z "$(find . -name '*.part')" || fail "temporary files are left: $(find . -name '*.part')"

test $failures = 0 || exit 1
echo "all as expected"
