#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Shows how values of llama.cpp's nodes are laid out as the golden's taps."""
import unittest

import numpy as np
import registry  # noqa: F401: modules of this folder find each other
from ggml_layouts import arranged, values_of
from ggml_taps import Node, Part

NEEDS = ("numpy",)


def laid_out(layout: str, values: list, shape: tuple, tokens: int, scale: float = 1.0) -> list:
    return arranged(Part((), layout), [np.array(value) for value in values], shape, tokens, scale).tolist()


class Values(unittest.TestCase):
    def test_are_read_at_the_offset_in_the_type_and_extents_of_the_node(self):
        blob = np.array([9, 9, 1, 2, 3, 4, 5, 6], "<f2").tobytes()

        found = values_of(Node("0x1", "ADD", "f16", (1, 1, 2, 3), 4, "x", ()), blob)

        self.assertEqual((found.dtype, found.tolist()), (np.float16, [[[[1, 2, 3], [4, 5, 6]]]]))

    def test_are_refused_where_a_node_has_none_or_of_an_unknown_type(self):
        for kind, offset in (("f32", -1), ("q8_0", 0)):
            with self.assertRaisesRegex(SystemExit, f"x has values of type {kind}"):
                values_of(Node("0x1", "VIEW", kind, (1, 1, 1, 1), offset, "x", ()), b"")


class Layouts(unittest.TestCase):
    def test_rows_are_as_they_are(self):
        self.assertEqual(laid_out("rows", [[[1, 2], [3, 4]]], (1, 2, 2), 2, 4.0), [[1, 2], [3, 4]])

    def test_scaled_rows_are_divided_by_the_scale(self):
        self.assertEqual(laid_out("scaled", [[[2.0, -4.0]]], (1, 1, 2), 1, 2.0), [[1.0, -2.0]])

    def test_joined_parts_follow_each_other_in_each_row(self):
        gate, up = [[1, 2], [3, 4]], [[5, 6], [7, 8]]  # (N, I) each

        self.assertEqual(laid_out("joined", [gate, up], (1, 2, 4), 2), [[1, 2, 5, 6], [3, 4, 7, 8]])

    def test_heads_come_before_tokens_in_each_sequence(self):
        rows = [[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[9, 10], [11, 12]],
                [[-1, -2], [-3, -4]], [[-5, -6], [-7, -8]], [[-9, -10], [-11, -12]]]  # (B * S, heads, D)

        self.assertEqual(laid_out("heads", [rows], (2, 2, 3, 2), 3), [
            [[[1, 2], [5, 6], [9, 10]], [[3, 4], [7, 8], [11, 12]]],
            [[[-1, -2], [-5, -6], [-9, -10]], [[-3, -4], [-7, -8], [-11, -12]]]])

    def test_a_cache_loses_slots_that_are_not_in_use(self):
        slots = [[1, 2], [3, 4], [0, 0], [5, 6], [7, 8], [0, 0]]  # (B * slots, heads * D)

        self.assertEqual(laid_out("cache", [slots], (2, 2, 2, 1), 2),
                         [[[[1], [3]], [[2], [4]]], [[[5], [7]], [[6], [8]]]])

    def test_a_transposed_cache_has_a_row_for_each_element_of_a_head(self):
        slots = [1, 3, 0, 2, 4, 0, 5, 7, 0, 6, 8, 0]  # (B, heads, D, slots)

        self.assertEqual(laid_out("transposed cache", [slots], (2, 1, 2, 2), 2),
                         [[[[1, 2], [3, 4]]], [[[5, 6], [7, 8]]]])

    def test_no_other_layout_is_accepted(self):
        with self.assertRaisesRegex(ValueError, "no layout is called row"):
            laid_out("row", [[1]], (1, 1), 1)


class Blocks(unittest.TestCase):
    def test_of_all_sequences_are_kept_with_heads_before_tokens(self):
        first = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]  # (tokens, heads, blocks) of one sequence
        second = [[[11, 12], [13, 14]], [[15, 16], [17, 18]]]

        self.assertEqual(laid_out("blocks", [first, second], (2, 2, 2, 2), 2), [
            [[[1, 2], [5, 6]], [[3, 4], [7, 8]]], [[[11, 12], [15, 16]], [[13, 14], [17, 18]]]])

    def test_of_one_node_for_all_sequences_are_kept(self):
        both = [[[1, 2]], [[3, 4]]]  # (B * tokens, heads, blocks)

        self.assertEqual(laid_out("blocks", [both], (2, 1, 1, 2), 1), [[[[1, 2]]], [[[3, 4]]]])

    def test_lose_those_for_which_the_cache_has_room(self):
        self.assertEqual(laid_out("blocks", [[[[[5.0, 6.0, 0.0]]]]], (1, 1, 1, 2), 1), [[[[5.0, 6.0]]]])

    def test_chosen_without_a_visible_key_come_last_as_minus_one(self):
        ids, scores = [[[[0, 1, 2]]]], [[[[5.0, -3.5e38, -7.0]]]]  # (1, tokens, heads, blocks)

        self.assertEqual(laid_out("chosen", [ids, scores], (1, 1, 1, 4), 1), [[[[0, 2, -1, -1]]]])

    def test_chosen_in_each_sequence_follow_its_own_scores(self):
        ids, scores = ([[[2, 0]]], [[[1, 2]]]), ([[[5.0, 1.0, -3.5e38]]], [[[-3.5e38, 5.0, 1.0]]])  # of two sequences

        self.assertEqual(laid_out("chosen", [*ids, *scores], (2, 1, 1, 2), 1), [[[[0, -1]]], [[[1, 2]]]])


if __name__ == "__main__":
    unittest.main()
