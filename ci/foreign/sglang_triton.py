# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Triton kernels of SGLang."""
import importlib
from unittest import mock

import torch

import lightning
import packages
import stubs
from cases import case

OPS = "sglang/kernels/ops/"
FILES = [OPS + "activation/minimax_m3_swiglu.py", OPS + "activation/softcap.py", "sglang/srt/layers/logsumexp.py",
         OPS + "attention/merge_state.py", OPS + "attention/prefill_attention.py", OPS + "layernorm/fused_rmsnorm.py",
         OPS + "quantization/int8_kernel.py", OPS + "moe/fused_moe_triton_kernels.py",
         OPS + "attention/linear/lightning_attn.py"]
NAMES = {file: file[:-3].replace("/", ".") for file in FILES}
stubs.install("sglang", packages.fetch("sglang"), set(NAMES.values()), {
    "sglang.srt.utils": {"is_cuda": lambda: False, "is_hip": lambda: False, "cpu_has_amx_support": lambda: False}})


def module(file):
    return importlib.import_module(NAMES[file])


def drawn(*shape, dtype=torch.bfloat16):
    return torch.randn(*shape).to(dtype)


@case("sglang", FILES[0])
def swiglu_oai():
    x = drawn(4, 600) * 4
    gate, up = x.double().chunk(2, -1)
    gate, up = gate.clamp(max=7.0), up.clamp(-7.0, 7.0)
    want = gate * torch.sigmoid(1.702 * gate) * (up + 1)
    return ((module(FILES[0]).swiglu_oai_split(x, 1.702, 1.0, 7.0), want, 0.2),)


@case("sglang", FILES[1])
def softcap():
    x = drawn(3, 700, dtype=torch.float32) * 40
    want = 30 * torch.tanh(x.double() / 30)
    return ((module(FILES[1]).softcap_inplace_logits(x, 30.0), want, 1e-4),)


@case("sglang", FILES[2])
def row_logsumexp():
    x = drawn(4, 900, dtype=torch.float32)
    top, rest = module(FILES[2]).row_logsumexp(x)
    return (top, x.double().max(-1).values, 0), (top.double() + rest, x.double().logsumexp(-1), 1e-5)


@case("sglang", FILES[3])
def merge_state():
    a, b = drawn(5, 4, 64), drawn(5, 4, 64)
    la, lb = torch.randn(5, 4), torch.randn(5, 4)
    out, lse = module(FILES[3]).merge_state_triton(a, la, b, lb)
    part = torch.sigmoid(la.double() - lb.double())[..., None]
    want = a.double() * part + b.double() * (1 - part)
    return (out, want, 2e-2), (lse, torch.logaddexp(la.double(), lb.double()), 1e-5)


@case("sglang", FILES[4])
def prefill_attention():
    q, k, v = drawn(90, 4, 64), drawn(90, 2, 64), drawn(90, 2, 64)
    out, want = torch.empty_like(q), torch.empty(90, 4, 64, dtype=torch.float64)
    for first, last in ((0, 33), (33, 90)):
        seen = torch.ones(last - first, last - first).tril().bool()
        for head in range(4):
            queries, keys, values = q[first:last, head], k[first:last, head // 2], v[first:last, head // 2]
            scores = (queries.double() @ keys.double().T / 8).masked_fill(~seen, -torch.inf)
            want[first:last, head] = scores.softmax(-1) @ values.double()
    starts, lengths = torch.tensor([0, 33], dtype=torch.int32), torch.tensor([33, 57], dtype=torch.int32)
    module(FILES[4]).context_attention_fwd(q, k, v, out, starts, lengths, 57, True)
    return ((out, want, 2e-2),)


@case("sglang", FILES[5])
def fused_rms_norm():
    x, w = drawn(5, 256), drawn(256)
    d = x.double()
    want = d * torch.rsqrt((d * d).mean(-1, keepdim=True) + 1e-6) * w.double()
    return ((module(FILES[5]).fused_rmsnorm(x, w, 1e-6), want, 6e-2),)


@case("sglang", FILES[5])
def fused_dual_residual_rms_norm():
    x, r, w1, w2 = drawn(5, 256), drawn(5, 256), drawn(256), drawn(256)
    unit = lambda t: t * torch.rsqrt((t * t).mean(-1, keepdim=True) + 1e-6)
    middle = unit(x.double()) * w1.double() + r.double()
    got, total = module(FILES[5]).fused_dual_residual_rmsnorm(x, r, w1, w2, 1e-6)
    return (total, middle, 6e-2), (got, unit(middle) * w2.double(), 0.12)


@case("sglang", FILES[6])
def per_token_quant_int8():
    x = drawn(5, 256, dtype=torch.float32)
    got, scales = module(FILES[6]).per_token_quant_int8(x)
    want = x.double().abs().amax(-1, keepdim=True) / 127
    return (scales, want, 1e-6), (got.double() * scales, x.double(), float(want.max()) * 0.51)


@case("sglang", FILES[7])
def moe_sum_reduce():
    x, out = drawn(7, 4, 200), torch.empty(7, 200, dtype=torch.bfloat16)
    module(FILES[7]).moe_sum_reduce_triton(x, out, 1.5)
    return ((out, x.double().sum(1) * 1.5, 6e-2),)


@case("sglang", FILES[8])
def lightning_attention():
    with mock.patch("torch.cuda.get_device_capability", lambda: (9, 0)):
        return lightning.prefill(lambda q, k, v, decay: module(FILES[8]).lightning_attention(q, k, v, decay)[0])
