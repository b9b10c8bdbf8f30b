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

# Beside each other in free fall, both are where they should be: 9.81 / 2 * 0.2^2 m lower, and what a step of first order adds.
cat >fall.json <<'END'
{"frames_per_second": 25, "step": 0.004, "cloths": [{"grid": {"size": [1, 1], "counts": [9, 9]}, "position": [0, 1, 0], "rotation": [-90, 0, 0]}]}
END
"$tests/../tools/compare_blender" fall.json --frames 5 --weft "$weft" --json fell.json >log 2>&1 || { cat log && failures=$((failures + 1)); }
awk '/"mean_height"/ { gsub(/,/, ""); count++; if ($2 < 0.798 || $2 > 0.802) bad = 1 } END { exit bad || count != 3 }' fell.json ||
    { cat fell.json && failures=$((failures + 1)); }
test $failures = 0
