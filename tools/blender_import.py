"""Loads a result of `weft run` into Blender, with its motion.

    blender --python tools/blender_import.py -- PATH

PATH is a folder that weft wrote to (--format pc2, mdd, usda or glb), or one of the files in it. Of a
folder that holds several formats, the first of these is taken. Every cloth of a point cache gets a
Mesh Cache modifier on the mesh of its OBJ file; a glb file comes as shape keys, a usda file as
Blender reads it. Frame 0 is the start.
"""

import argparse
import json
import re
import struct
import sys
from pathlib import Path

import bpy

FORMATS = ("pc2", "mdd", "glb", "usda")
DEFAULT_FPS = 30


class ImportProblem(Exception):
    """What cannot be loaded, in a sentence."""


def find_files(path):
    """The files to load: `path` itself, or all of one format in it."""
    if path.is_file():
        if path.suffix[1:] not in FORMATS:
            raise ImportProblem(f"{path}: is none of {', '.join(FORMATS)}")
        return [path]
    if not path.is_dir():
        raise ImportProblem(f"{path}: there is no such file or folder")
    for form in FORMATS:
        files = sorted(path.glob(f"*.{form}"))
        if files:
            return files
    raise ImportProblem(f"{path}: holds no file of {', '.join(FORMATS)}; run weft with --format pc2")


def unpack(form, data, path):
    """Numbers at the start of a file."""
    try:
        return struct.unpack_from(form, data)
    except struct.error:
        raise ImportProblem(f"{path}: is cut off") from None


def added_objects(load):
    """The mesh and curve objects that `load` brings in."""
    before = set(bpy.data.objects)
    load()
    return [thing for thing in bpy.data.objects if thing not in before and thing.data]


def load_cache(path):
    """A cloth from its OBJ file, moved by its point cache. Returns frames and frames a second."""
    with path.open("rb") as stream:
        head = stream.read(32)
    if path.suffix == ".pc2":
        points, frames = unpack("<16xi8xi", head, path)
    else:
        frames, points = unpack(">ii", head, path)

    # weft tells the rate at the end of the mesh.
    mesh_path = path.with_suffix(".obj")
    if not mesh_path.is_file():
        raise ImportProblem(f"{mesh_path}: the mesh of {path.name} is missing")
    rate = re.search(r"^# (\S+) frames a second$", mesh_path.read_text(), re.M)
    (cloth,) = added_objects(lambda: bpy.ops.wm.obj_import(filepath=str(mesh_path)))
    if len(cloth.data.vertices) != points:
        raise ImportProblem(f"{path}: has {points} points, but {mesh_path.name} has another number of vertices")

    # The importer turns the object, not its vertices, so the cache needs no change of axes.
    modifier = cloth.modifiers.new("weft", "MESH_CACHE")
    modifier.cache_format = path.suffix[1:].upper()
    modifier.filepath = str(path.resolve())
    modifier.frame_start = 0
    return frames, float(rate.group(1)) if rate else None


def prepare_numpy(path):
    """Blender's glTF importer needs NumPy, and in Blender 3.4 a name that NumPy 1.24 no longer has."""
    try:
        import numpy
    except ImportError:
        raise ImportProblem(f"{path}: this Blender has no NumPy, which glb needs (Debian: python3-numpy)") from None
    if "bool" not in vars(numpy):
        numpy.bool = bool


def load_glb(path):
    """All cloths of a glb file, as shape keys."""
    prepare_numpy(path)
    data = path.read_bytes()
    size, = unpack("<12xI", data, path)
    scene = json.loads(data[20:20 + size])
    frames, fps = 1, None
    if "animations" in scene:
        times = scene["accessors"][scene["animations"][0]["samplers"][0]["input"]]
        frames = times["count"]
        fps = (frames - 1) / times["max"][0]

    # The importer counts in the scene's frames, so their rate has to be right beforehand.
    set_rate(fps or DEFAULT_FPS)
    bpy.ops.import_scene.gltf(filepath=str(path))
    return frames, fps


def load_usda(path):
    """All cloths of a usda file."""
    if not hasattr(bpy.types, "WM_OT_usd_import"):
        raise ImportProblem(f"{path}: this Blender was built without USD; use --format glb or pc2")
    with path.open() as stream:
        head = stream.read(4096)
    end, fps = (float(re.search(rf"^    {key} = (\S+)", head, re.M).group(1))
                for key in ("endTimeCode", "timeCodesPerSecond"))
    bpy.ops.wm.usd_import(filepath=str(path))
    return int(end) + 1, fps


def set_rate(fps):
    """Frames a second; Blender wants a whole number and a divisor."""
    render = bpy.context.scene.render
    render.fps = max(1, round(fps))
    render.fps_base = render.fps / fps


def load(path):
    """Loads everything at `path` and sets the scene's frames."""
    # The cube of Blender's start-up file would stand in the middle of the cloth.
    cube = bpy.data.objects.get("Cube")
    if cube and not bpy.data.filepath:
        bpy.data.objects.remove(cube)

    loaders = {".pc2": load_cache, ".mdd": load_cache, ".glb": load_glb, ".usda": load_usda}
    longest, rate = 1, None
    for file in find_files(path):
        frames, fps = loaders[file.suffix](file)
        longest = max(longest, frames)
        rate = rate or fps
    set_rate(rate or DEFAULT_FPS)
    bpy.context.scene.frame_start = 0
    bpy.context.scene.frame_end = longest - 1
    bpy.context.scene.frame_set(0)

    # Cloth has no creases at every edge.
    for mesh in bpy.data.meshes:
        mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))


def main():
    arguments = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []
    parser = argparse.ArgumentParser(prog="blender_import.py", description="Loads a result of weft into Blender.")
    parser.add_argument("path", type=Path, help="a folder that weft wrote to, or a file in it")
    options = parser.parse_args(arguments)
    try:
        load(options.path)
    except ImportProblem as problem:
        sys.exit(f"blender_import.py: {problem}")


main()
