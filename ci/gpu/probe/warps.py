# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Forms of a warp or a warpgroup: shuffles, votes, matrices. Source: PTX ISA 9.0, sections 9.7.13 to 9.7.15."""
from __future__ import annotations

import dataclasses

from forms import Form

FULL = "0xffffffff"


def exchanges() -> list[Form]:
    found = [Form(f"shfl.sync.{way}.b32 clamp {clamp}", ("b32", "small"), ("b32", "pred"),
                  f"shfl.sync.{way}.b32 o0|o1, i0, i1, {clamp}, {FULL};")
             for way in ("up", "down", "bfly", "idx") for clamp in (0, 31, 0x181F, 0x1C07, 0x1C00)]
    found += [Form(f"vote.sync.{how} {test} {bound}", ("smallx8",), ("pred",),
                   f"setp.{test} p0, i0, {bound}; vote.sync.{how}.pred o0, p0, {FULL};")
              for how in ("all", "any", "uni") for test, bound in (("lt.u32", 4), ("lt.u32", 8), ("gt.u32", 8))]
    found.append(Form("vote.sync.ballot.b32", ("b32", "b32"), ("b32",),
                      f"setp.lt.s32 p0, i0, i1; vote.sync.ballot.b32 o0, p0, {FULL};"))
    found += [Form("match.any.sync.b32", ("smallx4",), ("b32",), f"match.any.sync.b32 o0, i0, {FULL};"),
              Form("match.all.sync.b32", ("smallx2",), ("b32", "pred"), f"match.all.sync.b32 o0|o1, i0, {FULL};"),
              Form("elect.sync", ("b32",), ("pred",), f"elect.sync _|o0, {FULL};")]
    found += [Form(f"redux.sync.{name}", ("b32",), ("b32",), f"redux.sync.{name} o0, i0, {FULL};")
              for name in ("add.s32", "add.u32", "min.s32", "min.u32", "max.s32", "max.u32", "and.b32", "or.b32",
                           "xor.b32")]
    found.append(Form("movmatrix.sync.aligned.m8n8.trans.b16", ("b32",), ("b32",),
                      "movmatrix.sync.aligned.m8n8.trans.b16 o0, i0;"))
    return found


def row_address(bytes_of_row: int = 16) -> str:
    """t0: the address of row (7 * lane) % 32 of the warp's own 32 rows."""
    return (f"mul.lo.u32 t0, %thread, 7; and.b32 t0, t0, 31; and.b32 t1, %thread, 96; add.u32 t0, t0, t1; "
            f"mad.lo.u32 t0, t0, {bytes_of_row}, %base;")


def matrix_moves() -> list[Form]:
    found = []
    for count, names in ((1, "{o0}"), (2, "{o0, o1}"), (4, "{o0, o1, o2, o3}")):
        for turned in ("", ".trans"):
            form = f"m8n8.x{count}{turned}.shared.b16"
            found.append(Form(f"ldmatrix.{form}", (), ("b32",) * count,
                              f"{row_address()} ldmatrix.sync.aligned.{form} {names}, [t0];", fill="b32", shared=2048))
            own = "mad.lo.u32 t2, %thread, 16, %base;"
            found.append(Form(f"stmatrix.{form}", ("b32",) * count, ("b32",) * 4,
                              f"{row_address()} stmatrix.sync.aligned.{form} [t0], {names.replace('o', 'i')}; "
                              f"bar.warp.sync {FULL}; {own} ld.shared.v4.b32 {{o0, o1, o2, o3}}, [t2];",
                              fill="b32", shared=2048))
    return found


# shape, type of a and b, type of sum -> registers of a, b and c; the drawn kind of a word.
MMA = [("m16n8k8", "f16", "f32", 2, 1, 4, "f16x2"), ("m16n8k16", "f16", "f32", 4, 2, 4, "f16x2"),
       ("m16n8k8", "f16", "f16", 2, 1, 2, "f16x2"), ("m16n8k16", "f16", "f16", 4, 2, 2, "f16x2"),
       ("m16n8k8", "bf16", "f32", 2, 1, 4, "bf16x2"), ("m16n8k16", "bf16", "f32", 4, 2, 4, "bf16x2"),
       ("m16n8k4", "tf32", "f32", 2, 1, 4, "tf32"), ("m16n8k8", "tf32", "f32", 4, 2, 4, "tf32"),
       ("m16n8k16", "e4m3", "f32", 2, 1, 4, "e4m3x4"), ("m16n8k32", "e4m3", "f32", 4, 2, 4, "e4m3x4"),
       ("m16n8k32", "e5m2", "f32", 4, 2, 4, "e5m2x4"), ("m16n8k32", "e4m3", "f16", 4, 2, 2, "e4m3x4"),
       ("m8n8k16", "s8", "s32", 1, 1, 2, "b8x4"), ("m16n8k16", "s8", "s32", 2, 1, 4, "b8x4"),
       ("m16n8k32", "s8", "s32", 4, 2, 4, "b8x4"), ("m16n8k32", "u8", "s32", 4, 2, 4, "b8x4"),
       ("m16n8k64", "s4", "s32", 4, 2, 4, "b32"), ("m16n8k256", "b1", "s32", 4, 2, 4, "b32")]


def listed(letter: str, first: int, count: int) -> str:
    return "{" + ", ".join(f"{letter}{first + at}" for at in range(count)) + "}"


def sums() -> list[Form]:
    """Of drawn numbers of like size (calm), and of all sizes with infinities and NaN (wild); of integers once."""
    found = []
    for shape, kind, total, a, b, c, word in MMA:
        lead = ".satfinite" if kind in ("s8", "u8", "s4") else ""
        tail = ".xor.popc" if kind == "b1" else ""
        text = (f"mma.sync.aligned.{shape}.row.col{lead}.{total}.{kind}.{kind}.{total}{tail} "
                f"{listed('o', 0, c)}, {listed('i', 0, a)}, {listed('i', a, b)}, {listed('i', a + b, c)};")
        added = {"s32": "b32", "f32": "f32", "f16": "f16x2"}[total]
        for suffix, draw in (("", ""),) if total == "s32" else ((" calm", "calm-"), (" wild", "")):
            found.append(Form(f"mma.{shape}.{total}.{kind}{suffix}", (draw + word,) * (a + b) + (draw + added,) * c,
                              ("b32",) * c, text, lanes=1024))
    double = [("m8n8k4", 1, 1, 2), ("m16n8k4", 2, 1, 4), ("m16n8k8", 4, 2, 4), ("m16n8k16", 8, 4, 4)]
    for shape, a, b, c in double:
        found.append(Form(f"mma.{shape}.f64", ("calm-f64",) * (a + b + c), ("f64",) * c,
                          f"mma.sync.aligned.{shape}.row.col.f64.f64.f64.f64 {listed('o', 0, c)}, {listed('i', 0, a)}, "
                          f"{listed('i', a, b)}, {listed('i', a + b, c)};", lanes=512))
    return found


def described(register: str, offset: int, swizzle: int, leading: int, stride: int) -> str:
    """A descriptor of wgmma for the shared memory from `offset`. Source: PTX ISA 9.7.15.5.1."""
    constant = (leading >> 4) << 16 | (stride >> 4) << 32 | swizzle << 62
    return (f"add.u32 t0, %base, {offset}; and.b32 t0, t0, 0x3ffff; shr.u32 t0, t0, 4; cvt.u64.u32 {register}, t0; "
            f"or.b64 {register}, {register}, {constant if constant < 1 << 63 else constant - (1 << 64)};")


# swizzle -> what stands in the descriptor, leading and stride offsets that fit tiles of 64 rows.
LAYOUTS = {"none": (0, 128, 256), "spread": (0, 2048, 128), "128": (1, 16, 1024), "64": (2, 16, 512), "32": (3, 16, 256)}
# type -> k of an instruction, drawn kind, whether a and b may be turned.
WGMMA = {"bf16": (16, "calm-bf16x2", True), "f16": (16, "calm-f16x2", True), "tf32": (8, "calm-tf32", False),
         "e4m3": (32, "calm-e4m3x4", False), "e5m2": (32, "calm-e5m2x4", False), "s8": (32, "b8x4", False)}


@dataclasses.dataclass(frozen=True)
class Group:
    """What a form of wgmma multiplies, and what it adds to: `start` is 1, or the drawn kind of the first sums."""

    kind: str
    n: int = 32
    layout: str = "128"
    turned: tuple[int, int] = (0, 0)
    step: int = 0  # of 32 bytes, in the descriptors
    from_registers: bool = False
    start: str = "1"
    wild: bool = False

    @property
    def name(self) -> str:
        start = "" if self.start == "1" else f" on {self.start}"
        return (f"wgmma.m64n{self.n}k{WGMMA[self.kind][0]}.{self.kind} {self.layout} {self.turned[0]}{self.turned[1]} "
                f"+{self.step}{' registers' if self.from_registers else ''}{start}{' wild' if self.wild else ''}")


def wgmma(of: Group) -> Form:
    k, drawn, turns = WGMMA[of.kind]
    drawn = drawn.removeprefix("calm-") if of.wild else drawn
    whole, given, count = of.kind == "s8", 4 if of.from_registers else 0, of.n // 2
    swizzle, leading, stride = LAYOUTS[of.layout]
    turned = of.turned[1:] if of.from_registers else of.turned
    scales = "" if whole else ", ".join(["", "1", "1", *map(str, turned if turns else ())])
    one = [f"mov.b32 o{at}, {at};" if whole else f"mov.b32 o{at}, 0f3f800000;" for at in range(count)]
    other = [f"mov.b32 o{at}, i{given + at};" for at in range(count)]
    text = (f"{' '.join(one if of.start == '1' else other)} {described('q0', 32 * of.step, swizzle, leading, stride)} "
            f"{described('q1', 16384 + 32 * of.step, swizzle, leading, stride)} setp.eq.u32 p0, 0, 0; "
            f"wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n{of.n}k{k}.{'s32' if whole else 'f32'}.{of.kind}."
            f"{of.kind} {listed('o', 0, count)}, {listed('i', 0, 4) if of.from_registers else 'q0'}, q1, p0{scales}; "
            f"wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;")
    return Form(of.name, (drawn,) * given + (() if of.start == "1" else (of.start,) * count), ("b32",) * count, text,
                lanes=128 if of.start == "1" else 512, fill=drawn, shared=45056)


def warpgroups() -> list[Form]:
    found = []
    for kind in WGMMA:
        for layout in LAYOUTS:
            steps = (0,) if layout in ("none", "spread") else (0, 1)
            found += [Group(kind, layout=layout, step=step) for step in steps]
        found += [Group(kind, n=128), Group(kind, n=64, from_registers=True)]
        if WGMMA[kind][2]:
            found += [Group(kind, layout=layout, turned=turned) for layout in LAYOUTS
                      for turned in ((1, 0), (0, 1), (1, 1))]
        if kind != "s8":
            found += [Group(kind, start=start, wild=wild) for start, wild in
                      (("calm-f32", False), ("f32", False), ("f32", True), ("calm-f32", True))]
    return [wgmma(of) for of in found]


def whole_fragments() -> list[Form]:
    """wmma from and to shared memory: which lane holds which element is nobody's business."""
    found = []
    for kind, shape, total in (("f16", "m16n16k16", "f32"), ("f16", "m16n16k16", "f16"), ("bf16", "m16n16k16", "f32"),
                               ("tf32", "m16n16k8", "f32")):
        factor, sums = {"f16": 8, "bf16": 4, "tf32": 4}[kind], 8 if total == "f32" else 4
        a, b, c = (f"{{{', '.join(f'{name}{at}' for at in range(n))}}}" for name, n in
                   (("a", factor), ("b", factor), ("c", sums)))
        types = f"{total}.{total}" if kind == "f16" else f"f32.{kind}.{kind}.f32"
        text = (f".reg .b32 a<{factor}>, b<{factor}>, c<{sums}>; wmma.load.a.sync.aligned.row.{shape}.shared.{kind} {a}, "
                f"[%base], 16; add.u32 t0, %base, 1024; wmma.load.b.sync.aligned.col.{shape}.shared.{kind} {b}, [t0], 16; "
                f"add.u32 t0, %base, 2048; wmma.load.c.sync.aligned.row.{shape}.shared.{total} {c}, [t0], 16; "
                f"wmma.mma.sync.aligned.row.col.{shape}.{types} {c}, {a}, {b}, {c}; add.u32 t0, %base, 3072; "
                f"bar.warp.sync {FULL}; wmma.store.d.sync.aligned.row.{shape}.shared.{total} [t0], {c}, 16; "
                f"bar.warp.sync {FULL}; shl.b32 t1, %thread, 5; add.u32 t0, t0, t1; ld.shared.v4.b32 {{o0, o1, o2, o3}}, "
                "[t0];")
        found.append(Form(f"wmma.{shape}.{kind}.{total}", (), ("b32",) * 4, text, lanes=32, block=32,
                          fill=f"calm-{kind}x2" if kind != "tf32" else "calm-tf32", shared=4096))
    return found


def forms() -> list[Form]:
    return [*exchanges(), *matrix_moves(), *sums(), *warpgroups(), *whole_fragments()]
