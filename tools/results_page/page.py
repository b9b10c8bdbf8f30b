"""docs/results.md from the figures."""

import figures
import reasons
from figures import saved
from reasons import percent

NAMES = {"none": "none", "diagonal": "diagonal", "block": "C", "modified": "P"}


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "| " + " | ".join("---" for _ in heads) + " |"]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]) + "\n"


def picture(drawn, folder, name, what):
    return f"![{what}]({folder}/{name})\n" if name in drawn else ""


def size(row):
    return f"{row['particles']:,}"


def head(found, facts):
    machines = []
    for found_head in found.heads:
        line = (
            f"{found_head['processor']}, {found_head['cores']} cores; {found_head['system']}; weft {found_head['weft']}"
            f"{facts['commit']}, {found_head['compiler']}; {found_head['date']}"
        )
        if line not in machines:
            machines.append(line)
    text = "# What the method brings, measured\n\n"
    text += (
        "This page is written by `tools/results` from what `weft bench paper` measured; no number in it is typed by hand, and"
        " editing it is in vain. Beside each result stands what Boxerman and Ascher found (*Decomposing Cloth*, 2004, section 6).\n\n"
    )
    text += "Machine: " + "; and ".join(machines) + ".\n"
    if facts["seconds"]:
        text += f"The studies took {facts['seconds'] / 60:.1f} minutes.\n"
    text += (
        "\nAll variants of a case run side by side in one process, a few steps of each in turn, so that what else the machine does"
        " hits them alike; a typical step of each frame stands for all of its steps. Counts (iterations, multiplies, components) are the same"
        " on every machine; times are not.\n"
    )
    return text


def targets(found):
    text = "\n## The paper's figures\n\n"
    rows, why = [], []
    for target in reasons.all_targets(found):
        rows.append((target.what, target.paper, target.measured, "reached" if target.reached else "**falls short**"))
        if target.reasons:
            why.append((target, target.reasons))
    text += table(["what", "the paper", "weft", ""], rows)
    for target, lines in why:
        intro = "Why some scenes stay below" if target.reached else "Why it falls short"
        text += f"\n{intro} — {target.what}:\n\n" + "".join(f"- {line}\n" for line in lines)
    return text


def imex(found, drawn, folder):
    rows = []
    for scene, _, ways in found.cases("imex"):
        before, after = ways["implicit"], ways["adaptive"]
        rows.append(
            (
                figures.title(scene),
                size(after),
                f"{after['seconds']:.1f} s",
                f"{before['ms_per_step']:.2f}",
                f"{after['ms_per_step']:.2f}",
                percent(saved(after, before, "ms_per_step")),
                percent(100 * before["implicit_springs"] / before["springs"]),
                percent(100 * after["implicit_springs"] / after["springs"]),
                f"{before['cg_iterations']:.1f}",
                f"{after['cg_iterations']:.1f}",
                percent(100 * (1 - figures.iteration_ms(after) / figures.iteration_ms(before))),
                f"{1e3 * after['mean_distance_from_first']:.2g} mm",
            )
        )
    if not rows:
        return ""
    text = "\n## Implicit steps against adaptive implicit-explicit ones\n\nA spring is explicit where its (h/m)(k h + 2 d) is small enough; the"
    text += " others are in the matrix while they pull. Both variants solve component by component.\n\n"
    text += picture(drawn, folder, "imex.svg", "Time saved by adaptive steps") + "\n"
    text += table(
        [
            "scene",
            "particles",
            "motion",
            "ms a step, implicit",
            "adaptive",
            "less time",
            "springs in the matrix, implicit",
            "adaptive",
            "CG iterations, implicit",
            "adaptive",
            "less time an iteration",
            "apart at the end",
        ],
        rows,
    )
    text += "\nHow far the particles are apart from those of implicit steps, in the mean; folds that fall the other way are most of it:\n\n"
    return text + picture(drawn, folder, "imex_apart.svg", "Distance of the trajectories over time")


def preconditioner(found, drawn, folder):
    rows = []
    for scene, _, ways in found.cases("preconditioner"):
        none = ways["none"]
        counts = [f"{ways[name]['cg_iterations']:.1f}" for name in NAMES]
        rows.append(
            [scene, size(none)]
            + counts
            + [f"{saved(ways[name], none, 'cg_iterations'):+.0f} %" for name in ("block", "modified")]
        )
    if not rows:
        return ""
    text = "\n## Preconditioners\n\nCG iterations a step of a sheet in the wind, held at its upper edge; the lower three quarters are free, or"
    text += " may only slide within a plane (2 degrees of freedom) or along a line (1).\n\n"
    text += picture(drawn, folder, "preconditioner.svg", "CG iterations against particles") + "\n"
    return text + table(["freedom", "particles"] + list(NAMES.values()) + ["fewer by C", "fewer by P"], rows)


def decomposition(found, drawn, folder, pictures):
    cases = found.cases("decomposition")
    if not cases:
        return ""
    rows, sources = [], []
    for scene, _, ways in cases:
        whole, parts, halves = ways["whole"], ways["decomposed"], ways["eliminated"]
        own = found.case("decomposition", scene, 1)
        rows.append(
            (
                figures.title(scene),
                size(parts),
                f"{parts['seconds']:.1f} s",
                percent(saved(parts, whole, "row_vector_multiplies")),
                percent(figures.saved_within(own["whole"], own["decomposed"], parts["seconds"])) if own else "",
                percent(saved(halves, whole, "row_vector_multiplies")),
                percent(saved(halves, whole, "ms_solve")),
                percent(saved(halves, whole, "ms_per_step")),
                percent(figures.order_share(halves), 1),
                f"{parts['components']:.0f}",
                f"{1e3 * halves['mean_distance_from_first']:.2g} mm",
            )
        )
        if parts["frames"]:
            shares = [percent(100 * share) for share in figures.spring_shares(parts)]
            held = figures.saved_by_held(whole, parts)
            fewer = saved(parts, whole, "row_vector_multiplies")
            left = [
                f"{figures.left(parts, cut):.0f} ({percent(100 * figures.largest_share(parts, cut))})" for cut in range(3)
            ]
            sources.append([figures.title(scene), size(parts)] + shares + left + [percent(held), percent(fewer - held)])
    text = "\n## One system against a system for every component\n\n"
    text += picture(drawn, folder, "decomposition.svg", "Row-vector multiplies saved by decomposition") + "\n"
    text += "The finest meshes run only for the first part of the motion, when much of the cloth still falls and little is held or slack;"
    text += " beside them stands what the scene at its own size saves in that time. In components where only stretch springs are implicit,"
    text += " weft also eliminates every other particle, which the paper does not; times, labelling and distance are with that.\n\n"
    text += table(
        ["scene", "particles", "motion", "fewer multiplies", "the scene's own size in the same time", "fewer with elimination", "less CG time", "less time", "labelling, of a step", "components", "apart at the end"],
        rows,
    )
    text += "\n### Where it comes from\n\nWhat the stretch and shear springs do, in the mean over the frames; and how many components there"
    text += " would be (in brackets: the part of all particles in the largest) if only slack springs cut the cloth, if explicit ones did, too,"
    text += " and with held particles, which is what weft solves. Rows of held particles are never multiplied; what that alone saves"
    text += " stands beside what smaller systems save that stop sooner.\n\n"
    text += table(
        [
            "scene",
            "particles",
            "slack",
            "explicit",
            "at held particles",
            "coupling",
            "slack cut",
            "explicit, too",
            "held, too",
            "saved by held rows",
            "by smaller systems",
        ],
        sources,
    )
    text += "\nMultiplies of both solvers over time:\n\n" + picture(drawn, folder, "multiplies.svg", "Row-vector multiplies over time")
    text += "\nParticles by the number of particles in their component, over time:\n\n"
    text += picture(drawn, folder, "component_sizes.svg", "Component sizes over time")
    if pictures:
        text += "\nEvery component in a colour of its own; held particles are white:\n\n"
        cells = [f"![{what}]({folder}/{name})" for name, what in pictures]
        text += f"| {cells[0]} | {cells[1]} |\n| --- | --- |\n" + "".join(
            f"| {' | '.join(cells[k : k + 2])} |\n" for k in range(2, len(cells), 2)
        )
    return text


def side_by_side(found, study, title, words, first, others):
    rows = []
    for scene, _, ways in found.cases(study):
        if first not in ways:
            continue
        cells = [figures.title(scene), size(ways[first]), f"{ways[first]['ms_per_step']:.2f}"]
        for other in others:
            cells += [f"{ways[other]['ms_per_step']:.2f}", percent(saved(ways[other], ways[first], "ms_per_step"))]
        rows.append(cells)
    if not rows:
        return ""
    heads = ["scene", "particles", f"{first}, ms a step"]
    for other in others:
        heads += [other, "less time"]
    return f"\n## {title}\n\n{words}" + table(heads, rows)


def devices(found):
    rows = []
    for scene, _, ways in found.cases("devices"):
        cpu, gpu = ways["CPU"], ways["GPU"]
        rows.append(
            (
                figures.title(scene),
                size(cpu),
                f"{cpu['ms_per_step']:.2f}",
                f"{gpu['ms_per_step']:.2f}",
                f"{gpu['ms_per_step'] / cpu['ms_per_step']:.1f}",
                f"{1e3 * gpu['mean_distance_from_first']:.2g} mm",
            )
        )
    if not rows:
        return ""
    name = next(row["device"] for row in found.of("devices") if row["device"] != "cpu")
    text = f"\n## CPU against GPU\n\nThe Vulkan device is {name}."
    if any(word in name.lower() for word in ("llvmpipe", "swiftshader")):
        text += (
            " That is software on the same cores, which shows that the engines agree and nothing of what a GPU can do."
        )
    return text + "\n\n" + table(["scene", "particles", "CPU, ms a step", "GPU", "times as long", "apart at the end"], rows)


def scaling(found, drawn, folder):
    rows = [
        (
            size(row),
            row["steps"],
            f"{row['ms_per_step']:.3g}",
            f"{row['cg_iterations']:.1f}",
            f"{figures.iteration_ms(row):.3g}",
            f"{row['bytes_a_particle']:,.0f}",
        )
        for row in found.of("scaling")
    ]
    if not rows:
        return ""
    text = "\n## Cost against size\n\nA square metre that is held at three corners and let go, its grid ever finer, with one step size.\n\n"
    text += picture(drawn, folder, "scaling.svg", "Cost against particles") + "\n"
    text += table(["particles", "steps", "ms a step", "CG iterations", "ms an iteration", "bytes of memory a particle"], rows)
    fit = found.fits.get("scaling")
    if fit:
        text += f"\nThe time of a step grows as n^{fit['step']:.2f}, that of a CG iteration as n^{fit['iteration']:.2f}.\n"
    return text


def blender(compared):
    if not compared:
        return ""
    rows = [
        (
            name,
            f"{way['ms_per_step']:.2f}",
            f"{way['iterations']:.1f}",
            f"{way['ms_per_iteration']:.3f}",
            f"{way['mean_height']:.3f} m",
        )
        for name, way in compared["ways"].items()
    ]
    text = f"\n## Beside Blender's cloth\n\n{figures.title(compared['scene'])}, {compared['particles']:,} particles, {compared['frames']} frames"
    text += f" of {compared['steps_per_frame']} steps, Blender {compared['version']} (`tools/compare_blender`). The mesh, the step and the"
    text += " solids are the same; the models of the cloth are not, so the figures say what a step costs, not whose cloth is better. Blender's solids"
    text += " are meshes that it searches for contacts, weft's are formulas.\n\n"
    return text + table(["", "ms a step", "CG iterations", "ms a step over its iterations", "mean height at the end"], rows)


def write(path, found, facts, drawn, folder, pictures, compared):
    threads_words = "The paper's own experiment on two processors.\n\n"
    text = head(found, facts) + targets(found)
    text += imex(found, drawn, folder) + preconditioner(found, drawn, folder) + decomposition(found, drawn, folder, pictures)
    text += side_by_side(
        found,
        "threads",
        "One thread against two",
        threads_words,
        "whole, 1 thread",
        ["decomposed, 1 thread", "decomposed, 2 threads"],
    )
    text += devices(found) + scaling(found, drawn, folder) + blender(compared)
    text += "\n## Again\n\n```sh\ntools/results\n```\n\nruns the studies and writes this page, its plots and pictures anew"
    text += "; `tools/results --from FILE.json` makes the page of figures that are there already.\n"
    path.write_text(text, encoding="utf-8")
