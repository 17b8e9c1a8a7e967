# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Forms of instructions whose results a GPU and the PTX machine are asked for: from patterns to PTX text.

A pattern is `opcode{,.choice}.type d a b | constants`. Each choice in braces gives a form of its own. The words after
the opcode are the types of the result and of the operands, as draw.py draws them. Constants follow the operands. `i0`, `i1`, … are the operands of a form, `o0`, `o1`, … its results."""
from __future__ import annotations

import dataclasses
import itertools
import re

WIDE = ("f64", "b64", "calm-f64")
HALF = ("f16", "bf16", "b16")  # registers of 16 bits, in the low half of a word


def words_of(kind: str) -> int:
    """Of 32 bits."""
    return 2 if kind in WIDE else 1


@dataclasses.dataclass(frozen=True)
class Form:
    """A piece of PTX with operands and results for each lane; the bytes of shared memory are drawn as `fill` says."""

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    text: str
    lanes: int = 2048
    block: int = 128
    fill: str = ""
    shared: int = 0  # bytes
    loose: str = ""  # why the bits need not be equal; empty: they must be

    @property
    def words(self) -> int:
        """Of 32 bits for each lane: operands."""
        return sum(map(words_of, self.inputs))

    @property
    def result_words(self) -> int:
        return sum(map(words_of, self.outputs))


def expanded(pattern: str) -> list[str]:
    """"a{,.b}{.c,.d}" -> a.c, a.d, a.b.c, a.b.d."""
    parts = [part.split(",") if at % 2 else [part] for at, part in enumerate(re.split(r"\{([^}]*)\}", pattern))]
    return ["".join(choice) for choice in itertools.product(*parts)]


def simple(patterns: str, loose: str = "") -> list[Form]:
    """The forms of several patterns, one a line."""
    found = []
    for line in filter(None, map(str.strip, patterns.splitlines())):
        for whole in expanded(line):
            name, _, constants = whole.partition("|")
            opcode, result, *operands = name.split()
            takes = [f"i{at}" for at in range(len(operands))] + constants.split()
            drawn = [kind for kind in operands if kind.startswith("small")]
            label = " ".join([opcode, *drawn, *constants.split()])
            found.append(Form(label, tuple(operands), (result,), f"{opcode} o0, {', '.join(takes)};", loose=loose))
    return found


def declared(name: str, kind: str) -> str:
    register = ".b64" if kind in WIDE else ".pred" if kind == "pred" else ".b16" if kind in HALF else ".b32"
    return f".reg {register} {name};"


def placed(letter: str, kinds: tuple[str, ...], lanes: int) -> list[tuple[str, str, int]]:
    """Name, kind and place of each operand or result: word j of a lane is at byte 4 * (j * lanes + lane)."""
    before = itertools.accumulate(map(words_of, kinds), initial=0)
    return [(f"{letter}{at}", kind, 4 * lanes * words) for (at, kind), words in zip(enumerate(kinds), before)]


def loaded(form: Form) -> list[str]:
    lines = []
    for name, kind, address in placed("i", form.inputs, form.lanes):
        if kind in WIDE:
            lines += [f"ld.global.b32 %lo, [%in+{address}];", f"ld.global.b32 %hi, [%in+{address + 4 * form.lanes}];",
                      f"mov.b64 {name}, {{%lo, %hi}};"]
        elif kind in HALF:
            lines += [f"ld.global.b32 %lo, [%in+{address}];", f"cvt.u16.u32 {name}, %lo;"]
        else:
            lines.append(f"ld.global.b32 {name}, [%in+{address}];")
    return lines


def stored(form: Form) -> list[str]:
    lines = []
    for name, kind, address in placed("o", form.outputs, form.lanes):
        if kind in WIDE:
            lines += [f"mov.b64 {{%lo, %hi}}, {name};", f"st.global.b32 [%out+{address}], %lo;",
                      f"st.global.b32 [%out+{address + 4 * form.lanes}], %hi;"]
        elif kind == "pred":
            lines += [f"selp.b32 %lo, 1, 0, {name};", f"st.global.b32 [%out+{address}], %lo;"]
        elif kind in HALF:
            lines += [f"cvt.u32.u16 %lo, {name};", f"st.global.b32 [%out+{address}], %lo;"]
        else:
            lines.append(f"st.global.b32 [%out+{address}], {name};")
    return lines


def filled(form: Form) -> list[str]:
    """Shared memory from the words at `fill`, the same for each block: word w by thread w % block."""
    if not form.shared:
        return []
    return ["mov.u32 %at, %tid.x;", "FILL:", "mul.wide.u32 %wide, %at, 4;", "add.u64 %wide, %fill, %wide;",
            "ld.global.b32 %lo, [%wide];", "shl.b32 %hi, %at, 2;", "add.u32 %hi, %hi, %base;",
            "st.shared.b32 [%hi], %lo;", f"add.u32 %at, %at, {form.block};",
            f"setp.lt.u32 %more, %at, {form.shared // 4};", "@%more bra FILL;", "fence.proxy.async.shared::cta;",
            "bar.sync 0;"]


def ptx(form: Form) -> str:
    """The whole module: kernel `probe` with the addresses in, out, fill and scratch (16 bytes for each lane)."""
    names = [declared(f"i{at}", kind) for at, kind in enumerate(form.inputs)]
    names += [declared(f"o{at}", kind) for at, kind in enumerate(form.outputs)]
    shared = [f".shared .align 1024 .b8 room[{form.shared}];", "mov.u32 %base, room;"] if form.shared else []
    body = [".reg .b64 %in, %out, %fill, %cell, %wide, q<4>;", ".reg .b32 %lo, %hi, %lane, %at, %base, %thread, t<8>;",
            ".reg .b16 h<4>;", ".reg .pred %more, p<4>;", *names, *shared[:1],
            "ld.param.u64 %in, [in];", "ld.param.u64 %out, [out];", "ld.param.u64 %fill, [fill];",
            "ld.param.u64 %cell, [scratch];", "mov.u32 %thread, %tid.x;", "mov.u32 %lane, %ctaid.x;",
            f"mad.lo.u32 %lane, %lane, {form.block}, %thread;", "mul.wide.u32 %wide, %lane, 4;",
            "add.u64 %in, %in, %wide;", "add.u64 %out, %out, %wide;", "mul.wide.u32 %wide, %lane, 16;",
            "add.u64 %cell, %cell, %wide;", *shared[1:], *filled(form), *loaded(form), form.text, *stored(form), "ret;"]
    parameters = ", ".join(f".param .u64 {name}" for name in ("in", "fill", "out", "scratch"))
    return (f".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry probe({parameters})\n"
            "{\n" + "\n".join(body) + "\n}\n")
