#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The largest errors of approximate instructions on a GPU, over all f32 (errors.cu).

usage: errors.py OUT.json PTX...        NAME.ptx: errors.cu compiled for the instruction NAME"""
from __future__ import annotations

import json
import pathlib
import struct
import sys

from driver import Driver, Failed, Refused

BINS, THREADS = 512, 1024  # a bin: the numbers of one sign and exponent


def worst(driver: Driver, text: str) -> list[list]:
    """For each bin: the largest error in ulp, and the bits of the number that has it."""
    data = driver.ask(text, BINS, THREADS, [bytes(4), bytes(4)], [8 * BINS, 16])
    return [[struct.unpack("<f", data[at + 4:at + 8])[0], struct.unpack("<I", data[at:at + 4])[0]]
            for at in range(0, 8 * BINS, 8)]


def main(arguments: list[str]) -> int:
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        measure(pathlib.Path(arguments[0]), list(map(pathlib.Path, arguments[1:])))
    except (Failed, Refused, OSError) as error:
        print(f"errors.py: error: {error}", file=sys.stderr)
        return 2
    return 0


def measure(out: pathlib.Path, texts: list[pathlib.Path]) -> None:
    driver = Driver()
    document = {"device": driver.name, "worst": {}}
    for path in texts:
        bins = worst(driver, path.read_text(encoding="utf-8"))
        document["worst"][path.stem] = bins
        error, bits = max(bins)
        print(f"{path.stem}: at most {error:.4g} ulp, at 0x{bits:08x}")
    out.write_text(json.dumps(document) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
