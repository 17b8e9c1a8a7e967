# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Operands reach a kernel unchanged, and results are rounded once."""

import unittest

import numpy as np

from parity import arrays, dtypes

NEEDS = ("numpy", "ml_dtypes")


class Rounding(unittest.TestCase):
    def nearest(self, values: np.ndarray) -> None:
        """Each bf16 number is no farther than its neighbours, and even where two are equally near."""
        bits = dtypes.bf16_bits(values)
        found, more, less = (dtypes.bf16_values(moved).astype(np.float64) for moved in (bits, bits + 1, bits - 1))
        here = (found != 0) & np.isfinite(found) & np.isfinite(more) & np.isfinite(less)
        error, others = np.abs(found - values), np.minimum(np.abs(more - values), np.abs(less - values))
        self.assertGreater(here.sum(), 100)
        self.assertTrue((error <= others)[here].all())
        self.assertTrue((bits[here & (error == others)] % 2 == 0).all())

    def test_to_bf16_is_to_the_nearest_with_ties_to_even(self):
        ties = ((np.arange(0x3F80, 0x4080, dtype=np.uint32) << 16) | 0x8000).view(np.float32).astype(np.float64)
        for values in (ties, -ties, np.random.default_rng(1).normal(size=10000)):
            self.nearest(values)

    def test_to_bf16_from_binary64_is_not_rounded_twice(self):
        ties = ((np.arange(0x3F80, 0x4080, dtype=np.uint32) << 16) | 0x8000).view(np.float32).astype(np.float64)
        for factor in (1 + 2.0**-40, 1 - 2.0**-40):
            self.nearest(ties * factor)

    def test_to_bf16_keeps_nan_infinities_and_the_sign_of_zero(self):
        found = dtypes.bf16_values(dtypes.bf16_bits(np.array([np.nan, np.inf, -np.inf, -0.0, 1e39, 1e-50])))
        np.testing.assert_array_equal(found, np.array([np.nan, np.inf, -np.inf, 0, np.inf, 0], np.float32))
        self.assertTrue(np.signbit(found[3]))

    def test_to_a_narrower_type_of_numpy_overflows_to_infinity(self):
        np.testing.assert_array_equal(arrays.taken([1e39, 1.0], "f32"), np.array([np.inf, 1], np.float32))

    def test_of_what_is_no_array_of_numbers_is_refused(self):
        for value in ("text", [object()], np.array([1j])):
            with self.assertRaises(TypeError):
                arrays.taken(value, "f32")


class Operands(unittest.TestCase):
    def test_share_the_memory(self):
        memory = np.arange(6, dtype=np.float32).reshape(2, 3)
        found = arrays.given(memory, "f32", "numpy")
        memory[1, 2] = 9
        self.assertEqual(found[1, 2], 9)

    def test_of_bf16_are_those_numbers(self):
        memory = np.array([0x3F80, 0xC000], np.uint16)
        found = arrays.given(memory, "bf16", "numpy")
        np.testing.assert_array_equal(found.astype(np.float32), [1, -2])
        np.testing.assert_array_equal(arrays.taken(found, "bf16"), memory)


if __name__ == "__main__":
    unittest.main()
