#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Copies a golden with some of its datasets, byte for byte: what an embedded golden of a large recording is made with.

    golden/capture/cut_golden.py nemo-m3-mtp golden/data/nemo-m3-mtp --keep '*/tokens/*' '*/mtp/*' '*/loss*'
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import shutil
import sys

import h5py
import numpy as np
from h5py import h5f, h5o, h5p


def wanted(path: str, keep: list[str], drop: list[str]) -> bool:
    kept = not keep or any(fnmatch.fnmatchcase(path, glob) for glob in keep)
    return kept and not any(fnmatch.fnmatchcase(path, glob) for glob in drop)


def copy_attributes(source, target) -> None:
    for name in source.attrs:
        stored = h5py.h5a.open(source.id, name.encode())
        made = h5py.h5a.create(target.id, name.encode(), stored.get_type(), stored.get_space())
        values = np.empty(stored.shape, dtype=stored.dtype)
        stored.read(values)
        made.write(values)


def groups_of(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[: i + 1]) for i in range(len(parts))]


def cut(source: str, target: str, keep: list[str], drop: list[str]) -> tuple[int, int]:
    access, creation = h5p.create(h5p.FILE_ACCESS), h5p.create(h5p.FILE_CREATE)
    access.set_libver_bounds(h5f.LIBVER_V110, h5f.LIBVER_V110)
    untimed = h5p.create(h5p.GROUP_CREATE)
    untimed.set_obj_track_times(False)
    names: list[str] = []
    with h5py.File(source, "r") as old, h5py.File(h5f.create(target.encode(), h5f.ACC_TRUNC, creation, access)) as new:
        old.visit(names.append)  # visits every object once: further names of a dataset are not copied
        kept = [n for n in names if isinstance(old[n], h5py.Dataset) and (n == "config" or wanted(n, keep, drop))]
        for name in kept:
            for group in groups_of(name):
                if group not in new:
                    h5py.h5g.create(new.id, group.encode(), gcpl=untimed)
                    copy_attributes(old[group], new[group])
            h5o.copy(old.id, name.encode(), new.id, name.encode())
        copy_attributes(old["/"], new["/"])
    return len(kept), len(names)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("source", help="golden folder")
    parser.add_argument("target", help="folder to write")
    parser.add_argument("--keep", nargs="*", default=[], help="globs over datasets to keep (default: all)")
    parser.add_argument("--drop", nargs="*", default=[], help="globs over datasets to leave out, even if in --keep")
    args = parser.parse_args(arguments)
    partial = args.target.rstrip("/") + ".partial"
    shutil.rmtree(partial, ignore_errors=True)
    shutil.copytree(os.path.join(args.source, "checkpoint"), os.path.join(partial, "checkpoint"))
    kept, of = cut(os.path.join(args.source, "activations.h5"), os.path.join(partial, "activations.h5"), args.keep, args.drop)
    shutil.rmtree(args.target, ignore_errors=True)
    os.replace(partial, args.target)
    print(f"{args.target}: {kept} datasets of {of} objects, {os.path.getsize(os.path.join(args.target, 'activations.h5')):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
