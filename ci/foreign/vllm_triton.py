# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Triton kernels of vLLM: those of MiniMax models, and attention that others share."""
import torch
import triton
import triton.language as tl

import lightning
import packages
import stubs
from cases import case


class Platform:
    """The answers of a Hopper GPU without programmatic dependent launches."""

    def __getattr__(self, name):
        return lambda *arguments, **options: name == "is_cuda_alike"

    def fp8_dtype(self):
        return torch.float8_e4m3fn


M3, OPS, LAYERS = "vllm/models/minimax_m3/", "vllm/v1/attention/ops/", "vllm/model_executor/layers/"
FILES = [M3 + "common/ops/index_topk.py", M3 + "common/ops/sparse_attn.py", M3 + "amd/ops/gemma_rmsnorm.py",
         M3 + "amd/ops/swiglu_oai.py", LAYERS + "lightning_attn.py", LAYERS + "mamba/ops/layernorm_gated.py",
         OPS + "triton_merge_attn_states.py", OPS + "triton_prefill_attention.py", OPS + "triton_decode_attention.py"]
stubs.install("vllm", packages.fetch("vllm"), {file[:-3].replace("/", ".") for file in FILES}, {
    "vllm.platforms": {"current_platform": Platform()}, "vllm.triton_utils": {"tl": tl, "triton": triton},
    "vllm.utils.math_utils": {"round_up": lambda x, y: -(-x // y) * y, "RCP_LN2": 1.4426950408889634},
    "vllm.v1.attention.backends.utils": {"PAD_SLOT_ID": -1}})
BLOCK = 128


def smallest(module):
    """The module, with the last of each kernel's configurations: to compile all to measure none takes minutes."""
    for kernel in vars(module).values():
        while hasattr(kernel, "fn"):
            if isinstance(getattr(kernel, "configs", None), list):
                kernel.configs = kernel.configs[-1:]
            kernel = kernel.fn
    return module


def drawn(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape).to(dtype)


def int32(*values):
    return torch.tensor(values, dtype=torch.int32)


def attend(q, k, v, scale, mask=None):
    """(T, D), (S, D), (S, E) in binary64."""
    scores = q.double() @ k.double().T * scale
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(-1) @ v.double()


class Pages:
    """Two requests of 130 and 300 tokens; the last tokens are queries."""

    def __init__(self, queries=(3, 5), lengths=(130, 300), heads=2, dim=64):
        self.table = torch.tensor([[3, 0, 5], [1, 4, 2]], dtype=torch.int32)
        self.lengths, self.queries = int32(*lengths), queries
        self.prefix = int32(*(n - q for n, q in zip(lengths, queries)))
        self.begin = int32(0, queries[0], sum(queries))
        self.index_keys = drawn(6, BLOCK, dim)
        self.index_q = drawn(sum(queries), heads, dim)
        self.heads, self.dim, self.longest = heads, dim, max(lengths)

    def rows(self, cache, request):
        """The tokens of a request, in order, of a cache whose pages come first."""
        pages = [cache[page] for page in self.table[request]]
        return torch.cat(pages)[: self.lengths[request]]

    def scores(self):
        """(H, T, blocks): the largest product with a key of the block that the query sees."""
        want = torch.full((self.heads, sum(self.queries), 3), -torch.inf, dtype=torch.float64)
        for request, count in enumerate(self.queries):
            keys = self.rows(self.index_keys, request).double()
            for t in range(count):
                row, last = int(self.begin[request]) + t, int(self.prefix[request]) + t
                for block in range(last // BLOCK + 1):
                    seen = keys[block * BLOCK : min(last + 1, (block + 1) * BLOCK)]
                    want[:, row, block] = (self.index_q[row].double() @ seen.T).max(-1).values
        return want


@case("vllm", M3 + "common/ops/index_topk.py")
def m3_index_score():
    from vllm.models.minimax_m3.common.ops import index_topk as ops
    p = Pages()
    got = ops.minimax_m3_index_score(p.index_q, p.index_keys, p.table, p.begin, p.lengths, p.prefix, 5, 300, 2)
    want = p.scores()
    seen = torch.isfinite(want)
    return ((got[:, :, :3][seen], want[seen], 1e-4),)


@case("vllm", M3 + "common/ops/index_topk.py")
def m3_index_topk():
    from vllm.models.minimax_m3.common.ops import index_topk as ops
    begin, prefix = int32(0, 3, 8), int32(1400, 2000)
    score = torch.randn(2, 8, 32)
    got = smallest(ops).minimax_m3_index_topk(score, begin, prefix, 5, 8, 0, 1)
    want = torch.empty(2, 8, 8)
    for row in range(8):
        last = (1400 + row if row < 3 else 2000 + row - 3) // BLOCK
        s = score[:, row, : last + 1].clone()
        s[:, last] = torch.inf
        want[:, row] = s.topk(8).indices.sort(-1).values.float()
    return ((got.sort(-1).values.float(), want, 0),)


@case("vllm", M3 + "common/ops/index_topk.py")
def m3_index_decode():
    from vllm.models.minimax_m3.common.ops import index_topk as ops
    p = Pages(queries=(1, 1))
    got = smallest(ops).minimax_m3_index_decode(p.index_q, p.index_keys, p.table, p.lengths, 384, 2, 0, 1, 2, 1, 1)
    want = p.scores()
    want[:, 0, 1] = want[:, 1, 2] = torch.inf
    return ((got.sort(-1).values.float(), want.topk(2).indices.sort(-1).values.float(), 0),)


def sparse(decode):
    from vllm.models.minimax_m3.common.ops import sparse_attn as ops
    p = Pages(queries=(1, 1) if decode else (3, 5))
    total, heads, dim = sum(p.queries), 8, 64
    cache, q = drawn(6, 2, BLOCK, 2 * dim), drawn(total, heads, dim)
    top = torch.full((2, total, 16), -1, dtype=torch.int32)
    want = torch.empty(total, heads, dim, dtype=torch.float64)
    for request, count in enumerate(p.queries):
        rows = p.rows(cache.transpose(1, 2), request)  # (S, H, 2 D)
        for t in range(count):
            row, last = int(p.begin[request]) + t, int(p.prefix[request]) + t
            blocks = range(last // BLOCK, -1, -1)  # fewer than the limit: the kernel expects each that is visible
            top[:, row, : len(blocks)] = int32(*blocks)
            seen = [i for block in blocks for i in range(block * BLOCK, min(last + 1, (block + 1) * BLOCK))]
            for head in range(heads):
                kv = rows[seen, head // 4]
                want[row, head] = attend(q[row, head][None], kv[:, :dim], kv[:, dim:], 0.125)[0]
    out = torch.empty(total, heads, dim, dtype=torch.bfloat16)
    if decode:
        ops.minimax_m3_sparse_attn_decode(q, cache, top, p.table, p.lengths, 2, 0.125, out, 1)
    else:
        ops.minimax_m3_sparse_attn(q, cache, top, p.table, p.begin, p.lengths, p.prefix, 5, 2, 0.125, out)
    return ((out, want, 2e-2),)


@case("vllm", M3 + "common/ops/sparse_attn.py")
def m3_sparse_attention():
    return sparse(decode=False)


@case("vllm", M3 + "common/ops/sparse_attn.py")
def m3_sparse_attention_decode():
    return sparse(decode=True)


@case("vllm", M3 + "amd/ops/gemma_rmsnorm.py")
def m3_gemma_rms_norm():
    from vllm.models.minimax_m3.amd.ops import gemma_rmsnorm as ops
    x, r, w = drawn(5, 200), drawn(5, 200), drawn(200)
    norm = lambda t: t * torch.rsqrt((t * t).mean(-1, keepdim=True) + 1e-6) * (1 + w.double())
    got, total = ops.gemma_fused_add_rmsnorm(x, r, w, 1e-6)
    return ((ops.gemma_rmsnorm(x, w, 1e-6), norm(x.double()), 4e-2), (got, norm(x.double() + r.double()), 6e-2),
            (total, x.double() + r.double(), 2e-2))


@case("vllm", M3 + "amd/ops/swiglu_oai.py")
def m3_swiglu_oai():
    from vllm.models.minimax_m3.amd.ops import swiglu_oai as ops
    x = drawn(4, 600) * 4
    gate, up = x.double().chunk(2, -1)
    gate, up = gate.clamp(max=7.0), up.clamp(-7.0, 7.0)
    want = gate * torch.sigmoid(1.702 * gate) * (up + 1)
    return ((ops.swiglu_oai_split(x, 1.702, 1.0, 7.0), want, 0.2),)


@case("vllm", LAYERS + "lightning_attn.py")
def lightning_attention():
    from vllm.model_executor.layers import lightning_attn as ops
    return lightning.prefill(lambda q, k, v, decay: ops.lightning_attention(q, k, v, decay)[0])


@case("vllm", LAYERS + "lightning_attn.py")
def lightning_attention_decode():
    from vllm.model_executor.layers import lightning_attn as ops
    q, k, v = (drawn(3, 2, 1, 64, dtype=torch.float32) for _ in range(3))
    state, decay, slots = torch.randn(4, 2, 64, 64), torch.tensor([0.1, 0.5]), torch.tensor([2, 0, 3])
    old = state[slots].double() * torch.exp(-decay.double())[:, None, None]
    new = old + k[:, :, 0, :, None].double() * v[:, :, 0, None].double()
    want = torch.einsum("bhd,bhde->bhe", q[:, :, 0].double(), new).reshape(3, 128)
    got = ops.linear_decode_forward_triton(q, k, v, state, decay, slots, 32)
    return (got, want, 1e-4), (state[slots], new, 1e-5)


@case("vllm", LAYERS + "mamba/ops/layernorm_gated.py")
def rms_norm_gated():
    from vllm.model_executor.layers.mamba.ops import layernorm_gated as ops
    x, z, w = (drawn(*s, dtype=torch.float32) for s in ((5, 96), (5, 96), (96,)))
    unit = x.double() * torch.rsqrt((x.double() ** 2).mean(-1, keepdim=True) + 1e-6)
    want = unit * w.double() * torch.nn.functional.silu(z.double())
    return ((ops.rms_norm_gated(x, w, None, z=z, eps=1e-6), want, 2e-5),)


@case("vllm", OPS + "triton_merge_attn_states.py")
def merge_attention_states():
    from vllm.v1.attention.ops import triton_merge_attn_states as ops
    a, b = drawn(5, 4, 64), drawn(5, 4, 64)
    la, lb = torch.randn(4, 5), torch.randn(4, 5)
    out, lse = torch.empty_like(a), torch.empty(4, 5)
    ops.merge_attn_states(out, a, la, b, lb, lse)
    part = torch.sigmoid(la.double() - lb.double()).T[..., None]
    want = a.double() * part + b.double() * (1 - part)
    return (out, want, 2e-2), (lse, torch.logaddexp(la.double(), lb.double()), 1e-5)


@case("vllm", OPS + "triton_prefill_attention.py")
def prefill_attention():
    from vllm.v1.attention.ops import triton_prefill_attention as ops
    q, k, v = drawn(90, 4, 64), drawn(90, 2, 64), drawn(90, 2, 64)
    out, want = torch.empty_like(q), torch.empty(90, 4, 64, dtype=torch.float64)
    for first, last in ((0, 33), (33, 90)):
        mask = torch.ones(last - first, last - first).tril().bool()
        for head in range(4):
            part = slice(first, last)
            want[part, head] = attend(q[part, head], k[part, head // 2], v[part, head // 2], 0.125, mask)
    ops.context_attention_fwd(q, k, v, out, int32(0, 33), int32(33, 57), 57, True, 0.125)
    return ((out, want, 2e-2),)


@case("vllm", OPS + "triton_decode_attention.py")
def decode_attention():
    from vllm.v1.attention.ops import triton_decode_attention as ops
    q, k, v = drawn(2, 8, 64), drawn(8, 16, 2, 64), drawn(8, 16, 2, 64)
    table, lengths = torch.randperm(8).view(2, 4).int(), int32(19, 60)
    out, lse, logits = torch.empty_like(q), torch.empty(2, 8), torch.empty(2, 8, 4, 65)
    ops.decode_attention_fwd(q, k, v, out, lse, table, lengths, logits, 4, 0.125, page_size=16)
    want = torch.empty(2, 8, 64, dtype=torch.float64)
    for i in range(2):
        keys, values = (t[table[i].long()].flatten(0, 1)[: lengths[i]] for t in (k, v))
        for head in range(8):
            want[i, head] = attend(q[i, head][None], keys[:, head // 4], values[:, head // 4], 0.125)[0]
    return ((out, want, 2e-2),)
