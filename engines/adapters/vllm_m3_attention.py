# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""vLLM's indexer and block-sparse attention of MiniMax-M3 as its Triton implementation classes run them, with the
shared buffer of block lists that its model allocates, on the operands that a golden recorded.

options: on=interpreter|machine"""

from __future__ import annotations

import ast
import pathlib
import types

import capture as captures
import packages
from registry import Bug, Engine, Note, Run

M3 = "vllm/models/minimax_m3/"
FILES = [M3 + "common/indexer.py", M3 + "common/sparse_attention.py", M3 + "common/ops/index_topk.py",
         M3 + "common/ops/sparse_attn.py"]
PAGE = 128  # tokens of a page, and of a block
CONTEXT = types.SimpleNamespace(attn_metadata={})


def buffer_of(release: pathlib.Path, tokens: int, heads: int, config: dict):
    """The shared buffer of block lists, allocated by the expression that the release's model holds."""
    import torch

    tree = ast.parse((release / M3 / "nvidia/model.py").read_text(encoding="utf-8"))
    made = [node.value for node in ast.walk(tree) if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
            and ast.unparse(node.targets[0]) == "self.topk_indices_buffer"]
    known = {"torch": torch, "padded_num_tokens": (tokens + 3) // 4 * 4, "num_index_heads": heads, "sparse_cfg": config}
    return eval(compile(ast.Expression(made[0]), "model.py", "eval"), known)  # noqa: S307: the release's own expression


def paged(rows):
    """(B, S, ...) in pages that are out of order, and the table of each sequence."""
    import torch

    count = -(-rows.shape[1] // PAGE)
    order = torch.randperm(rows.shape[0] * count + 2, generator=torch.Generator().manual_seed(7))
    pool = torch.full((len(order), PAGE, *rows.shape[2:]), 3e4, dtype=rows.dtype)  # another request's values
    table = order[: rows.shape[0] * count].reshape(rows.shape[0], count).int()
    for b, sequence in enumerate(rows):
        for j in range(count):
            part = sequence[j * PAGE : (j + 1) * PAGE]
            pool[table[b, j].long(), : len(part)] = part
    return pool, table


def made(kind, **values):
    """An object of one of the release's dataclasses, with those values that it has."""
    found = object.__new__(kind)
    found.__dict__.update(values)
    return found


def sparse_call(golden, release, at: str, history: list, decode: bool) -> dict:
    """Indexer and attention of a layer and a call; history: keys, values and index keys of all tokens, (B, S, ...)."""
    import torch
    from vllm.models.minimax_m3.common import indexer, sparse_attention
    from vllm.models.minimax_m3.common.ops import sparse_attn

    c, s = golden.config, golden.config["sparse_attention_config"]
    heads, topk = s["sparse_num_index_heads"], s["sparse_topk_blocks"]
    queries, index_q = golden.get(at + "q_rope/out"), golden.get(at + "indexer/q_rope/out")
    batch, _, count, width = queries.shape
    keys, values, index_keys = history
    total, flat = keys.shape[1], lambda x: x.transpose(1, 2).reshape(batch * count, -1).contiguous()
    cache, table = paged(torch.cat([keys, values], -1))
    lengths = torch.full((batch,), total, dtype=torch.int32)
    begin = torch.arange(0, batch * count + 1, count, dtype=torch.int32)
    part = dict(cu_seqlens_q=begin, seq_lens=lengths, context_lens=lengths - count, block_table=table,
                max_query_len=count, max_seq_len=total, decode_query_len=count, max_decode_query_len=count)
    whole = dict(num_actual_tokens=batch * count, num_decodes=batch * decode, num_decode_tokens=batch * count * decode,
                 num_prefills=batch * (not decode), decode=types.SimpleNamespace(**part),
                 prefill=types.SimpleNamespace(**part))
    CONTEXT.attn_metadata = {"index": made(indexer.MiniMaxM3IndexerMetadata, **whole),
                             "main": made(sparse_attention.MiniMaxM3SparseMetadata, **whole)}
    buffer, read = buffer_of(release, batch * count, heads, s), []

    def noting(kernel):  # what the attention reads as lists, by the strides that it is given
        def run(q, kv, lists, *rest, **options):
            shape, strides = (heads, batch * count, topk), lists.stride()
            inside = sum((n - 1) * m for n, m in zip(shape, strides)) + lists.storage_offset() < buffer.numel()
            read.append(torch.as_strided(lists, shape, strides, lists.storage_offset()).clone() if inside else None)
            return kernel(q, kv, lists, *rest, **options)

        return run

    kernels = {name: getattr(sparse_attn, name) for name in ("minimax_m3_sparse_attn", "minimax_m3_sparse_attn_decode")}
    vars(sparse_attention).update({name: noting(kernel) for name, kernel in kernels.items()})
    this = types.SimpleNamespace(
        index_cache=types.SimpleNamespace(prefix="index", kv_cache=paged(index_keys)[0]), topk_indices_buffer=buffer,
        num_index_heads=heads, index_head_dim=s["sparse_index_dim"], topk_blocks=topk,
        init_blocks=s["sparse_init_block"], local_blocks=s["sparse_local_block"], num_kv_heads=c["num_key_value_heads"])
    indexer.MiniMaxM3IndexerTritonImpl.forward(this, flat(index_q))
    out = torch.empty(batch * count, c["num_attention_heads"] * width, dtype=queries.dtype)
    this = types.SimpleNamespace(num_heads=c["num_attention_heads"], head_size=width, scale=width**-0.5,
                                 use_fp8_kv=False, num_kv_heads=c["num_key_value_heads"])
    layer = types.SimpleNamespace(layer_name="main", topk_indices_buffer=buffer)
    by_head = cache.transpose(1, 2).contiguous()
    sparse_attention.MiniMaxM3SparseTritonImpl.forward(this, layer, flat(queries), by_head, out)
    taps = {"core/out": out.float().numpy()}
    if read[-1] is not None:
        taps["indexer/block_indices"] = read[-1].reshape(heads, batch, count, topk).transpose(0, 1).numpy()
    return taps


def sparse(golden, capture, release: pathlib.Path) -> None:
    import torch

    layers = golden.config["sparse_attention_config"]["sparse_attention_freq"]
    capture.state(ids_order="set")
    for i in (i for i, on in enumerate(layers) if on):
        history = None
        for prefix, kind in golden.calls():
            at = f"{prefix}text/layers/{i:02d}/attention/"
            keys = golden.get(at + "k_rope/out").transpose(1, 2)
            new = [keys, golden.get(at + "v_proj/out").reshape(keys.shape), golden.get(at + "indexer/k_rope/out")[:, 0]]
            history = [torch.cat(pair, 1) for pair in zip(history, new)] if history else new
            for tap, value in sparse_call(golden, release, at, history, kind == "decode").items():
                capture.put(at + tap, value)


def fill(capture, checkpoint: pathlib.Path, options: dict) -> None:
    import triton_host

    triton_host.start(options["on"])
    from inputs import Golden

    triton_host.release("vllm", options["release"], FILES,
                        {"vllm.forward_context": {"get_forward_context": lambda: CONTEXT}})
    from vllm.models.minimax_m3.common.ops import index_topk, sparse_attn

    for module in (index_topk, sparse_attn):
        triton_host.smallest(module)
    sparse(Golden(checkpoint), capture, packages.fetch("vllm", options["release"]))


def run_of(version: str, on: str, triton: str = "3.9.0") -> Run:
    return Run(version, "m3-block128-bf16", (f"triton={triton}", f"on={on}"), inputs="golden",
               only=("*/layers/01/attention/core/out", "*/indexer/block_indices"))


ENGINE = Engine(
    name="vllm-m3-attention", pip=("triton=={triton}", "einops", "pip"), torch=True,
    options={"triton": (), "on": ("interpreter", "machine")},
    runs=(run_of(packages.version_of("vllm"), "machine"),),
    bugs=(
        Bug("key block lists are allocated by token, but written and read by head", "index_select", "shifted",
            run_of("0.26.0", "machine", "3.6.0"), run_of("0.27.0", "machine", "3.6.0"),
            "https://github.com/vllm-project/vllm/issues/48603"),
    ),
)

if __name__ == "__main__":
    given = captures.arguments(__doc__, ENGINE.options)
    with captures.Capture(given.capture, "vllm") as opened:
        fill(opened, given.checkpoint, given.options)
