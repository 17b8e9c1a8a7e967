# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What a worker does with one call: operands by name, results by name, and calls that a kernel does not claim."""

import unittest

import numpy as np

import parity
from parity import functions, serving

NEEDS = ("numpy",)


def called(kernel, operands, params=None, **outputs):
    """Runs one call on binary32 operands (a tuple: a list of tensors); the outputs."""
    into = {name: np.full(shape, -7, np.float32) for name, shape in outputs.items()}
    several = {name: value if isinstance(value, tuple) else (value,) for name, value in operands.items()}
    serving.served(kernel).call(
        {name: [(np.asarray(one, np.float32), "f32") for one in found] for name, found in several.items()},
        params or {},
        {name: (array, "f32") for name, array in into.items()},
    )
    return into


def refused(words: str):
    return unittest.TestCase().assertRaisesRegex(functions.Refused, words)


class Calls(unittest.TestCase):
    def test_give_operands_and_parameters_by_name(self):
        mine = parity.kernel("rms_norm")(lambda weight, x, *, gain_offset: x * (gain_offset + weight))
        found = called(mine, {"x": [1, 2], "weight": [3, 4]}, {"eps": 0.0, "gain_offset": 1.0}, out=(2,))
        np.testing.assert_array_equal(found["out"], [4, 10])

    def test_give_infinity_for_the_null_of_json(self):
        mine = parity.kernel("swiglu")(lambda gate_up, *, limit: gate_up[..., :1] * 0 + (limit == np.inf))
        found = called(mine, {"gate_up": [[1, 2]]}, {"alpha": 1.0, "limit": None, "linear_offset": 0.0}, out=(1, 1))
        np.testing.assert_array_equal(found["out"], np.ones((1, 1)))

    def test_give_a_list_of_several_tensors(self):
        mine = parity.kernel("all_reduce")(lambda parts: sum(parts))
        found = called(mine, {"parts": ([1, 2], [3, 4])}, out=(2,))
        np.testing.assert_array_equal(found["out"], [4, 6])

    def test_take_results_as_one_as_a_tuple_and_as_a_dict(self):
        for result in ((1, 2), {"indices": 2, "weights": 1}, [1, 2]):
            self.assertEqual(set(serving.named_results(result, ["weights", "indices"])), {"weights", "indices"})
        for result in (None, (1, 2, 3), {"weights": 1}):
            with self.assertRaises(TypeError):
                serving.named_results(result, ["weights", "indices"])

    def test_give_contiguous_operands_unless_the_kernel_takes_any_layout(self):
        turned = np.asfortranarray(np.arange(4, dtype=np.float32).reshape(2, 2))
        for strided in (False, True):
            seen = []
            mine = parity.kernel("silu", strided=strided)(lambda x, seen=seen: seen.append(x.flags.c_contiguous) or x)
            np.testing.assert_array_equal(called(mine, {"x": turned}, out=(2, 2))["out"], turned)
            self.assertEqual(seen, [not strided])

    def test_refuse_results_of_another_shape(self):
        mine = parity.kernel("silu")(lambda x: x[:1])
        with self.assertRaisesRegex(ValueError, r"out has shape \(1,\); it has to be \(2,\)"):
            called(mine, {"x": [1, 2]}, out=(2,))

    def test_with_an_operand_that_the_kernel_does_not_take_are_left_out(self):
        mine = parity.kernel("attention_dense")(lambda q, k, v: v)
        with refused("takes no mask"):
            called(mine, {"q": 1, "k": 1, "v": 1, "mask": 1}, out=())

    def test_with_another_value_of_a_fixed_parameter_are_left_out(self):
        mine = parity.kernel("rms_norm", fixed={"gain_offset": 0.0})(lambda x, weight: x)
        with refused("gain_offset is fixed at 0.0"):
            called(mine, {"x": 1, "weight": 1}, {"gain_offset": 1.0}, out=())

    def test_for_an_optional_output_that_it_does_not_return_are_left_out(self):
        mine = parity.kernel("index_select")(lambda block_scores, positions: block_scores)
        with refused("returns no forced_scores"):
            called(mine, {"block_scores": 1, "positions": 1}, forced_scores=(), blocks=())


if __name__ == "__main__":
    unittest.main()
