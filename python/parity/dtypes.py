# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Element types: which numpy has, the bits of those that it has not, and rounding to bf16."""

from __future__ import annotations

import numpy as np

# Types that numpy has not, by the integers that hold their bits.
BITS = {"bf16": np.uint16, "e4m3fn": np.uint8, "e5m2": np.uint8}
PLAIN = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "i64": np.int64,
    "i32": np.int32,
    "u8": np.uint8,
    "bool": np.bool_,
}
ML_NAMES = {"bf16": "bfloat16", "e4m3fn": "float8_e4m3fn", "e5m2": "float8_e5m2"}


class Bits:
    """Numbers of a type that numpy has not, as their bits."""

    def __init__(self, bits: np.ndarray, dtype: str):
        self.bits, self.dtype = bits, dtype

    def values(self) -> np.ndarray:
        """The same numbers, exactly, as binary32."""
        return bf16_values(self.bits) if self.dtype == "bf16" else self.bits.view(typed(self.dtype)).astype(np.float32)


def stored(dtype: str):
    """numpy's type of the same bytes."""
    return np.dtype(BITS.get(dtype) or PLAIN[dtype])


def typed(dtype: str):
    """numpy's type of the same numbers: of ml_dtypes where numpy has none. Raises ImportError."""
    if dtype in PLAIN:
        return np.dtype(PLAIN[dtype])
    try:
        import ml_dtypes
    except ImportError:
        raise ImportError(
            f"numpy has no {dtype}: pip install ml_dtypes, or declare types=['f32'], or arrays='torch'"
        ) from None
    return np.dtype(getattr(ml_dtypes, ML_NAMES[dtype]))


def bf16_bits(values: np.ndarray) -> np.ndarray:
    """The bits of numbers rounded to bf16: nearest, ties to even; NaN stays NaN."""
    wide = np.ascontiguousarray(values, np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        single = wide.astype(np.float32)
    # binary64 is rounded once: a binary32 number that lies between is moved to the side of the exact one (round to odd)
    bits = single.view(np.uint32)
    off = np.isfinite(single) & (single.astype(np.float64) != wide)
    too_large = off & (np.abs(single.astype(np.float64)) > np.abs(wide))
    bits = np.where(off, (bits - too_large) | 1, bits).astype(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(wide), np.uint16(0x7FC0), rounded)


def bf16_values(bits: np.ndarray) -> np.ndarray:
    """The binary32 numbers with these bits in front."""
    return (np.ascontiguousarray(bits).astype(np.uint32) << 16).view(np.float32)
