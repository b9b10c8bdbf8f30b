#!/usr/bin/env bash
# The program as a user meets it.   test_cli.sh WEFT
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

# expect STATUS TEXT ARGUMENTS...: weft ends with STATUS, and what it says contains TEXT.
expect()
{
    local status=$1 text=$2
    shift 2
    "$weft" "$@" >output 2>&1
    local got=$?
    test $got = "$status" || fail "weft $*: status $got, not $status: $(cat output)"
    test -z "$text" || grep -qF -e "$text" output || fail "weft $*: says '$(cat output)', not '$text'"
}

# What every frame must be: as many lines as the first, all numbers finite, nothing half-written.
check_frames()
{
    local lines
    lines=$(wc -l <"$1/frame_0000.obj") || fail "$1 has no first frame"
    for frame in "$1"/*.obj; do
        test "$(wc -l <"$frame")" = "$lines" || fail "$frame is not complete"
        grep -qiE 'nan|inf' "$frame" && fail "$frame holds a number that is not finite"
    done
    test -z "$(find . -name '*.part')" || fail "temporary files are left: $(find . -name '*.part')"
}

# number FILE OFFSET ORDER: four bytes of a file, in the order little or big.
number()
{
    od -A n -t u4 -j "$2" -N 4 --endian="$3" "$1" | tr -d ' '
}

# That files which hold all frames are complete.
check_mdd()
{
    local frames
    frames=$(number "$1" 0 big)
    test "$frames" -ge 1 || fail "$1 holds no frame"
    test "$(wc -c <"$1")" = $((8 + frames * (4 + 144 * 12))) || fail "$1 has not $frames frames"
}
check_usda()
{
    local last
    last=$(sed -n 's/^    endTimeCode = //p' "$1")
    test "$(grep -cE '^            [0-9]+: ' "$1")" = $((2 * (last + 1))) || fail "$1 has not $((last + 1)) frames"
    test "$(tail -n 1 "$1")" = "}" || fail "$1 is not complete"
}
check_glb()
{
    test "$(head -c 4 "$1")" = glTF || fail "$1 is not a glb file"
    test "$(number "$1" 8 little)" = "$(wc -c <"$1")" || fail "$1 is not complete"
}

cat >scene.json <<'JSON'
{
    "name": "small",
    "step": 0.005,
    "frames_per_second": 25,
    "duration": 0.2,
    "cloths": [{"name": "rag", "grid": {"size": [0.5, 0.5], "counts": [12, 12]}, "pins": [{"corner": "top_left"}]}],
    "solids": [{"type": "plane", "position": [0, -0.3, 0]}]
}
JSON

# Commands, and what is none.
expect 0 "weft 0." --version
expect 0 "Usage: weft COMMAND" help
expect 0 "Usage: weft run" help run
expect 0 "Usage: weft keys" keys --help
expect 0 "solver" keys
expect 0 "| classify | spring |" stages --markdown
expect 2 "Usage: weft COMMAND"
expect 2 "did you mean 'run'" rum
expect 2 "unknown command" help nothing
expect 2 "too many" stages now

# Bad arguments.
expect 2 "--frames takes a whole number" run --frames 5x
expect 2 "--frames takes a whole number" run --frames -3
expect 2 "--frames takes a whole number" run --frames ""
expect 2 "from 0 to 4294967295, not '4294967296'" run --frames 4294967296
expect 2 "--frames needs a value" run --frames
expect 2 "did you mean --frames" run --frmaes 5
expect 2 "--quiet takes no value" run --quiet=yes
expect 2 "no device is called" run --device no-such-device
expect 2 "PATH=VALUE" run --set solver.threads
expect 2 "solver.threads" run --threads 1.5
expect 2 "solver.threads" run --threads -1
expect 2 "solver.precision" run --precision half
expect 2 "output.format" run --format stl
expect 2 "obj, ply, pc2, mdd, usda, glb" run --format GLB
expect 2 "output.format" run --format ""
expect 2 "tolerence" run --set solver.tolerence=1
expect 2 "one scene at a time" run scene.json scene.json

# Bad arguments of render.
expect 0 "Usage: weft render" help render
expect 2 "--out says what to write" render
expect 2 ".png or .mp4, not 'x.jpg'" render --out x.jpg
expect 2 ".png or .mp4, not 'png'" render --out png
expect 2 "--size takes WIDTHxHEIGHT" render --out x.png --size 640
expect 2 "--size takes WIDTHxHEIGHT" render --out x.png --size 640x-1
expect 2 "--size takes WIDTHxHEIGHT" render --out x.png --size 99999x99999
expect 2 "--frame takes a frame N or a range A:B" render --out x.png --frame last
expect 2 "--frame takes a frame N or a range A:B" render --out x.mp4 --frame 5:2
expect 2 "several frames make a film" render --out x.png --frame 2:5
expect 2 "--strip takes a number of frames" render --out x.png --strip 1
expect 2 "--strip makes one picture" render --out x.mp4 --strip 3
expect 2 "do not fit side by side" render --out x.png --strip 60 --size 640x360
expect 2 "--color takes fabric, components" render --out x.png --color red
expect 2 "--camera takes three numbers" render --out x.png --camera 1,2
expect 2 "takes the place of" render --out x.png --camera 1,2,3 --azimuth 4
expect 2 "--fov takes degrees" render --out x.png --fov nan
expect 2 "did you mean --texture" render --out x.png --texure x.png
expect 2 "PATH=VALUE" render --out x.png --set solver.threads
mkdir -p bare
expect 2 "bare: holds no frames that can be read" render bare --out x.png
expect 2 "no_such.pc2: " render scene.json no_such.pc2 --out x.png
expect 2 "one set of frames at a time" render bare no_such.pc2 --out x.png
expect 2 "components needs a simulation" render scene.json bare --color components --out x.png
"$weft" run scene.json --set 'cloths[0].grid.counts=[5,5]' --frames 1 --out bare --quiet >output 2>&1
expect 2 "has 25 vertices, but cloths[0] of the scene has 144" render scene.json bare --out x.png
expect 2 "there is no frame 2: the files hold frames 0 to 1" render bare --frame 2 --out x.png
expect 2 "no_such.json" render no_such.json --out x.png
expect 2 "there is no frame 6: the scene has frames 0 to 5" render scene.json --out x.png --frame 6
expect 2 "asks for 4 frames, but there are only 2" render scene.json --out x.png --frame 1:2 --strip 4
expect 2 "no_such.png: cannot be read as PNG" render scene.json --out x.png --texture no_such.png
expect 2 "no_such_folder/x.png: cannot be written" render scene.json --out no_such_folder/x.png
expect 2 "no_such_folder/x.mp4: cannot be written" render scene.json --out no_such_folder/x.mp4
expect 2 "have to be even" render scene.json --out x.mp4 --size 321x180
VK_DRIVER_FILES=/none VK_ICD_FILENAMES=/none expect 2 "drawing needs a Vulkan device" render scene.json --out x.png --device cpu
env PATH="$work/no_such_folder" "$weft" render scene.json --out x.mp4 >output 2>&1
test $? = 2 || fail "a film without ffmpeg does not end with status 2"
grep -qF 'films are made by ffmpeg, which is not installed' output || fail "without ffmpeg weft says $(cat output)"
test -z "$(find . -name 'x.*')" || fail "a refused picture leaves $(find . -name 'x.*')"

# Bad files.
expect 2 "no_such.json" run no_such.json
echo '{"cloths": [' >broken.json
expect 2 "broken.json:" run broken.json
expect 2 "scene.json/frames" run scene.json --out scene.json/frames --frames 1
expect 2 "scene.json: " run scene.json --out scene.json --frames 1
expect 2 "/proc/no_such_file" run scene.json --report /proc/no_such_file --frames 1
expect 2 "cannot be written" run scene.json --report . --frames 1
test -z "$(find . -name '*.part')" || fail "a refused run leaves temporary files"

# A whole run.
expect 0 "frames: frames (obj)" run scene.json --out frames --report report.json
check_frames frames
test "$(find frames -name 'frame_*.obj' | wc -l)" = 6 || fail "0.2 s at 25 frames a second are not 6 files"
cmp -s frames/frame_0000.obj frames/frame_0005.obj && fail "nothing moves"
for text in '"weft": "0.' '"scene": "scene.json"' '"device": "cpu"' '"precision": "float"' \
    '"interrupted": false' '"particles": 144' '"steps": 40' '"frames": 5' '"cg_iterations": {' \
    '"largest_stretch": 1.'; do
    grep -qF -e "$text" report.json || fail "the report lacks $text"
done
grep -q '"failed"' report.json && fail "the report of a good run says that it failed"
awk '/"held_particles"|"particles": [0-9.]+$/ { gsub(/,/, ""); sum += $2 } END { exit sum < 143.99 || sum > 144.01 }' \
    report.json || fail "the classes of component sizes do not hold all particles"

# Options reach the engine; a shorter run leaves no frames of a longer one.
expect 0 "" run scene.json --out frames --frames 2 --threads 1 --precision double --report report.json --quiet
grep -v "weft: warning: " output && fail "--quiet says: $(cat output)"
test "$(find frames -name 'frame_*.obj' | wc -l)" = 3 || fail "frames of an earlier run are left"
grep -qF '"precision": "double"' report.json || fail "--precision does not reach the report"
grep -qF '"threads": 1' report.json || fail "--threads does not reach the report"
expect 0 "0 frames" run scene.json --out start --frames 0
test "$(ls start)" = frame_0000.obj || fail "--frames 0 wrote $(ls start)"

# Cloth near cloth without room for all pairs.
cat >layers.json <<'END'
{"contact": {"cloth": true, "max_pairs": 5}, "cloths": [
    {"grid": {"size": [0.1, 0.1], "counts": [6, 6]}, "rotation": [-90, 0, 0]},
    {"grid": {"size": [0.1, 0.1], "counts": [6, 6]}, "rotation": [-90, 0, 0], "position": [0.003, 0.002, 0]}]}
END
expect 0 "there is no room for" run layers.json --frames 1 --quiet --report layers_report.json
grep -qE '"lost_pairs_max": [1-9]' layers_report.json || fail "the report does not say how many pairs there was no room for"

# A run does not write over what its scene is made from.
mkdir own
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' | tee own/shirt.obj >own/frame_0007.obj
for file in shirt.obj frame_0007.obj; do
    echo '{"cloths": [{"name": "shirt", "mesh": {"file": "'$file'"}, "position": [0, 1, 0]}]}' >own/${file%.obj}.json
done
ln -s shirt.obj own/link.json
expect 2 "own/shirt.obj: the scene is read from this file" run own/shirt.json --frames 1 --out own --format pc2
expect 2 "own/frame_0007.obj: the scene is read from this file" run own/frame_0007.json --frames 1 --out own
expect 2 "own/shirt.json: the scene is read from this file" run own/shirt.json --frames 1 --report own/shirt.json
expect 2 "own/link.json: the scene is read from this file" run own/shirt.json --frames 1 --report own/link.json
cmp -s own/shirt.obj own/frame_0007.obj || fail "a run has changed the mesh of its scene"
expect 0 "" run own/shirt.json --frames 1 --out own

# The other formats, and a report on the standard output.
expect 0 "frames: ply" run scene.json --out ply --format ply --frames 1
test "$(head -c 3 ply/frame_0001.ply)" = ply || fail "frame_0001.ply is not a PLY file"
expect 0 "frames: pc2" run scene.json --out pc2 --format pc2 --frames 3
test "$(wc -c <pc2/rag.pc2)" = $((32 + 4 * 144 * 12)) || fail "rag.pc2 has not 4 samples"
expect 0 "frames: mdd" run scene.json --out mdd --format mdd --frames 3
test "$(wc -c <mdd/rag.mdd)" = $((8 + 4 * 4 + 4 * 144 * 12)) || fail "rag.mdd has not 4 frames"
expect 0 "frames: usda" run scene.json --out usda --format usda --frames 3
check_usda usda/scene.usda
expect 0 "frames: glb" run scene.json --out glb --format glb --frames 3
check_glb glb/scene.glb
expect 2 "glb/scene.glb: this folder cannot be made" run scene.json --out glb/scene.glb --format glb --frames 1
check_glb glb/scene.glb
for format in obj ply pc2 mdd usda glb; do
    expect 0 "frames: single ($format)" run scene.json --out single --format $format --frames 1 --set 'cloths[0].grid.counts=[1,1]'
done
"$weft" run scene.json --frames 1 --report - >report.json 2>/dev/null
test "$(head -c 1 report.json)" = "{" || fail "--report - mixes the report with other output"

# Streams that are closed: what would be told there does not end up in the files.
"$weft" run scene.json --frames 2 --out closed --report closed.json >output 2>&-
test $? = 0 || fail "a run with closed standard error ends with status $?"
test "$(head -c 1 closed.json)" = "{" || fail "closed standard error: the report begins with $(head -n 1 closed.json)"
check_frames closed
"$weft" run scene.json --frames 2 --out closed --report closed.json >&- 2>output
test $? = 2 || fail "a summary that cannot be printed is no failure"
test "$(head -c 1 closed.json)" = "{" || fail "closed standard output: the report begins with $(head -n 1 closed.json)"

# A run that cannot go well: what was written before stays, and the report says why.
expect 1 "weft: " run scene.json --out diverged --report diverged.json --set integrator.method=explicit \
    --set 'cloths[0].material.stretch_stiffness=1e8' --set integrator.retries=0
check_frames diverged
grep -qF '"failed": ' diverged.json || fail "the report of a failed run does not say so"

# Ctrl-C, SIGTERM and a closed terminal: complete frames, a report, status 130.
for signal in INT TERM HUP; do
    "$weft" run scene.json --frames 1000000 --out long_$signal --report long_$signal.json >output 2>&1 &
    job=$!
    for _ in $(seq 600); do
        test -f long_$signal/frame_0001.obj && break
        sleep 0.1
    done
    kill -$signal $job
    wait $job
    got=$?
    test $got = 130 || fail "SIG$signal: status $got, not 130: $(cat output)"
    grep -qF 'interrupted after frame' output || fail "SIG$signal: says $(cat output)"
    grep -qF '"interrupted": true' long_$signal.json || fail "SIG$signal: the report does not say so"
    check_frames long_$signal
    rm -rf long_$signal
done

# The same for formats that are put together at the end.
for file in rag.mdd scene.usda scene.glb; do
    format=${file##*.}
    "$weft" run scene.json --frames 1000000 --out long --format $format >output 2>&1 &
    job=$!
    for _ in $(seq 600); do
        test -f long/$file.part && break
        sleep 0.1
    done
    sleep 0.3
    test -f long/$file && fail "$file appears before its end"
    kill -INT $job
    wait $job
    got=$?
    test $got = 130 || fail "$format: status $got, not 130: $(cat output)"
    check_$format long/$file
    test -z "$(find long -name '*.part' -o -name '.weft*')" || fail "$format: temporary files are left: $(ls -A long)"
    rm -rf long
done

# A pipe that nobody reads any more: a warning, which comes in the first step, ends the run likewise.
mkfifo pipe
"$weft" run scene.json --frames 1000000 --out piped --report piped.json --set solver.max_iterations=1 >output 2>pipe &
job=$!
: <pipe
wait $job
got=$?
test $got = 130 || fail "a closed pipe: status $got, not 130"
grep -qF '"interrupted": true' piped.json || fail "a closed pipe: the report does not say so"
check_frames piped

# Folders and files that may not be written to. To root everything is open, so root becomes nobody.
plain=$weft
if test "$(id -u)" = 0; then
    plain=$work/plain
    cp "$weft" "$work/weft"
    printf '#!/bin/sh\nexec setpriv --reuid=65534 --regid=65534 --clear-groups %s "$@"\n' "$work/weft" >plain
    chmod 755 plain "$work"
fi
if "$plain" --version >/dev/null 2>&1; then
    mkdir locked kept
    chmod 777 kept
    for file in frame_0003.obj frame_0002.ply rag.pc2 rag.mdd scene.usda scene.glb; do
        echo mine >kept/$file
        chmod 444 kept/$file
    done
    chmod 555 locked
    weft=$plain expect 2 "locked/deeper: this folder cannot be made: Permission denied" run scene.json --out locked/deeper
    for format in obj ply pc2 mdd usda glb; do
        weft=$plain expect 2 "cannot be written: Permission denied" run scene.json --out locked --format $format
        weft=$plain expect 2 "Permission denied" run scene.json --out kept --format $format
        grep -q "kept/.*\.$format: .*cannot be" output || fail "$format: the file is not named: $(cat output)"
    done
    test "$(cat kept/frame_0003.obj kept/*.ply kept/*.pc2 kept/*.mdd kept/*.usda kept/*.glb | sort -u)" = mine ||
        fail "a file is written over that is marked as read-only"
    test -z "$(find locked kept -name '*.part' -o -name '.weft*')" || fail "a refused run leaves temporary files"
    chmod 755 locked
else
    echo "left out: files without permission (no setpriv)" >&2
fi

test $failures = 0 || exit 1
echo "all as expected"
