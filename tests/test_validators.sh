#!/bin/sh
# glb and usda files under the eyes of others: the validator of the Khronos Group and TinyUSDZ.
#
#   test_validators.sh WEFT FOLDER
#
# Both are packages of npm, which are installed in FOLDER. Left out where there is no node, npm or network.
set -eu
weft=$(realpath "$1")
mkdir -p "$2"
tools=$(realpath "$2")
tests=$(cd "$(dirname "$0")" && pwd)
. "$tests/frames_scene.sh"

command -v node >/dev/null || leave_out "there is no node"
command -v npm >/dev/null || leave_out "there is no npm"
modules=$tools/node_modules
if ! test -d "$modules/gltf-validator" || ! test -d "$modules/tinyusdz"; then
    timeout 300 npm install --prefix "$tools" --ignore-scripts --no-audit --no-fund --loglevel error \
        gltf-validator@2.0.0-dev.3.10 tinyusdz@0.9.0-rc10 || leave_out "npm cannot install the validators"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
write_frames_scene
for format in obj glb usda; do
    "$weft" run scene.json --out $format --format $format --quiet
done
"$weft" run scene.json --out start --format glb --frames 0 --quiet
node "$tests/check_glb.mjs" "$modules" glb/scene.glb start/scene.glb
node "$tests/check_usda.mjs" "$modules" usda/scene.usda obj 11 rag=rag sleeve-2=_sleeve_2_1 patch=patch rope=rope \
    ring=ring grain=grain

# Both find fault with files that are not whole.
head -c -64 glb/scene.glb >short.glb
head -c -64 usda/scene.usda >short.usda
if node "$tests/check_glb.mjs" "$modules" short.glb >/dev/null ||
    node "$tests/check_usda.mjs" "$modules" short.usda obj 11 rag=rag 2>/dev/null; then
    echo "a file without its end passes" >&2
    exit 1
fi
