"""What `weft bench paper --json` measured, and what follows from it."""

import json
import statistics

SCENES = ["scenes/tablecloth.json", "scenes/center_pin.json", "scenes/sphere_drape.json", "scenes/arm_bend.json"]
TITLES = {
    "scenes/tablecloth.json": "tablecloth",
    "scenes/center_pin.json": "centre pin",
    "scenes/sphere_drape.json": "sphere drape",
    "scenes/arm_bend.json": "arm bend",
}


def title(scene):
    return TITLES.get(scene, scene)


class Figures:
    """The rows of one file or several; of a study, the file that comes last counts."""

    def __init__(self, paths):
        self.rows, self.fits, self.heads = [], {}, []
        for path in paths:
            with open(path, encoding="utf-8") as file:
                found = json.load(file)
            if not isinstance(found, dict) or "rows" not in found or "fits" not in found:
                raise ValueError(f"{path} is not a file of weft bench STUDY --json")
            fresh = {row["study"] for row in found["rows"]}
            self.rows = [row for row in self.rows if row["study"] not in fresh] + found["rows"]
            self.fits.update(found["fits"])
            self.heads.append({key: found[key] for key in found if key not in ("rows", "fits")})

    def of(self, study):
        return [row for row in self.rows if row["study"] == study]

    def cases(self, study):
        """[(scene, scale, {variant: row})] in the order of the file."""
        cases = {}
        for row in self.of(study):
            cases.setdefault((row["scene"], row["scale"], row["particles"]), {})[row["variant"]] = row
        return [(scene, scale, variants) for (scene, scale, _), variants in cases.items()]

    def case(self, study, scene, scale):
        for other, size, variants in self.cases(study):
            if other == scene and size == scale:
                return variants
        return None


def saved(new, old, key):
    """By how many percent `new` has less of it."""
    return 100 * (1 - new[key] / old[key]) if old[key] else 0.0


def held_share(row):
    """Part of the particles that are held, mean over the frames."""
    return statistics.fmean(frame["held"] for frame in row["frames"]) / row["particles"] if row["frames"] else 0.0


def largest_share(row, cut=2):
    """Part of the particles in the largest component; cut: what cuts (0 slack, 1 explicit too, 2 held too)."""
    if not row["frames"]:
        return 0.0
    return statistics.fmean(frame["largest"][cut] for frame in row["frames"]) / row["particles"]


def left(row, cut):
    return statistics.fmean(frame["left"][cut] for frame in row["frames"]) if row["frames"] else 0.0


def spring_shares(row):
    """Parts of the springs: slack, explicit, at a held particle, coupling."""
    totals = [sum(frame["springs"][k] for frame in row["frames"]) for k in range(4)]
    return [count / sum(totals) if sum(totals) else 0.0 for count in totals]


def saved_by_held(whole, decomposed):
    """Of the whole solver's multiplies, the percentage that belong to rows which the decomposing one never touches."""
    total = sum(frame["multiplies"] for frame in whole["frames"])
    held = sum(
        frame["multiplies"] * other["held"] / decomposed["particles"]
        for frame, other in zip(whole["frames"], decomposed["frames"])
    )
    return 100 * held / total if total else 0.0


def saved_within(whole, parts, seconds):
    """By how many percent `parts` has fewer multiplies in the first `seconds`."""
    sums = [sum(f["multiplies"] for f in row["frames"] if f["time"] < seconds + 1e-6) for row in (whole, parts)]
    return 100 * (1 - sums[1] / sums[0]) if sums[0] else 0.0


def solve_share(row):
    return 100 * row["ms_solve"] / row["ms_per_step"]


def order_share(row):
    return 100 * row["ms_label_and_order"] / row["ms_per_step"]


def iteration_ms(row):
    """Milliseconds of CG for an iteration."""
    return row["ms_solve"] / max(1.0, row["cg_iterations"])


def multiply_ns(row):
    """Nanoseconds of CG for each row-vector multiply."""
    return 1e6 * row["ms_solve"] * row["steps"] / max(1.0, row["row_vector_multiplies"])


# Classes of component sizes in the plots: (title, lowest class of the file, one past the highest).
SIZE_GROUPS = [("1", 0, 1), ("2-7", 1, 3), ("8-63", 3, 6), ("64-511", 6, 9), ("512-4095", 9, 12), ("4096 up", 12, 32)]


def size_table(row):
    """[(time, held, particles in each of SIZE_GROUPS)], in percent of all particles."""
    table = []
    for frame in row["frames"]:
        parts = [100 * sum(frame["particles"][low:high]) / row["particles"] for _, low, high in SIZE_GROUPS]
        table.append((frame["time"], 100 * frame["held"] / row["particles"], parts))
    return table


def finest_frame(found, scene):
    """The number of the frame in which the largest component is smallest, at the scene's own size; 0 if that was not measured."""
    variants = found.case("decomposition", scene, 1)
    frames = variants["decomposed"]["frames"] if variants else []
    return 1 + min(range(len(frames)), key=lambda k: frames[k]["largest"][2]) if frames else 0
