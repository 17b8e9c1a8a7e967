# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Operands and results of jax and mlx."""

import unittest

import examples
import mlx.core as mx
import numpy as np

from parity import arrays

NEEDS = ("numpy", "jax", "mlx")
BITS = np.array([0x3F80, 0xC000, 0x4040, 0], np.uint16)


class Others(unittest.TestCase):
    def test_have_bf16_of_their_own(self):
        for library in ("jax", "mlx"):
            with self.subTest(library):
                array = arrays.given(BITS, "bf16", library)
                self.assertIn("bfloat16", str(array.dtype))
                self.assertEqual(array.tolist(), [1, -2, 3, 0])
                np.testing.assert_array_equal(arrays.taken(array, "bf16"), BITS)
                np.testing.assert_array_equal(arrays.taken(array, "f32"), [1, -2, 3, 0])

    def test_of_jax_share_memory_that_may_only_be_read(self):
        memory = np.zeros(256 + 64, np.uint8)
        start = -memory.ctypes.data % 64
        values = memory[start : start + 256].view(np.float32)
        values.flags.writeable = False
        self.assertEqual(arrays.given(values, "f32", "jax").unsafe_buffer_pointer(), values.ctypes.data)

    def test_of_any_strides_are_the_same_numbers(self):
        grid = np.arange(64, dtype=np.float32).reshape(8, 8)
        for library in ("jax", "mlx"):
            for view in (grid[:, ::2], grid[::-1], grid.T, grid[:0]):
                np.testing.assert_array_equal(np.asarray(arrays.given(view, "f32", library)), view)

    def test_kernels_of_mlx_as_the_example_shows(self):
        self.assertRegex(examples.said("rms_norm_mlx.py"), "PASS  0 of [0-9]+ cases failed")

    def test_results_of_mlx_are_rounded_once(self):
        tie = mx.array([1 + 2.0**-8, 1 + 2.0**-7 + 2.0**-8])
        np.testing.assert_array_equal(arrays.taken(tie, "bf16"), [0x3F80, 0x3F82])


if __name__ == "__main__":
    unittest.main()
