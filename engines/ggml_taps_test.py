#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Shows which nodes of made-up llama.cpp graphs become which taps."""
import unittest

import ggml_taps
from ggml_taps import Node


class Graph:
    """Nodes by id, in the order in which they are added."""

    def __init__(self):
        self.nodes: dict[str, Node] = {}

    def add(self, own: str, op: str, *sources: str, name: str = "", shape=(1, 1, 6, 8)) -> str:
        """`sources`: ids of nodes, or names of weights."""
        pairs = tuple((one, self.nodes[one].name if one in self.nodes else one) for one in sources)
        self.nodes[own] = Node(own, op, "f32", shape, 0, name, pairs)
        return own

    def taps(self) -> dict[str, tuple]:
        """tap -> (layout, ids of its nodes)"""
        return {tap: (part.layout, *(node.id for node in part.nodes))
                for tap, part in ggml_taps.taps_of(self.nodes).items()}


class Reading(unittest.TestCase):
    def test_gives_every_call_its_graph(self):
        text = ("0\t0x1\tMUL\tf32\t1,1,6,8\t0\tattn_norm-0\t0x9=norm-0\t0x8=blk.0.attn_norm.weight\n"
                "0\t0x2\tVIEW\tq8_0\t1,1,1,2\t-1\t\n1\t0x1\tADD\tf32\t1,1,1,8\t192\tl_out-0\n")

        first, second = ggml_taps.read_nodes(text)

        self.assertEqual(first["0x1"].sources, (("0x9", "norm-0"), ("0x8", "blk.0.attn_norm.weight")))
        self.assertEqual((first["0x2"].offset, first["0x2"].name), (-1, ""))
        self.assertEqual((second["0x1"].shape, second["0x1"].offset), ((1, 1, 1, 8), 192))

    def test_refuses_a_line_that_is_no_node(self):
        with self.assertRaisesRegex(ValueError, "line 2: not a node"):
            ggml_taps.read_nodes("0\t0x1\tMUL\tf32\t1,1,6,8\t0\tx\n0\t0x1\tMUL\n")

    def test_refuses_a_call_that_was_left_out(self):
        with self.assertRaisesRegex(ValueError, "line 1: not a node of this call or the next"):
            ggml_taps.read_nodes("1\t0x1\tMUL\tf32\t1,1,6,8\t0\tx\n")


class Taps(unittest.TestCase):
    def test_are_what_a_weight_makes_and_reads(self):
        graph = Graph()
        graph.add("norm", "MUL", "x", "blk.3.attn_norm.weight")
        graph.add("v", "MUL_MAT", "blk.3.attn_v.weight", "norm")
        graph.add("core", "CONT", "v")
        graph.add("o", "MUL_MAT", "blk.3.attn_output.weight", "core")

        at = "text/layers/03/"
        self.assertEqual(graph.taps(), {
            at + "input_norm/out": ("rows", "norm"), at + "attention/v_proj/out": ("rows", "v"),
            at + "attention/o_proj/out": ("rows", "o"), at + "attention/core/out": ("rows", "core")})

    def test_join_gate_and_up_in_this_order(self):
        graph = Graph()
        graph.add("up", "MUL_MAT", "blk.1.ffn_up_shexp.weight", "x")
        graph.add("gate", "MUL_MAT", "blk.1.ffn_gate_shexp.weight", "x")

        self.assertEqual(graph.taps(), {"text/layers/01/moe/shared/gate_up/out": ("joined", "gate", "up")})

    def test_follow_views_from_a_rotation_to_its_norm(self):
        graph = Graph()
        graph.add("norm", "MUL", "x", "blk.0.indexer.q_norm.weight")
        graph.add("view", "RESHAPE", "norm")
        graph.add("rope", "ROPE", "view", "positions")

        self.assertEqual(graph.taps()["text/layers/00/attention/indexer/q_rope/out"], ("heads", "rope"))

    def test_take_the_sum_with_the_shared_expert_only_where_there_are_experts(self):
        graph = Graph()
        graph.add("dense", "MUL_MAT", "w", "x", name="ffn_out-0")
        graph.add("experts", "ADD", "a", "b", name="ffn_moe_out-1")
        graph.add("sum", "ADD", "experts", "shared", name="ffn_out-1")
        graph.add("no shared", "ADD", "a", "b", name="ffn_moe_out-2")

        self.assertEqual(graph.taps(), {
            "text/layers/01/moe/experts/out": ("scaled", "experts"), "text/layers/01/moe/out": ("rows", "sum"),
            "text/layers/02/moe/experts/out": ("scaled", "no shared"), "text/layers/02/moe/out": ("rows", "no shared")})

    def test_have_chosen_blocks_of_every_sequence_with_their_scores(self):
        graph = Graph()
        for row in "01":
            graph.add("product" + row, "MUL_MAT", "keys", "queries")
            graph.add("masked" + row, "ADD", "product" + row, "mask")
            graph.add("scores" + row, "POOL_2D", "masked" + row, name="msa_bs-1")
            graph.add("forced" + row, "ADD", "scores" + row, "bias", name="msa_bsf-1")
            graph.add("ids" + row, "TOP_K", "forced" + row)

        at = "text/layers/01/attention/indexer/"
        self.assertEqual(graph.taps(), {at + "scores": ("blocks", "product0", "product1"),
                                        at + "block_scores": ("blocks", "scores0", "scores1"),
                                        at + "block_indices": ("chosen", "ids0", "ids1", "scores0", "scores1")})

    def test_tell_the_cache_of_index_keys_by_what_is_written(self):
        graph = Graph()
        for name in ("attn_k_norm", "indexer.k_norm"):
            graph.add(name, "MUL", "x", f"blk.1.{name}.weight")
            graph.add(name + " rope", "ROPE", name)
            graph.add(name + " cache", "SET_ROWS", name + " rope", "slots", name="cache_k_l1 (reshaped) (view)")
        graph.add("v cache", "SET_ROWS", "v", "slots", name="cache_v_l1 (view)", shape=(1, 1, 48, 1))

        found = {tap: part for tap, part in graph.taps().items() if "/cache/" in tap}
        self.assertEqual(found, {"text/layers/01/cache/k": ("cache", "attn_k_norm cache"),
                                 "text/layers/01/cache/index_k": ("cache", "indexer.k_norm cache"),
                                 "text/layers/01/cache/v": ("transposed cache", "v cache")})


if __name__ == "__main__":
    unittest.main()
