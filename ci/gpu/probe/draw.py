# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Words of 32 bits for operands: random bits, near numbers, and the numbers at which formats end."""
from __future__ import annotations

import random
import struct
import zlib

# Format -> bits of the exponent, bits of the fraction.
REAL = {"f64": (11, 52), "f32": (8, 23), "tf32": (8, 10), "bf16": (8, 7), "f16": (5, 10), "e5m2": (5, 2),
        "e4m3": (4, 3)}
INTEGER = {"b64": 64, "b32": 32, "b16": 16, "b8": 8}


def real(dice: random.Random, kind: str, calm: bool) -> int:
    """The code of a number. Calm: finite, of magnitude 2^-4 to 2^4, as weights and activations are."""
    exponent_bits, fraction_bits = REAL[kind]
    bias, most = (1 << (exponent_bits - 1)) - 1, (1 << exponent_bits) - 1
    fraction = dice.getrandbits(fraction_bits)
    way = 0.5 if calm else dice.random()
    if way < 0.4:
        exponent = dice.randrange(most + 1)
    elif way < 0.8:
        exponent = min(max(bias + dice.randint(-4, 4), 0), most - 1)
    else:
        exponent = dice.choice([0, 0, 1, bias, most - 1, most, most])
        fraction = dice.choice([0, 1, (1 << fraction_bits) - 1, 1 << (fraction_bits - 1), fraction])
    return dice.getrandbits(1) << (exponent_bits + fraction_bits) | exponent << fraction_bits | fraction


def integer(dice: random.Random, bits: int) -> int:
    way = dice.random()
    if way < 0.5:
        value = dice.getrandbits(bits)
    elif way < 0.8:
        value = dice.randint(-70, 70)
    else:
        value = (1 << dice.randrange(bits)) + dice.randint(-1, 1)
    return value & ((1 << bits) - 1)


def number(dice: random.Random, kind: str) -> int:
    """`calm-KIND`; `KINDxN`: N numbers, the first in the low bits."""
    calm = kind.startswith("calm-")
    name = kind.removeprefix("calm-")
    name, _, count = name.partition("x") if "x" in name else (name, "", "1")
    if name == "small":
        return dice.randrange(int(count) if count != "1" else 40)
    result = 0
    for at in range(int(count)):
        if name in REAL:
            code, width = real(dice, name, calm), 1 + sum(REAL[name])
            code, width = (code << 13, 32) if name == "tf32" else (code, width)
        else:
            code, width = integer(dice, INTEGER[name]), INTEGER[name]
        result |= code << (width * at)
    return result


def words(kind: str, lanes: int, seed: str) -> list[bytes]:
    """One or two columns of `lanes` words, low word first. The same seed gives the same columns everywhere."""
    dice = random.Random(zlib.crc32(f"{kind} {seed}".encode()))
    values = [number(dice, kind) for _ in range(lanes)]
    columns = 2 if kind.removeprefix("calm-") in ("f64", "b64") else 1
    return [struct.pack(f"<{lanes}I", *(value >> (32 * column) & 0xFFFFFFFF for value in values))
            for column in range(columns)]
