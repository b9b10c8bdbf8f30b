#!/usr/bin/env bash
# `weft view` as a user meets it: a real window on a display without a screen, with keys and mouse.   test_view.sh WEFT CLOSE_WINDOW
#
# What keys and mouse did is read from the report that weft writes when the window closes.
set -u
set -m # background jobs then listen to SIGINT, as they do on a terminal
weft=$(realpath "$1")
close_window=$(realpath "$2")
for need in Xvfb xdotool; do
    if ! command -v $need >/dev/null; then
        echo "test_view: $need is not installed; tools/setup test installs it" >&2
        test "${WEFT_REQUIRE_GPU:-0}" = 1 && exit 1
        exit 77
    fi
done
work=$(mktemp -d)
server=
trap 'test -z "$server" || kill "$server"; rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail()
{
    echo "FAILED: $1" >&2
    failures=$((failures + 1))
}

# Without a display, and with wrong arguments: one sentence, no window.
refuse()
{
    local want=$1
    shift
    "$weft" view "$@" >output 2>&1
    test $? = 2 || fail "weft view $*: the exit status is not 2"
    grep -qe "$want" output || fail "weft view $*: '$want' is not in: $(cat output)"
}
unset DISPLAY WAYLAND_DISPLAY
refuse 'there is no display'
refuse '--size takes WIDTHxHEIGHT' --size 12
refuse '--color takes fabric' --color red
refuse "unknown option '--colour' (did you mean --color?)" --colour fabric
refuse 'one scene at a time' a.json b.json
refuse 'nowhere.json' nowhere.json
refuse 'no/where' --report no/where/report.json

# The server chooses a free display and keeps its screen in a file.
mkdir screen
Xvfb -displayfd 3 -noreset -screen 0 480x440x24 -fbdir screen 3>display >/dev/null 2>&1 &
server=$!
for ((wait = 0; wait < 100; wait++)); do
    test -s display && break
    sleep 0.2
done
test -s display || fail "Xvfb does not start"
export DISPLAY=:$(cat display)
(
    export VK_DRIVER_FILES=/nonexistent VK_ICD_FILENAMES=/nonexistent
    unset WEFT_VALIDATE
    refuse 'drawing needs a Vulkan device'
    exit $failures
) || failures=$((failures + 1))

cat >scene.json <<'JSON'
{
    "step": 0.01,
    "frames_per_second": 25,
    "cloths": [{"grid": {"size": [0.5, 0.5], "counts": [12, 12]},
                "pins": [{"corner": "top_left"}, {"corner": "top_right"}]}],
    "solids": [{"type": "plane", "position": [0, -0.4, 0]}]
}
JSON

# Colours on the screen.
colors()
{
    od -An -v -tx4 -j 4096 -N 320000 screen/Xvfb_screen0 | tr ' ' '\n' | sort -u | wc -l
}

# open ARGUMENTS...: starts weft view and waits for a picture in its window.
open()
{
    rm -f report.json
    "$weft" view --size 320x240 --report report.json "$@" >output 2>&1 &
    viewer=$!
    window=
    for ((wait = 0; wait < 300; wait++)); do
        window=$(xdotool search --onlyvisible --name '^weft - ' 2>/dev/null | head -n 1)
        test -n "$window" && test "$(colors)" -gt 50 && break
        sleep 0.2
    done
    test -n "$window" || fail "weft view $*: no window opens: $(cat output)"
    test "$(colors)" -gt 50 || fail "weft view $*: the screen shows only $(colors) colours"
    # Keys go to the window that has the focus; there is no window manager to give it.
    xdotool windowfocus --sync "$window"
    sleep 1
}

# hide: the panel, which covers most of so small a window.
hide()
{
    keys o
}

# keys KEY...: pressed one after the other.
keys()
{
    for key in "$@"; do
        xdotool key "$key"
        sleep 0.4
    done
}

# drag BUTTON X1 Y1 X2 Y2: within the window, which stands in the corner of the screen.
drag()
{
    xdotool mousemove "$2" "$3"
    sleep 0.2
    xdotool mousedown "$1"
    sleep 0.3
    xdotool mousemove "$4" "$5"
    sleep 0.5
}

# closed STATUS: waits for the end, which has to be in order and in silence.
closed()
{
    wait "$viewer"
    local status=$?
    test $status = "$1" || fail "weft view ends with status $status: $(cat output)"
    grep -qi validation output && fail "weft view: $(cat output)"
    test -s report.json || fail "there is no report"
    report=$(tr -d ' \n' <report.json)
}

# has TEXT, number KEY: of the report.
has()
{
    case $report in *"$1"*) ;; *) fail "$2: '$1' is not in $report" ;; esac
}
number()
{
    sed -n "s/^ *\"$1\": \([-0-9.e+]*\),*$/\1/p" report.json
}

# Paused, step by step, colours, a picture.
open scene.json --paused
keys period period period c p h q
closed 0
test "$(number steps)" = 3 || fail "three single steps are $(number steps)"
has '"paused":true' "--paused"
has '"color":"components"' "C"
has '"pictures":["weft-1.png"]' "P"
has '"size":[320,240]' "--size"
has '"figures":true,"keys":true' "H"
test "$(head -c 4 weft-1.png | tail -c 3)" = PNG || fail "P saves no PNG file"
test "$(number frames_drawn)" -gt 1 || fail "nothing is drawn"
eye=$(sed -n '/"eye"/,/]/p' report.json)
target=$(sed -n '/"target"/,/]/p' report.json)

# Turned, shifted, restarted, resized, in another colour; closed with Escape and with the window's own button.
open scene.json --paused
hide
keys period r period 4
drag 1 20 20 80 40
xdotool mouseup 1
keys Escape
closed 0
test "$(sed -n '/"eye"/,/]/p' report.json)" != "$eye" || fail "the left button does not turn"
test "$(sed -n '/"target"/,/]/p' report.json)" = "$target" || fail "turning moves the target"
has '"restarts":1' "R"
has '"figures":false,"keys":false' "O"
has '"color":"wireframe"' "4"
test "$(number steps)" = 2 || fail "a step, a restart and a step are $(number steps) steps"
open scene.json --paused
hide
drag 2 20 20 80 40
xdotool mouseup 2
xdotool windowsize "$window" 400 300
sleep 1
"$close_window" "$window" || fail "the close button cannot be pressed"
closed 0
test "$(sed -n '/"target"/,/]/p' report.json)" != "$target" || fail "the middle button does not shift"
has '"size":[400,300]' "resizing"

# taken WORDS: another program takes the window, or the connection, away: a sentence, and nothing half written.
taken()
{
    wait "$viewer"
    test $? = 1 || fail "a lost window does not end with status 1"
    grep -q "$1" output || fail "'$1' is not in: $(cat output)"
    test -z "$(ls | grep part)" || fail "$(ls | grep part) stays behind"
}
open scene.json
xdotool windowclose "$window"
taken 'another program has destroyed the window'
open scene.json
xdotool windowkill "$window"
taken 'the connection to the display is lost'

# Sliders, each clicked at some place: they are taken over, and the next step has its new length.
click()
{
    drag 1 "$1" "$2" "$1" "$2"
    xdotool mouseup 1
    sleep 0.2
}
open scene.json --paused --size 480x440
click 60 181
click 140 204
click 40 227
click 155 250
click 120 273
keys period q
closed 0
awk -v step="$(number step)" -v stiffness="$(number stiffness)" -v damping="$(number damping)" \
    -v threshold="$(number threshold)" 'BEGIN { exit !(step > 0.1 && step < 2 && stiffness > 3 && damping < 0.5 &&
    threshold > 1) }' || fail "the sliders are not heard: $report"
has '"wind":[0.0,0.0,' "wind"
test "$(number simulated_seconds)" != 0.01 || fail "the slider of the step has no effect"
case $report in *'"wind":[0.0,0.0,0.0]'*) fail "the slider of the wind is not heard" ;; esac
open scene.json --paused --size 480x440
click 60 181
click 140 204
click 80 296
keys q
closed 0
has '"controls":{"step":10.0,"stiffness":1.0,"damping":1.0,"wind":[0.0,0.0,0.0],' "the button that takes all back"

# Dragged: the vertex follows the pointer to the right, and stays there while it is held.
# The driver compiles shaders when they run for the first time, and keeps them: a hand does not wait for that.
"$weft" run scene.json --device gpu --frames 1 --quiet >output 2>&1 || fail "weft run: $(cat output)"
for device in cpu gpu; do
    open scene.json --device $device
    hide
    drag 1 160 120 220 120
    sleep 3
    keys q
    xdotool mouseup 1
    closed 0
    from=$(sed -n '/"from"/,/]/p' report.json | sed -n '2s/[ ,]//gp')
    place=$(sed -n '/"place"/,/]/p' report.json | sed -n '2s/[ ,]//gp')
    awk -v a="$from" -v b="$place" 'BEGIN { exit !(b - a > 0.04) }' || fail "$device: dragged from $from to $place"
    test "$(sed -n '/"eye"/,/]/p' report.json)" = "$eye" || fail "dragging the cloth turns the view"
done

# Playing, on the CPU and on the GPU; paused with the space bar; minimised; interrupted.
for device in cpu gpu; do
    open scene.json --device $device
    keys space
    xdotool windowminimize "$window"
    sleep 0.5
    xdotool windowmap "$window"
    sleep 0.5
    kill -INT "$viewer"
    closed 0
    test "$(number steps)" -gt 0 || fail "--device $device: nothing moves"
    has '"paused":true' "space"
done

test $failures = 0
