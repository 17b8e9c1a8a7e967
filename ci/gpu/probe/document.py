# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What a device answered, as a file, and two such files beside each other. The results of a form are columns of one word
for each lane. Operands are drawn lane by lane, so a form with fewer lanes has the first lanes of one with more."""
from __future__ import annotations

import base64
import collections
import dataclasses
import functools
import json
import lzma
import pathlib
import zlib

import draw
from forms import Form

WHOLE = "every "  # a form that takes every number of a format has all its lanes, or a hash of them


def packed(data: bytes, tight: bool = True) -> str:
    return base64.b64encode(zlib.compress(data, 9 if tight else 0)).decode()


def unpacked(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))


def read(path: pathlib.Path) -> dict:
    data = path.read_bytes()
    return json.loads(lzma.decompress(data) if path.suffix == ".xz" else data)


def write(path: pathlib.Path, document: dict) -> None:
    text = (json.dumps(document, indent=1, sort_keys=True) + "\n").encode()
    path.write_bytes(lzma.compress(text, preset=9 | lzma.PRESET_EXTREME) if path.suffix == ".xz" else text)


def shortened(form: Form, lanes: int) -> Form:
    """With at most so many lanes, in whole blocks; 0: with its own."""
    if lanes == 0 or form.name.startswith(WHOLE):
        return form
    return dataclasses.replace(form, lanes=min(form.lanes, max(form.block, lanes // form.block * form.block)))


@functools.lru_cache(maxsize=256)
def drawn(kind: str, lanes: int, which: int, seed: str) -> tuple[bytes, ...]:
    return tuple(draw.words(kind, lanes, f"{seed} {which}"))


def operands(form: Form, seed: str) -> bytes:
    return b"".join(column for which, kind in enumerate(form.inputs) for column in drawn(kind, form.lanes, which, seed))


def first_lanes(form: Form, data: bytes, lanes: int) -> bytes:
    """Of results of any number of lanes."""
    if form.name.startswith(WHOLE):
        return data
    column = len(data) // form.result_words
    return b"".join(data[at:at + min(column, 4 * lanes)] for at in range(0, len(data), column))


def cut(document: dict, forms: dict[str, Form], lanes: int) -> dict:
    """For a file that is compressed as a whole: results that many forms share are stored once if they are plain."""
    results = {name: packed(first_lanes(forms[name], unpacked(text), shortened(forms[name], lanes).lanes), tight=False)
               for name, text in document["results"].items() if not forms[name].name.startswith(WHOLE) or
               not forms[name].loose}
    return document | {"lanes": lanes, "results": results}


def first_difference(form: Form, seed: str, ours: bytes, theirs: bytes) -> tuple[int, str]:
    """How many words differ, and the first of them with the operands of its lane."""
    a, b = memoryview(ours).cast("I"), memoryview(theirs).cast("I")
    different = [at for at in range(len(a)) if a[at] != b[at]]
    if not different:
        return 0, ""
    at, lanes = different[0], len(a) // form.result_words
    given = memoryview(operands(dataclasses.replace(form, lanes=lanes), seed)).cast("I") if form.inputs else []
    of = " ".join(f"{given[j * lanes + at % lanes]:08x}" for j in range(form.words))
    return len(different), f"{len(different)} of {len(a)}; of {of}: {a[at]:08x}, not {b[at]:08x}"


def lines_beside(ours: dict, theirs: dict, forms: dict[str, Form], counts: collections.Counter) -> list[str]:
    """A line for each form that only one side executes, or in which they differ."""
    lines = []
    counts["refused by both"] += len(ours["refused"].keys() & theirs["refused"].keys())
    for name in sorted(ours["refused"].keys() - theirs["refused"].keys() - theirs["results"].keys()):
        counts["refused on one side"] += 1
        lines.append(f"REFUSED   {name}: ours: {ours['refused'][name]}")
    for name in sorted(ours["results"].keys() | theirs["results"].keys()):
        form = forms[name]
        missing = next((which for which in (ours, theirs) if name not in which["results"]), None)
        if missing is not None:
            why = missing["refused"].get(name, "not asked")
            kind = "refused on one side" if name in missing["refused"] else "asked on one side"
            counts[kind] += 1
            lines.append(f"{kind.split()[0].upper():9} {name}: {'ours' if missing is ours else 'theirs'}: {why}")
            continue
        both = [unpacked(side["results"][name]) for side in (ours, theirs)]
        lanes = min(map(len, both)) // 4 // form.result_words
        count, example = first_difference(form, theirs["seed"], *(first_lanes(form, data, lanes) for data in both))
        kind = "equal" if count == 0 else "loose" if form.loose else "different"
        counts[kind] += 1
        if count:
            lines.append(f"{kind.upper():9} {name}: {example}")
    return lines
