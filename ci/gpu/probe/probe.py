#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Asks a GPU, or the PTX machine, for the results of single instructions, and compares what two of them answered.

usage: probe.py gpu|PARITY_PTX OUT.json [--lanes N] [--seed N] [GLOB...]   writes the results of the forms that match
       probe.py --beside OURS.json THEIRS.json              compares the first lanes that both have
       probe.py --against THEIRS.json PARITY_PTX [GLOB...]  asks for all forms but those of every number, and compares
       probe.py --cut THEIRS.json OUT.json.xz N             keeps the first N lanes of each form
Exit status 1: a form differs that must not, one side refuses it, or no form was compared; 2: bad input, or a device
that cannot be asked. A form may differ if its `loose` says why."""
from __future__ import annotations

import argparse
import collections
import fnmatch
import lzma
import pathlib
import sys

import arithmetic
import every
import warps
from document import WHOLE, cut, drawn, lines_beside, operands, packed, read, shortened, write
from driver import Driver, Failed, Refused
from forms import Form, ptx
from machine import Machine

SCRATCH = 16


def results(who: Driver | Machine, form: Form, seed: str) -> bytes:
    fill = b"".join(drawn(form.fill, form.shared // 4, -1, seed)) if form.shared else bytes(4)
    found = who.ask(ptx(form), form.lanes // form.block, form.block, [operands(form, seed) or bytes(4), fill],
                    [4 * form.lanes * form.result_words, SCRATCH * form.lanes])
    return every.folded(found) if form.name.startswith("every f32") else found


def every_form() -> dict[str, Form]:
    return {form.name: form for form in [*arithmetic.forms(), *warps.forms(), *every.forms()]}


def matching(names: list[str], globs: list[str]) -> list[str]:
    for glob in globs:
        if not fnmatch.filter(names, glob):
            raise Failed(f"no form matches {glob}")
    return [name for name in names if any(fnmatch.fnmatch(name, glob) for glob in globs)]


def asked(who: Driver | Machine, names: list[str], lanes: int = 0, seed: str = "1") -> dict:
    document: dict = {"device": who.name, "driver": who.version, "seed": seed, "results": {}, "refused": {}}
    if lanes:
        document["lanes"] = lanes
    forms = every_form()
    for name in names:
        try:
            document["results"][name] = packed(results(who, shortened(forms[name], lanes), seed))
        except Refused as refused:
            document["refused"][name] = str(refused)
    return document


def beside(ours: dict, theirs: dict, brief: bool = False) -> int:
    """Prints the forms that differ, with one example each; brief: only those that must not."""
    if ours["seed"] != theirs["seed"]:
        print(f"FAIL  operands of seed {ours['seed']} and of seed {theirs['seed']}")
        return 1
    counts: collections.Counter = collections.Counter()
    for line in lines_beside(ours, theirs, every_form(), counts):
        if not brief or not line.startswith(("LOOSE", "ASKED")):
            print(line)
    compared = counts["equal"] + counts["loose"] + counts["different"] + counts["refused by both"]
    failed = counts["different"] + counts["refused on one side"] or not compared
    print(f"{'FAIL' if failed else 'PASS'}  {ours['device']} beside {theirs['device']}: {dict(+counts)}")
    return 1 if failed else 0


def against(theirs: dict, program: pathlib.Path, globs: list[str]) -> int:
    names = list(every_form())
    chosen = matching(names, globs) if globs else [name for name in names if not name.startswith(WHOLE)]
    return beside(asked(Machine(program), chosen, theirs.get("lanes", 0), theirs["seed"]), theirs, brief=True)


def main(arguments: list[str]) -> int:
    try:
        return done(arguments)
    except (Failed, OSError, ValueError, KeyError, lzma.LZMAError) as error:
        print(f"probe.py: error: {error}", file=sys.stderr)
        return 2


def done(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(usage=__doc__.partition("usage: ")[2], add_help=False)
    parser.add_argument("--lanes", type=int, default=0)
    parser.add_argument("--seed", default="1")
    for mode in ("beside", "against", "cut"):
        parser.add_argument(f"--{mode}", action="store_true")
    parser.add_argument("words", nargs="*")
    given = parser.parse_intermixed_args(arguments)
    if len(given.words) < (3 if given.cut else 2):
        parser.error("too few arguments")
    if given.lanes < 0:
        parser.error("--lanes is the number of lanes, at least 1; left out: all")
    first, second = map(pathlib.Path, given.words[:2])
    if given.beside:
        return beside(read(first), read(second))
    if given.against:
        return against(read(first), second.resolve(), given.words[2:])
    if given.cut:
        write(second, cut(read(first), every_form(), int(given.words[2])))
        return 0
    who = Driver() if given.words[0] == "gpu" else Machine(first.resolve())
    document = asked(who, matching(list(every_form()), given.words[2:] or ["*"]), given.lanes, given.seed)
    write(second, document)
    print(f"PASS  {document['device']}: {len(document['results'])} forms, {len(document['refused'])} refused")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
