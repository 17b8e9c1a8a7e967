#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Shows which tensors of a GGUF file hold published weights, and that none is left out."""
import unittest

import ggml_weights


class Weights(unittest.TestCase):
    TABLE = {"model.norm.weight": "output_norm.weight",
             "model.layers.0.e_score_correction.bias": "blk.0.exp_probs_b.bias",
             "model.layers.0.experts.w2.weight": "blk.0.ffn_down_exps.weight"}

    def tensors(self, published: list[str], *more: str) -> dict:
        return ggml_weights.tensors_of(published, [*self.TABLE.values(), *more], self.TABLE.get)

    def test_are_found_by_the_spelling_of_the_converter_and_by_expert(self):
        prefix = "language_model.model."
        names = [f"{prefix}norm.weight", f"{prefix}layers.0.e_score_correction_bias",
                 *(f"{prefix}layers.0.experts.{expert}.w2.weight" for expert in (0, 11))]

        self.assertEqual(list(self.tensors(names).values()), [
            ("output_norm.weight", None), ("blk.0.exp_probs_b.bias", None), ("blk.0.ffn_down_exps.weight", 0),
            ("blk.0.ffn_down_exps.weight", 11)])

    def test_that_the_file_lacks_are_named(self):
        names = ["model.norm.weight", *(f"model.layers.{i}.x.weight" for i in range(8))]

        with self.assertRaisesRegex(SystemExit, r"lacks weights .*: model.layers.0.x.weight \(no name .* and 2 more$"):
            self.tensors(names)

    def test_that_only_the_file_has_are_named(self):
        names = ["model.norm.weight", "model.layers.0.e_score_correction_bias", "model.layers.0.experts.0.w2.weight"]

        with self.assertRaisesRegex(SystemExit, "are no weights of the checkpoint: blk.0.new.weight$"):
            self.tensors(names, "blk.0.new.weight")


if __name__ == "__main__":
    unittest.main()
