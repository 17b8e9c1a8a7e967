#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Asks a GPU, or the PTX machine through the stand-in of the driver, for the results of single instructions.

usage: probe.py gpu|PARITY_PTX OUT.json [GLOB...]    writes the results of the forms whose names match
       probe.py --beside OURS.json THEIRS.json"""
from __future__ import annotations

import base64
import collections
import fnmatch
import functools
import json
import pathlib
import sys
import zlib

import arithmetic
import draw
import every
import warps
from driver import Driver, Refused
from forms import Form, ptx
from machine import Machine

SEED, SCRATCH = "1", 16


@functools.lru_cache(maxsize=256)
def drawn(kind: str, lanes: int, which: int) -> tuple[bytes, ...]:
    return tuple(draw.words(kind, lanes, f"{SEED} {which}"))


def operands(form: Form) -> bytes:
    return b"".join(column for which, kind in enumerate(form.inputs) for column in drawn(kind, form.lanes, which))


def results(who: Driver | Machine, form: Form) -> bytes:
    fill = b"".join(drawn(form.fill, form.shared // 4, -1)) if form.shared else bytes(4)
    found = who.ask(ptx(form), form.lanes // form.block, form.block, [operands(form) or bytes(4), fill],
                    [4 * form.lanes * form.result_words, SCRATCH * form.lanes])
    return every.folded(found) if form.name.startswith("every f32") else found


def every_form() -> list[Form]:
    return [*arithmetic.forms(), *warps.forms(), *every.forms()]


def asked(who: Driver | Machine, globs: list[str]) -> dict:
    document: dict = {"device": who.name, "driver": who.version, "seed": SEED, "results": {}, "refused": {}}
    for form in every_form():
        if not any(fnmatch.fnmatch(form.name, glob) for glob in globs):
            continue
        try:
            packed = zlib.compress(results(who, form), 9)
            document["results"][form.name] = base64.b64encode(packed).decode()
        except Refused as refused:
            document["refused"][form.name] = str(refused)
    return document


def words_of(text: str) -> memoryview:
    return memoryview(zlib.decompress(base64.b64decode(text))).cast("I")


def beside(ours: dict, theirs: dict) -> int:
    """Prints the forms that differ, with one example each; 1 if one differs that must not."""
    loose = {form.name: form for form in every_form()}
    counts: collections.Counter = collections.Counter()
    for name in sorted(ours["results"].keys() | theirs["results"].keys()):
        form = loose[name]
        if name not in ours["results"] or name not in theirs["results"]:
            side, document = ("ours", ours) if name not in ours["results"] else ("theirs", theirs)
            counts["refused on one side"] += 1
            print(f"REFUSED  {name}: {side}: {document['refused'].get(name, 'not asked')}")
            continue
        a, b = words_of(ours["results"][name]), words_of(theirs["results"][name])
        different = [at for at in range(len(a)) if a[at] != b[at]]
        kind = "equal" if not different else "loose" if form.loose else "different"
        counts[kind] += 1
        if different:
            at = different[0]
            inputs = memoryview(operands(form)).cast("I") if form.inputs else []
            lane = at % form.lanes
            given = " ".join(f"{inputs[j * form.lanes + lane]:08x}" for j in range(form.words))
            print(f"{kind.upper():9} {name}: {len(different)} of {len(a)}; of {given}: {a[at]:08x}, not {b[at]:08x}")
    print(f"{'FAIL' if counts['different'] else 'PASS'}  {dict(counts)}")
    return 1 if counts["different"] else 0


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--beside"] and len(arguments) == 3:
        documents = [json.loads(open(path, encoding="utf-8").read()) for path in arguments[1:]]
        return beside(*documents)
    if len(arguments) < 2 or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    who = Driver() if arguments[0] == "gpu" else Machine(pathlib.Path(arguments[0]).resolve())
    document = asked(who, arguments[2:] or ["*"])
    with open(arguments[1], "w", encoding="utf-8") as file:
        file.write(json.dumps(document, indent=1, sort_keys=True) + "\n")
    print(f"PASS  {document['device']}: {len(document['results'])} forms, {len(document['refused'])} refused")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
