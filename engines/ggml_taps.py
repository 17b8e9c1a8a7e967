# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Which nodes of llama.cpp's graphs are which taps: by the weight that a node reads, else by the name of the node.

adapters/llama_cpp_dump.cpp writes a line of nodes.txt for each node, with tabs between: call, id, operation, type,
extents (outermost first), offset in values.bin (-1: no values), name, and then ID=NAME of each operand. Needs no numpy,
so that the gate tests this file without the engine."""

from __future__ import annotations

import re
from dataclasses import dataclass

VIEWS = ("RESHAPE", "VIEW", "PERMUTE", "TRANSPOSE", "CONT")  # the values of their first operand
PRODUCTS = ("MUL", "MUL_MAT", "GET_ROWS")  # with the weight of a norm, of a projection, of the embedding
BY_WEIGHT = {  # what a product with this weight makes
    "attn_norm": "input_norm/out", "ffn_norm": "post_attention_norm/out",
    **{f"attn_{letter}": f"attention/{letter}_proj/out" for letter in "qkv"},
    **{f"attn_{letter}_norm": f"attention/{letter}_norm/out" for letter in "qk"},
    **{f"indexer.{x}_{part}": f"attention/indexer/{x}_{part}/out" for x in "qk" for part in ("proj", "norm")},
    "attn_output": "attention/o_proj/out", "ffn_gate_inp": "moe/router/logits",
    "ffn_down": "mlp/down/out", "ffn_down_shexp": "moe/shared/down/out",
}
HALVES = {"ffn_gate": "mlp/gate_up/out", "ffn_gate_shexp": "moe/shared/gate_up/out"}  # the other half: ffn_up
READ_WITH = {  # the operand that is multiplied by this weight
    "attn_output": "attention/core/out", "ffn_down": "mlp/activation/out",
    "ffn_down_shexp": "moe/shared/activation/out",
}
BY_NAME = {
    "ffn_inp": "attention_residual/out", "l_out": "out", "ffn_moe_probs": "moe/router/scores",
    "ffn_moe_probs_biased": "moe/router/choice", "ffn_moe_topk": "moe/router/indices",
    "ffn_moe_weights_norm": "moe/router/weights",
}
ENDS = {"token_embd.weight": "text/embed/out", "output_norm.weight": "text/final_norm/out",
        "output.weight": "text/lm_head/out"}
OF_LAYER = re.compile(r"blk\.(\d+)\.(.+)\.weight")
NAMED = re.compile(r"(\w+)-(\d+)")
CACHE = re.compile(r"cache_([kv])_l(\d+)\b.*")


@dataclass(frozen=True)
class Node:
    """A tensor that one operation of a graph computed; sources: (id, name) of its operands."""

    id: str
    op: str
    type: str
    shape: tuple[int, ...]
    offset: int
    name: str
    sources: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Part:
    """Where the values of a tap are: in these nodes, laid out as `layout` says (ggml_layouts.py)."""

    nodes: tuple[Node, ...]
    layout: str = "rows"


def read_nodes(text: str) -> list[dict[str, Node]]:
    """The graphs of all calls; a graph: id -> node, in the order of computation."""
    graphs: list[dict[str, Node]] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split("\t")
        if len(words) < 7 or not words[0].isdigit() or int(words[0]) > len(graphs):
            raise ValueError(f"nodes.txt, line {number}: not a node of this call or the next: {line!r}")
        call, own, op, kind, extents, offset, name, *sources = words
        if int(call) == len(graphs):
            graphs.append({})
        pairs = tuple(tuple(source.split("=", 1)) for source in sources)
        shape = tuple(int(extent) for extent in extents.split(","))
        graphs[int(call)][own] = Node(own, op, kind, shape, int(offset), name, pairs)
    return graphs


def made_from(node: Node, graph: dict[str, Node], found: dict[str, str]) -> str:
    """The tap that a node is a view of, or ""."""
    while node and node.id not in found and node.op in VIEWS:
        node = graph.get(node.sources[0][0])
    return found.get(node.id, "") if node else ""


def of_weights(graph: dict[str, Node]) -> dict[str, Part]:
    """Taps that a product with a weight makes or reads."""
    taps, products = {}, {}
    for node in graph.values():
        for position, (_, weight) in enumerate(node.sources if node.op in PRODUCTS else ()):
            if weight in ENDS:
                taps[ENDS[weight]] = Part((node,))
            match = OF_LAYER.fullmatch(weight)
            if not match:
                continue
            at, name = f"text/layers/{int(match[1]):02d}/", match[2]
            if name in BY_WEIGHT:
                taps[at + BY_WEIGHT[name]] = Part((node,))
            if name in READ_WITH:
                taps[at + READ_WITH[name]] = Part((graph[node.sources[1 - position][0]],))
            products[at, name] = node
    for (at, name), gate in products.items():
        if name in HALVES:
            taps[at + HALVES[name]] = Part((gate, products[at, name.replace("gate", "up")]), "joined")
    return taps


def of_names(graph: dict[str, Node]) -> dict[str, Part]:
    """Taps that the model's code names. `ffn_out` is the sum with the shared expert, where a layer has one."""
    taps: dict[str, Part] = {}
    for node in graph.values():
        match = NAMED.fullmatch(node.name)
        if not match:
            continue
        at, name = f"text/layers/{int(match[2]):02d}/", match[1]
        if name in BY_NAME:
            taps[at + BY_NAME[name]] = Part((node,))
        elif name == "ffn_moe_out":
            taps[at + "moe/experts/out"] = Part((node,), "scaled")
            taps.setdefault(at + "moe/out", Part((node,)))
        elif name == "ffn_out" and at + "moe/experts/out" in taps:
            taps[at + "moe/out"] = Part((node,))
    return taps


def of_rotations(graph: dict[str, Node], weights: dict[str, Part]) -> dict[str, Part]:
    """Queries and keys after the rotation: what ROPE makes of a norm's result."""
    norms = {part.nodes[0].id: tap for tap, part in weights.items() if tap.endswith("_norm/out")}
    taps = {}
    for node in graph.values():
        tap = made_from(graph.get(node.sources[0][0]), graph, norms) if node.op == "ROPE" else ""
        if tap:
            taps[tap.replace("_norm/", "_rope/")] = Part((node,), "heads")
    return taps


def product_of(node: Node | None, graph: dict[str, Node]) -> Node | None:
    """The matrix product whose values a node masks, or of which it takes maxima."""
    while node and node.op != "MUL_MAT":
        node = graph.get(node.sources[0][0])
    return node


def of_blocks(graph: dict[str, Node]) -> dict[str, Part]:
    """What the indexer computes: a node for each sequence in prefill, one for all of them in decoding."""
    scores: dict[str, list[Node]] = {}
    chosen: dict[str, list[Node]] = {}
    for node in graph.values():
        match = NAMED.fullmatch(node.name)
        if match and match[1] == "msa_bs":
            scores.setdefault(f"text/layers/{int(match[2]):02d}/", []).append(node)
        forced = graph.get(node.sources[0][0]) if node.op == "TOP_K" else None  # local blocks are raised before
        source = NAMED.fullmatch(forced.sources[0][1]) if forced else None
        if source and source[1] == "msa_bs":
            chosen.setdefault(f"text/layers/{int(source[2]):02d}/", []).append(node)
    taps = {}
    for at, nodes in scores.items():
        products = [product_of(node, graph) for node in nodes]
        taps[f"{at}attention/indexer/scores"] = Part(tuple(node for node in products if node), "blocks")
        taps[f"{at}attention/indexer/block_scores"] = Part(tuple(nodes), "blocks")
    return taps | {f"{at}attention/indexer/block_indices": Part((*nodes, *scores[at]), "chosen")
                   for at, nodes in chosen.items()}


def of_caches(graph: dict[str, Node], rotated: dict[str, Part]) -> dict[str, Part]:
    """The whole cache after the rows of a call were written; without flash attention, values lie transposed."""
    tap_of = {part.nodes[0].id: tap for tap, part in rotated.items()}
    taps = {}
    for node in graph.values():
        match = CACHE.fullmatch(node.name) if node.op == "SET_ROWS" else None
        if match:
            written = made_from(graph.get(node.sources[0][0]), graph, tap_of)
            name = "index_k" if "/indexer/" in written else match[1]
            layout = "cache" if node.shape[-1] > 1 else "transposed cache"
            taps[f"text/layers/{int(match[2]):02d}/cache/{name}"] = Part((node,), layout)
    return taps


def taps_of(graph: dict[str, Node]) -> dict[str, Part]:
    """tap without its call -> where its values are."""
    weights = of_weights(graph)
    rotated = of_rotations(graph, weights)
    return weights | of_names(graph) | rotated | of_blocks(graph) | of_caches(graph, rotated)
