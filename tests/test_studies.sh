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

# study NAME SECONDS: runs it and writes lines "scene|variant|multiplies|iterations|apart".
study()
{
    "$weft" bench "$1" --seconds "$2" --set solver.device=cpu --json "$work/$1.json" >"$work/$1.txt" 2>&1 ||
        fail "weft bench $1: $(tail -n 1 "$work/$1.txt")"
    awk -F': ' '
        { gsub(/^ +|,$/, "") }
        /^"scene"/ { scene = $2 } /^"variant"/ { variant = $2 }
        /^"cg_iterations"/ { iterations = $2 } /^"row_vector_multiplies"/ { multiplies = $2 }
        /^"mean_distance_from_first"/ { print scene "|" variant "|" multiplies "|" iterations "|" $2 }' \
        "$work/$1.json" | tr -d '"' >"$work/$1.rows"
}

# fewer STUDY COLUMN VARIANT OTHER SCENES: in all scenes that match, the variant has less in the column than the other.
fewer()
{
    awk -F'|' -v column="$2" -v variant="$3" -v other="$4" -v scenes="$5" '
        $1 ~ scenes && $2 == variant { mine[$1] = $column + 0; count++ }
        $1 ~ scenes && $2 == other { others[$1] = $column + 0 }
        END {
            if (count == 0) { print "no rows"; exit 1 }
            for (scene in mine) if (mine[scene] >= others[scene]) {
                print scene ": " mine[scene] " against " others[scene]; bad = 1
            }
            exit bad
        }' "$work/$1.rows" >"$work/why" || fail "$1: $3 is not less than $4: $(cat "$work/why")"
}

study preconditioner 0.05
fewer preconditioner 4 modified none .
fewer preconditioner 4 modified block 'degrees? of freedom (40|80)'

study decomposition 0.4
fewer decomposition 3 decomposed whole .
awk -F'|' '$5 > 0.005 { exit 1 }' "$work/decomposition.rows" || fail "decomposition takes cloth elsewhere"

study imex 0.1
awk -F'|' '$5 > 0.005 { exit 1 }' "$work/imex.rows" || fail "adaptive steps take cloth elsewhere"

# Two files compared; a file that is none.
"$weft" bench compare "$work/imex.json" "$work/imex.json" >"$work/compared" || fail "compare"
grep -q 'adaptive .* 1\.00' "$work/compared" || fail "a file is as quick as itself"
"$weft" bench compare "$work/imex.json" "$work/imex.txt" >/dev/null 2>&1
test $? = 2 || fail "compare takes anything for a file of figures"
"$weft" bench compare "$work/imex.json" >/dev/null 2>&1
test $? = 2 || fail "compare with one file"
"$weft" bench imex --seconds no >/dev/null 2>&1
test $? = 2 || fail "seconds that are none"
"$weft" bench imex nothing.json >/dev/null 2>&1
test $? = 2 || fail "a scene that is not there"
exit $failed
