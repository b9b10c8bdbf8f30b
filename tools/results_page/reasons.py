"""Whether weft reaches the paper's figures, and where it does not, why. Words are chosen here; every number is measured."""

import statistics
from collections import namedtuple

import figures
from figures import saved

Target = namedtuple("Target", "what paper measured reached reasons")


def span(values, unit=" %"):
    low, high = min(values), max(values)
    return f"{low:.0f}{unit}" if round(low) == round(high) else f"{low:.0f} to {high:.0f}{unit}"


def percent(value, digits=0):
    return f"{round(value, digits) + 0.0:.{digits}f} %"  # + 0.0: no "-0"


def own_size(found, study):
    """The cases at the scenes' own size; all if there are none of it."""
    cases = found.cases(study)
    own = [(scene, variants) for scene, scale, variants in cases if scale == 1]
    return own or [(scene, variants) for scene, _, variants in cases]


def imex_reason(scene, implicit, adaptive):
    """Where the time went that fewer blocks should have saved."""
    springs = saved(adaptive, implicit, "implicit_springs")
    iteration = 100 * (1 - figures.iteration_ms(adaptive) / figures.iteration_ms(implicit))
    more = -saved(adaptive, implicit, "cg_iterations")
    text = (
        f"{figures.title(scene)}: {percent(springs)} fewer springs are in the matrix, an iteration takes {percent(abs(iteration))} "
        f"{'less' if iteration >= 0 else 'more'} time, and there are {percent(abs(more))} {'more' if more >= 0 else 'fewer'} of them: what is"
        " explicit no longer helps against long waves, but lets every other particle be eliminated."
    )
    text += f" CG is {percent(figures.solve_share(implicit))} of an implicit step here; air, bending and contact cost the same in both."
    return text


def imex(found):
    cases = found.cases("imex")
    if not cases:
        return []
    times = [saved(ways["adaptive"], ways["implicit"], "ms_per_step") for _, _, ways in cases]
    middle = statistics.median(times)
    short = [
        imex_reason(scene, ways["implicit"], ways["adaptive"])
        for scene, ways in own_size(found, "imex")
        if saved(ways["adaptive"], ways["implicit"], "ms_per_step") < 17
    ]
    apart = max(1e3 * ways["adaptive"]["mean_distance_from_first"] for _, _, ways in cases)
    return [
        Target(
            "adaptive implicit-explicit steps against implicit ones: less time",
            "17 to 29 %",
            f"{span(times)}, median {percent(middle)}",
            middle >= 17,
            short,
        ),
        Target(
            "the same: trajectories",
            "nearly indistinguishable",
            f"at most {apart:.2g} mm apart, mean over the particles at the end",
            apart < 20,
            [],
        ),
    ]


def preconditioner(found):
    cases = [ways for scene, _, ways in found.cases("preconditioner") if "freedom" in scene]
    if not cases:
        return []
    sizes = sorted({ways["none"]["particles"] for ways in cases})
    large = [ways for ways in cases if ways["none"]["particles"] in sizes[len(sizes) // 2 :]]
    fewer = [saved(ways["modified"], ways["none"], "cg_iterations") for ways in large]
    worse = [-saved(ways["block"], ways["none"], "cg_iterations") for ways in large]
    reasons = []
    if statistics.fmean(fewer) < 25:
        reasons.append(
            "The blocks of the diagonal say little about springs of much the same stiffness everywhere: where constraints do not mix"
            " directions, a preconditioner of blocks has little to even out."
        )
    larger = f"at {sizes[len(sizes) // 2]:,} particles and more"
    return [
        Target(
            f"P against no preconditioner, particles of 1 and 2 degrees of freedom, {larger}: fewer iterations",
            "about 30 %",
            span(fewer),
            statistics.fmean(fewer) >= 25,
            reasons,
        ),
        Target(
            "C against none, the same: more iterations",
            "more",
            f"{span(worse)} more",
            min(worse) > 0,
            [] if min(worse) > 0 else ["C ignores the constraints and still is no worse where few particles are constrained."],
        ),
    ]


def decomposition_reason(scene, whole, parts):
    largest = figures.largest_share(parts) / max(1e-9, 1 - figures.held_share(parts))
    held = figures.saved_by_held(whole, parts)
    fewer = saved(parts, whole, "row_vector_multiplies")
    text = (
        f"{figures.title(scene)}: in the mean over the frames {percent(100 * figures.held_share(parts))} of the particles are held and"
        f" cost nothing; the largest component has {percent(100 * largest)} of the others. Held rows save"
        f" {percent(held)} of the multiplies, smaller systems {percent(fewer - held)}."
    )
    more = -saved(parts, whole, "cg_iterations")
    if more > 1:
        text += (
            f" The slowest component needs {percent(more)} more iterations than the whole: it has to reach the tolerance by itself,"
            " while in one system large residuals elsewhere hide its own."
        )
    return text


# The paper's figure for a scene; None: only that it is not worse.
FEWER = {"scenes/arm_bend.json": (35, "35 to 50 %"), "scenes/sphere_drape.json": (20, "20 %")}


def decomposition(found):
    targets = []
    cases = own_size(found, "decomposition")
    for scene, ways in cases:
        least, paper = FEWER.get(scene, (0, "0 to 80 %"))
        fewer = saved(ways["decomposed"], ways["whole"], "row_vector_multiplies")
        reached = fewer >= least
        targets.append(
            Target(
                f"decomposition, {figures.title(scene)}: fewer row-vector multiplies",
                paper,
                percent(fewer),
                reached,
                [] if reached else [decomposition_reason(scene, ways["whole"], ways["decomposed"])],
            )
        )
    for scene, ways in cases:
        fewer = saved(ways["eliminated"], ways["whole"], "row_vector_multiplies")
        targets.append(
            Target(
                f"the same with every other particle eliminated, {figures.title(scene)}",
                "0 to 80 %",
                percent(fewer),
                fewer >= 0,
                [],
            )
        )
    if cases:
        shares = [figures.order_share(ways["eliminated"]) for _, ways in cases]
        per_multiply = [figures.multiply_ns(ways["whole"]) for _, ways in cases]
        targets.append(
            Target(
                "overhead of finding the components, of a step",
                "2 %",
                f"{min(shares):.1f} to {max(shares):.1f} %",
                max(shares) <= 2.5,
                []
                if max(shares) <= 2.5
                else [
                    "Finding the components passes over all springs and particles a few times, as it did in the paper; but a"
                    f" row-vector multiply takes {span(per_multiply, ' ns')} here, so the same passes are a larger part of a step that"
                    " is so much shorter."
                ],
            )
        )
    return targets


def threads(found):
    cases = own_size(found, "threads")
    if not cases:
        return []
    first, one, two = "whole, 1 thread", "decomposed, 1 thread", "decomposed, 2 threads"
    by_parts = [saved(ways[one], ways[first], "ms_per_step") for _, ways in cases]
    by_both = [saved(ways[two], ways[first], "ms_per_step") for _, ways in cases]
    reasons = []
    for scene, ways in cases:
        if saved(ways[one], ways[first], "ms_per_step") < 18:
            solve = figures.solve_share(ways[first])
            fewer = saved(ways[one], ways[first], "row_vector_multiplies")
            dearer = figures.multiply_ns(ways[one]) / figures.multiply_ns(ways[first])
            text = (
                f"{figures.title(scene)}: CG is {percent(solve)} of a step and {percent(fewer)} of its multiplies are saved, so a step"
                f" could be {percent(solve * fewer / 100)} shorter; finding the components takes"
                f" {percent(figures.order_share(ways[one]))} of it."
            )
            if dearer > 1.05:
                text += (
                    f" And CG takes {dearer:.1f} times as long for each multiply that is left: rows of a small component lie all over the"
                    " cloth and are collected first, while in one system eight neighbours are multiplied at once."
                )
            reasons.append(text)
    both = []
    if statistics.fmean(by_both) < 30:
        both.append(
            "A step has many short loops, and each of them ends only when both threads are done: where other work keeps a core busy, one"
            " waits for the other."
        )
    return [
        Target("decomposition on one thread: less time", "18 %", span(by_parts), statistics.fmean(by_parts) >= 18, reasons),
        Target("decomposition and a second thread: less time", "30 %", span(by_both), statistics.fmean(by_both) >= 30, both),
    ]


def scaling(found):
    fit = found.fits.get("scaling")
    rows = found.of("scaling")
    if not fit or not rows:
        return []
    reasons = []
    if fit["step"] > 1.5:
        least, most = (
            min(rows, key=lambda row: figures.iteration_ms(row) / row["particles"]),
            max(rows, key=lambda row: figures.iteration_ms(row) / row["particles"]),
        )
        reasons.append(
            f"A particle takes {1e6 * figures.iteration_ms(least) / least['particles']:.1f} ns of a CG iteration where there are"
            f" {least['particles']:,} of them, and {1e6 * figures.iteration_ms(most) / most['particles']:.1f} ns where there are"
            f" {most['particles']:,}: small cloths stay in the caches, large ones wait for memory. And bending is the stiffer the finer the"
            f" grid is: {rows[0]['cg_iterations']:.1f} iterations a step become {rows[-1]['cg_iterations']:.0f}."
        )
    return [
        Target(
            "cost of a step, from " + " to ".join(f"{row['particles']:,}" for row in (rows[0], rows[-1])) + " particles",
            "n^1.5",
            f"n^{fit['step']:.2f}; a CG iteration n^{fit['iteration']:.2f}",
            fit["step"] <= 1.5,
            reasons,
        )
    ]


def all_targets(found):
    return imex(found) + preconditioner(found) + decomposition(found) + threads(found) + scaling(found)
