"""The plots of the page, by gnuplot, as SVG."""

import subprocess

import figures

COLOURS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb"]
HEAD = """
set encoding utf8
set terminal svg size {width},{height} font "sans,13" background "#ffffff" linewidth 1.4
set output "{path}"
set border 3 linecolor "#555555"
set tics nomirror textcolor "#333333"
set key textcolor "#333333"
set grid back linecolor "#dddddd" linewidth 0.7
"""


def gnuplot(path, body, width=760, height=380):
    script = HEAD.format(path=path, width=width, height=height) + body
    done = subprocess.run(["gnuplot"], input=script, text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"gnuplot could not draw {path}: {done.stderr.strip()}")


def block(name, rows):
    """A table as gnuplot reads it."""
    lines = [" ".join(f'"{cell}"' if isinstance(cell, str) else f"{cell:.9g}" for cell in row) for row in rows]
    return f"${name} << EOD\n" + "\n".join(lines) + "\nEOD\n"


def bars(path, found, study, before, after, value, label, band):
    """A group of bars a scene, a bar a size; a band where the paper's figure lies."""
    scales = sorted({scale for _, scale, _ in found.cases(study)})
    rows = []
    for scene in figures.SCENES:
        cells = [figures.title(scene)]
        for scale in scales:
            variants = found.case(study, scene, scale)
            cells.append(value(variants[after], variants[before]) if variants else 0.0)
        rows.append(cells)
    names = {0.5: "a quarter of it", 1: "the scene's own size", 2: "four times the particles"}
    body = block("data", rows)
    body += f'set ylabel "{label}"\nset style data histogram\nset style histogram cluster gap 1.4\nset style fill solid 0.9 noborder\n'
    body += "set boxwidth 0.9\nset yrange [*:*]\nset xtics scale 0\nunset key\nset bmargin 4\nset xzeroaxis linecolor '#555555'\nset grid noxtics\n"
    if band:
        body += f'set object 1 rectangle from graph 0, first {band[0]} to graph 1, first {band[1]} behind fillcolor "#eeeeee" fillstyle solid noborder\n'
        body += f'set label 1 "the paper" at graph 0.99, first {band[1]} right offset 0,-0.8 front textcolor "#777777"\n'
        body += f"set yrange [*:{band[1]}]\n"
    body += legend([(names.get(scale, f"scale {scale:g}"), COLOURS[k]) for k, scale in enumerate(scales)])
    parts = [f'$data using {k + 2}:xticlabels(1) linecolor "{COLOURS[k]}"' for k, _ in enumerate(scales)]
    gnuplot(path, body + "plot " + ", ".join(parts) + "\n")


def preconditioner(path, found):
    kinds = ["free", "2 degrees of freedom", "1 degree of freedom"]
    variants = ["none", "diagonal", "block", "modified"]
    names = {"none": "none", "diagonal": "diagonal", "block": "C, blocks", "modified": "P, modified"}
    body = ""
    for kind, name in enumerate(kinds):
        rows = [
            [ways[variants[0]]["particles"]] + [ways[variant]["cg_iterations"] for variant in variants]
            for scene, _, ways in found.cases("preconditioner")
            if scene.startswith(name)
        ]
        body += block(f"data{kind}", rows)
    body += 'set logscale xy\nset format x "10^{%T}"\nset xrange [300:40000]\nset xlabel "particles"\nset ylabel "CG iterations a step" offset 1,0\n'
    body += "unset key\nset yrange [5:1000]\n" + legend([(names[variant], COLOURS[k]) for k, variant in enumerate(variants)])
    body += "set multiplot layout 1,3 margins 0.085,0.97,0.26,0.88 spacing 0.06,0\n"
    for kind, name in enumerate(kinds):
        parts = [
            f'$data{kind} using 1:{k + 2} with linespoints linewidth 1.6 pointtype 7 pointsize 0.5 linecolor "{COLOURS[k]}"'
            for k, _ in enumerate(variants)
        ]
        body += f'set title "{name}" offset 0,-0.5\n' + ("" if kind == 0 else "unset ylabel\n") + "plot " + ", ".join(parts) + "\n"
    gnuplot(path, body + "unset multiplot\n", width=900, height=360)


def legend(entries):
    """Names beside patches of their colours, along the lower edge of the whole picture."""
    text, width = "", 0.96 / len(entries)
    for k, (name, colour) in enumerate(entries):
        x = 0.03 + k * width
        text += f'set object {k + 10} rectangle from screen {x:.3f},0.018 to screen {x + 0.02:.3f},0.048 fillcolor "{colour}" fillstyle solid noborder\n'
        text += f'set label {k + 10} "{name}" at screen {x + 0.026:.3f},0.034 left textcolor "#333333"\n'
    return text


def panels(path, found, draw, entries):
    """A panel for each of the four scenes at its own size; draw(k, variants) -> blocks, commands."""
    blocks, plots = "", ""
    for k, scene in enumerate(figures.SCENES):
        variants = found.case("decomposition", scene, 1)
        if variants:
            data, commands = draw(k, variants)
            blocks += data
            plots += f'set title "{figures.title(scene)}" offset 0,-0.5\n' + commands
    head = "unset key\nset multiplot layout 2,2 margins 0.085,0.98,0.14,0.94 spacing 0.09,0.14\n"
    gnuplot(path, blocks + legend(entries) + head + plots + "unset multiplot\n", height=560)


def component_sizes(path, found):
    """Shares of the particles by the size of their component, over time, one upon the other."""
    names = ["held"] + [group[0] for group in figures.SIZE_GROUPS]
    colours = ["#cccccc", "#fde725", "#90d743", "#35b779", "#21918c", "#31688e", "#443983"]

    def draw(k, variants):
        rows = []
        for time, held, parts in figures.size_table(variants["decomposed"]):
            heights, total = [], 0.0
            for part in [held] + parts:
                total += part
                heights.append(total)
            rows.append([time] + heights)
        # The highest sum first, so that the lower ones cover it.
        parts = [
            f'$data{k} using 1:{column + 2} with filledcurves y1=0 linecolor "{colours[column]}"'
            for column in reversed(range(len(names)))
        ]
        commands = f'set yrange [0:100]\nset xrange [{rows[0][0]}:{rows[-1][0]}]\nset xlabel "s" offset 0,0.6\nset ylabel "% of the particles" offset 1.5,0\n'
        return block(f"data{k}", rows), commands + "plot " + ", ".join(parts) + "\n"

    panels(path, found, draw, list(zip(names, colours)))


def multiplies(path, found):
    """Row-vector multiplies of both solvers, over time."""

    def draw(k, variants):
        rows = [
            [one["time"], 1e-6 * one["multiplies"], 1e-6 * other["multiplies"]]
            for one, other in zip(variants["whole"]["frames"], variants["decomposed"]["frames"])
        ]
        commands = 'set yrange [0:*]\nset xrange [0:*]\nset xlabel "s" offset 0,0.6\nset ylabel "million a frame" offset 1.5,0\n'
        parts = [f'$data{k} using 1:{c + 2} with lines linewidth 2 linecolor "{COLOURS[c]}"' for c in range(2)]
        return block(f"data{k}", rows), commands + "plot " + ", ".join(parts) + "\n"

    panels(path, found, draw, list(zip(["one system", "decomposed"], COLOURS)))


def apart(path, found):
    """How far the trajectories of implicit and adaptive steps are apart, over time."""
    body, parts = "", []
    for k, scene in enumerate(figures.SCENES):
        variants = found.case("imex", scene, 1)
        if variants:
            body += block(f"data{k}", [[f["time"], 1e3 * f["apart"]] for f in variants["adaptive"]["frames"]])
            parts.append(f'$data{k} using 1:2 with lines linewidth 2 linecolor "{COLOURS[k]}" title "{figures.title(scene)}"')
    body += 'set xlabel "s"\nset ylabel "mean distance, mm"\nset key top left\nset yrange [0:*]\n'
    gnuplot(path, body + "plot " + ", ".join(parts) + "\n", height=320)


def scaling(path, found):
    rows = [
        [row["particles"], row["ms_per_step"], figures.iteration_ms(row), row["cg_iterations"]] for row in found.of("scaling")
    ]
    fit = found.fits.get("scaling", {}).get("iteration", 1.0)
    body = block("data", rows)
    body += 'set logscale xy\nset format x "10^{%T}"\nset xlabel "particles"\nset ylabel "ms"\nset key top left\n'
    body += f"anchor_x = {rows[-1][0]}\nanchor_y = {rows[-1][2]}\nline(x) = anchor_y * (x / anchor_x) ** {fit}\n"
    body += (
        f'plot $data using 1:2 with linespoints linewidth 2 pointtype 7 pointsize 0.6 linecolor "{COLOURS[0]}" title "a step", '
        f'$data using 1:3 with linespoints linewidth 2 pointtype 7 pointsize 0.6 linecolor "{COLOURS[1]}" title "a CG iteration", '
        f'line(x) with lines dashtype 2 linecolor "#888888" title "n^{{{fit:.2f}}}"\n'
    )
    gnuplot(path, body, height=340)


def draw_all(folder, found):
    """Draws what there are figures for; returns the names of the files."""
    drawn = []

    def add(name, study, draw):
        if found.of(study):
            draw(folder / name)
            drawn.append(name)

    def time_saved(new, old):
        return figures.saved(new, old, "ms_per_step")

    def multiplies_saved(new, old):
        return figures.saved(new, old, "row_vector_multiplies")

    add("imex.svg", "imex", lambda p: bars(p, found, "imex", "implicit", "adaptive", time_saved, "% less time a step", (17, 29)))
    add("imex_apart.svg", "imex", lambda p: apart(p, found))
    add("preconditioner.svg", "preconditioner", lambda p: preconditioner(p, found))
    add(
        "decomposition.svg",
        "decomposition",
        lambda p: bars(p, found, "decomposition", "whole", "decomposed", multiplies_saved, "% fewer row-vector multiplies", (0, 80)),
    )
    add("multiplies.svg", "decomposition", lambda p: multiplies(p, found))
    add("component_sizes.svg", "decomposition", lambda p: component_sizes(p, found))
    add("scaling.svg", "scaling", lambda p: scaling(p, found))
    return drawn
