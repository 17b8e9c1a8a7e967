#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Records several plants, each as capture_hf.py --plant does, in one process per recording that begins with torch loaded.

usage: record_plants.py --out DIR [--seed N] [--dtype T] NAME...        of the release of transformers that is imported
exit status 1 when one could not be recorded: DIR/NAME.log says why"""

from __future__ import annotations

import argparse
import os
import sys

import capture_hf
from plants import PLANTS, Plant

STUDY = {  # all taps, but no run in binary64, which would contain the bug, too
    "m3": ("--lengths", "71,52", "--decode", "2", "--chunk", "5", "--vision-hidden", "0"),
    "m2": ("--preset", "m2-text-bf16", "--drop"),
    "text01": ("--preset", "text01-bf16", "--drop"),
}


def options(plant: Plant, dtype: str, seed: int | None) -> list[str]:
    base = ("--preset", plant.preset) if plant.preset else STUDY[plant.model]
    given = [*base, *plant.options, "--exact", "--plant", plant.name]
    given += [] if plant.preset else ["--dtype", plant.dtype or dtype]  # a preset already has the needed type
    return given + (["--seed", str(seed)] if seed is not None else [])


def record(name: str, out: str, dtype: str, seed: int | None) -> bool:
    child = os.fork()  # a plant edits classes of the package, so each needs its own process
    if child:
        return os.waitpid(child, 0)[1] == 0
    status = 1
    try:
        with open(os.path.join(out, name + ".log"), "w", encoding="utf-8") as log:
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
        status = capture_hf.main(["--out", os.path.join(out, name), *options(PLANTS[name], dtype, seed)])
    except BaseException as error:  # pylint: disable=broad-except
        print(f"{type(error).__name__}: {error}")
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)  # pylint: disable=protected-access


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="+", choices=sorted(PLANTS), metavar="NAME")
    parser.add_argument("--out", required=True, metavar="DIR")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--dtype", choices=("bf16", "f32", "f64"), default="bf16",
                        help="working type for plants that show in any type")
    args = parser.parse_args(arguments)
    os.makedirs(args.out, exist_ok=True)
    failed = [name for name in args.names if not record(name, args.out, args.dtype, args.seed)]
    for name in failed:
        print(f"record_plants.py: {name} was not recorded, see {os.path.join(args.out, name)}.log", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
