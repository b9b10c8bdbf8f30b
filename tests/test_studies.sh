#!/usr/bin/env bash
# Short forms of weft bench's studies: what they find has the direction that the paper tells.   test_studies.sh WEFT PROJECT
set -u
weft=$(realpath "$1")
cd "$2" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

fail()
{
    echo "FAILED: $1"
    failed=1
}

# study NAME OPTIONS...: runs it and writes its table and its JSON file.
study()
{
    name=$1
    shift
    "$weft" bench "$name" "$@" --quiet --csv "$work/$name.csv" --json "$work/$name.json" >"$work/$name.txt" 2>&1 ||
        fail "weft bench $name: $(tail -n 1 "$work/$name.txt")"
}

# check STUDY COLUMN VARIANT OTHER MOST SCENES: in all scenes that match ("NAME of PARTICLES"), the variant has at most MOST times what the other has
# in the column; MOST below 1 means less.
check()
{
    awk -F, -v column="$2" -v variant="$3" -v other="$4" -v most="$5" -v scenes="$6" '
        NR == 1 { for (k = 1; k <= NF; k++) if ($k == column) at = k; next }
        { scene = $2 " of " $7 }
        scene ~ scenes && $3 == variant { mine[scene] = $at + 0; count++ }
        scene ~ scenes && $3 == other { others[scene] = $at + 0 }
        END {
            if (at == 0 || count == 0) { print "no such rows"; exit 1 }
            for (scene in mine) if (!(mine[scene] <= most * others[scene])) {
                print scene ": " mine[scene] " against " others[scene]; bad = 1
            }
            exit bad
        }' "$work/$1.csv" >"$work/why" || fail "$1: $2 of $3 against $4: $(cat "$work/why")"
}

# near STUDY METRES: all variants take the cloth to the same place.
near()
{
    awk -F, -v most="$2" 'NR > 1 && !($18 <= most) { print $2 ", " $3 ": " $18; bad = 1 } END { exit bad || NR < 2 }' \
        "$work/$1.csv" >"$work/why" || fail "$1 takes cloth elsewhere: $(cat "$work/why")"
}

less=0.999
study preconditioner --scale 0.5 --seconds 0.08
check preconditioner cg_iterations modified none $less .
check preconditioner cg_iterations modified block $less 'degrees? of freedom'
check preconditioner cg_iterations none block $less 'degrees? of freedom of [0-9][0-9][0-9][0-9]'
near preconditioner 0.001

# In float, rounding alone takes the folds of the cloth that hangs by its centre some millimetres elsewhere. After 0.7 s a fold of the sleeve
# tips one way or the other, 4 mm apart; at some tolerances the variants differ in which.
study decomposition --scale 0.5 --seconds 0.64 --set solver.precision=double --set solver.tolerance=1e-5
check decomposition row_vector_multiplies decomposed whole $less .
check decomposition row_vector_multiplies eliminated decomposed $less .
check decomposition components whole decomposed $less .
near decomposition 0.002

# What CG multiplies is the test, not its time: blocks of the matrix, two for a spring and one for a particle.
study imex --scale 0.5 --seconds 0.4
awk -F, 'NR == 1 { print $0 ",blocks"; next } { print $0 "," $15 * (1 + 2 * $16 / $7) }' "$work/imex.csv" >"$work/blocks.csv"
check imex implicit_springs adaptive implicit 0.75 .
check blocks blocks adaptive implicit $less .
near imex 0.005

# The couplings that are counted leave the components that the solver has.
python3 - "$work/decomposition.json" "$work/imex.json" <<'PYTHON' || fail "couplings and components do not fit"
import json, sys
frames = 0
for path in sys.argv[1:]:
    for row in json.load(open(path))["rows"]:
        if row["variant"] == "whole":
            continue
        for frame in row["frames"]:
            frames += 1
            assert sum(frame["springs"]) == row["springs"], (row["scene"], frame)
            assert sum(frame["particles"]) + frame["held"] == row["particles"], (row["scene"], frame)
            assert sum(frame["components"]) == frame["left"][2], (row["scene"], frame)
            assert frame["left"][0] <= frame["left"][1], (row["scene"], frame)
assert frames > 50, frames
PYTHON

# The page, and that its words follow the figures: a file in which adaptive steps take as long as implicit ones falls short.
page()
{
    tools/results --weft "$weft" --no-pictures --no-plots --page "$work/page.md" "$@" >"$work/said" 2>&1 ||
        fail "tools/results: $(cat "$work/said")"
}
page --from "$work/preconditioner.json" --from "$work/decomposition.json" --from "$work/imex.json"
for text in '^## The paper' '| decomposition, centre pin: fewer row-vector' '^## Preconditioners' '^### Where it comes from'; do
    grep -q "$text" "$work/page.md" || fail "the page lacks $text"
done
verdict()
{
    python3 - "$work/imex.json" "$work/changed.json" "$1" <<'PYTHON'
import json, sys
found = json.load(open(sys.argv[1]))
for row in found["rows"]:
    row["ms_per_step"] = float(sys.argv[3]) if row["variant"] == "adaptive" else 1.0
json.dump(found, open(sys.argv[2], "w"))
PYTHON
    page --from "$work/changed.json"
    grep "^| adaptive implicit-explicit" "$work/page.md"
}
verdict 0.75 | grep -q '| 17 to 29 % | 25 %, median 25 % | reached |' || fail "25 % less time: $(verdict 0.75)"
verdict 0.9 | grep -q '| 10 %, median 10 % | \*\*falls short\*\* |' || fail "10 % less time: $(verdict 0.9)"
grep -q '^Why it falls short' "$work/page.md" || fail "the page does not say why"

# Contact of cloth: its part of a step, and no part of the paper's.
study contact --scale 0.2 --seconds 0.01
grep -q 'particles, .* s of motion: .* ms, .* % of a step' "$work/contact.txt" || fail "contact: $(cat "$work/contact.txt")"
awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == "ms_cloth_contact") at = k; next }
    at && $at > 0 { found++ } END { exit !found }' "$work/contact.csv" || fail "contact costs nothing: $(cat "$work/contact.csv")"

# A scale, on a scene whose pin is given by its index: the centre stays the centre.
"$weft" bench decomposition scenes/center_pin.json --scale 0.25 --seconds 0.02 --quiet --csv "$work/scaled.csv" >/dev/null ||
    fail "a scale"
awk -F, 'NR == 2 && $7 == 256 && $9 == 5 { good = 1 } END { exit !good }' "$work/scaled.csv" ||
    fail "a quarter of the springs both ways: $(cat "$work/scaled.csv")"

# Two files compared; a file that is none.
"$weft" bench compare "$work/imex.json" "$work/imex.json" >"$work/compared" || fail "compare"
grep -q 'adaptive .* 1\.00' "$work/compared" || fail "a file is as quick as itself"
refuse()
{
    "$weft" bench "$@" >"$work/refused" 2>&1
    test $? = 2 || fail "weft bench $* is not refused"
    test "$(grep -c '^weft bench: ' "$work/refused")" = 1 || fail "weft bench $* does not say why: $(cat "$work/refused")"
}
refuse compare "$work/imex.json" "$work/imex.txt"
refuse compare "$work/imex.json"
refuse imex --seconds no
refuse imex --scale 0
refuse imex nothing.json
refuse imex --device none
refuse imex --scale 0.2 --seconds 0.01 --quiet --csv /proc/none
refuse threads --device gpu
tools/results --from "$work/imex.csv" --no-plots --no-pictures --page "$work/no.md" >"$work/said" 2>&1
test $? = 2 && grep -q '^tools/results: the figures cannot be read' "$work/said" || fail "a table taken for figures"
refuse devices --device cpu

# Interrupted, it keeps what it has.
"$weft" bench imex scenes/center_pin.json scenes/arm_bend.json --scale 0.4 --quiet --csv "$work/kept.csv" >"$work/said" 2>&1 &
pid=$!
for wait in $(seq 300); do
    grep -q "adaptive:" "$work/said" && break
    sleep 0.1
done
kill -TERM $pid
wait $pid
test $? = 130 || fail "an interrupted study does not say so by its exit status"
test "$(wc -l <"$work/kept.csv")" = 3 || fail "an interrupted study loses what it has"
exit $failed
