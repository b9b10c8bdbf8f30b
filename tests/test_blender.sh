#!/bin/sh
# What Blender shows after tools/blender_import.py is where weft says the cloth is, in every frame and format.
#
#   test_blender.sh WEFT
#
# Left out where there is no Blender; without USD or NumPy in it, the formats that need them are left out with a notice.
set -eu
weft=$(realpath "$1")
tests=$(cd "$(dirname "$0")" && pwd)
. "$tests/frames_scene.sh"
command -v blender >/dev/null || leave_out "there is no Blender"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
write_frames_scene
for format in obj pc2 mdd glb usda; do
    "$weft" run scene.json --out $format --format $format --quiet
done

# in_blender SCRIPT... -- ARGUMENTS: what it says is in the file log.
in_blender()
{
    timeout 120 blender --background --factory-startup --python-exit-code 1 "$@" >log 2>&1
}

failures=0
for format in pc2 mdd glb usda; do
    if in_blender --python "$tests/../tools/blender_import.py" --python "$tests/blender_check.py" -- $format; then
        grep "^$format: " log
    elif grep -E "this Blender (was built without USD|has no NumPy)" log; then
        echo "left out: $format"
    else
        cat log
        failures=$((failures + 1))
    fi
done

# What is wrong is said in a sentence.
mkdir empty
in_blender --python "$tests/../tools/blender_import.py" -- empty && failures=$((failures + 1))
grep -qF "empty: holds no file of pc2" log || { cat log && failures=$((failures + 1)); }
rm pc2/rag.obj
in_blender --python "$tests/../tools/blender_import.py" -- pc2/rag.pc2 && failures=$((failures + 1))
grep -qF "the mesh of rag.pc2 is missing" log || { cat log && failures=$((failures + 1)); }
test $failures = 0
