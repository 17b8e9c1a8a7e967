# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Forms that take every number of a format: a sum over all f32 of each sign and exponent, or all results of 16 bits."""
from __future__ import annotations

import struct
import zlib

from forms import Form

OF_SINGLE = """
rcp.rn.f32 f32|rcp.rn.ftz.f32 f32|sqrt.rn.f32 f32|sqrt.rn.ftz.f32 f32|abs.ftz.f32 f32|cvt.rn.f16.f32 f16
cvt.rz.f16.f32 f16|cvt.rn.bf16.f32 bf16|cvt.rz.bf16.f32 bf16|cvt.rna.tf32.f32 b32|cvt.rn.tf32.f32 b32
cvt.rni.f32.f32 f32|cvt.rzi.f32.f32 f32|cvt.rmi.f32.f32 f32|cvt.rpi.f32.f32 f32|cvt.rni.s32.f32 b32|cvt.rzi.u32.f32 b32
cvt.rzi.s16.f32 b16|cvt.rpi.u8.f32 b32|cvt.sat.f32.f32 f32|cvt.rn.satfinite.e4m3x2.f32 b16|cvt.rn.satfinite.e5m2x2.f32 b16
"""
OF_HALF = ["ex2.approx.f16 f16 f16", "tanh.approx.f16 f16 f16", "ex2.approx.ftz.bf16 bf16 bf16",
           "tanh.approx.bf16 bf16 bf16"]
LANES, BINS = 1 << 16, 512


def of_single(name: str, kind: str) -> Form:
    """Lane L hashes the results of the inputs 65536 L to 65536 L + 65535."""
    two = "x2." in name
    short = kind in ("f16", "bf16", "b16")
    result = "h0" if short else "t3"
    text = (f"shl.b32 t0, %lane, 16; mov.u32 t1, 0; mov.u32 t2, 0; EVERY: {name} {result}, t0{', t0' if two else ''}; "
            f"{'cvt.u32.u16 t3, h0; ' if short else ''}mad.lo.u32 t2, t2, 0x9E3779B1, t3; add.u32 t0, t0, 1; "
            f"add.u32 t1, t1, 1; setp.lt.u32 p0, t1, 65536; @p0 bra EVERY; mov.b32 o0, t2;")
    return Form(f"every f32: {name}", (), ("b32",), text, lanes=LANES)


def of_half(line: str) -> Form:
    name, result, operand = line.split()
    return Form(f"every {operand}: {name}", (), (result,), f"cvt.u16.u32 h0, %lane; {name} o0, h0;", lanes=LANES,
                loose="approximate")


def folded(data: bytes) -> bytes:
    """One word for each sign and exponent, of 128 lanes."""
    step = len(data) // BINS
    return struct.pack(f"<{BINS}I", *(zlib.crc32(data[step * at:step * (at + 1)]) for at in range(BINS)))


def forms() -> list[Form]:
    pairs = [item.split() for line in OF_SINGLE.split("\n") for item in line.split("|") if item.strip()]
    return [*(of_single(name, kind) for name, kind in pairs), *map(of_half, OF_HALF)]
