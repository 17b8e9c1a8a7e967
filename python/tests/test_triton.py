# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A kernel of Triton is judged in Triton's interpreter."""

import unittest

import examples

NEEDS = ("numpy", "torch", "triton")


class Triton(unittest.TestCase):
    def test_is_judged_without_a_gpu(self):
        self.assertRegex(examples.said("swiglu_triton.py"), "PASS  0 of [0-9]+ cases failed")


if __name__ == "__main__":
    unittest.main()
