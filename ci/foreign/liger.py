# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Triton kernels of Liger-Kernel."""
import sys

import torch

import packages
from cases import case

sys.path.insert(0, str(packages.fetch("liger-kernel")))
OPS = "liger_kernel/ops/"


def drawn(*shape):
    return torch.randn(*shape)


def derived(function, *inputs, grad):
    """What function computes in binary64, and its derivatives along grad."""
    doubles = [t.double().requires_grad_() for t in inputs]
    out = function(*doubles)
    return out.detach(), torch.autograd.grad(out, doubles, grad.double())


@case("liger-kernel", OPS + "rms_norm.py")
def rms_norm():
    from liger_kernel.ops import rms_norm as ops
    x, w, grad = drawn(6, 100), drawn(100), drawn(6, 100)
    norm = lambda x, w: x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * w
    want, (dx, dw) = derived(norm, x, w, grad=grad)
    y, x, rstd, block, warps, mode = ops.rms_norm_forward(x, w, 1e-6, 0.0, "llama", False)
    got_dx, got_dw = ops.rms_norm_backward(grad, x, w, rstd, 0.0, mode, block, warps, False, False)
    return (y, want, 2e-5), (got_dx, dx, 2e-5), (got_dw, dw, 5e-5)


@case("liger-kernel", OPS + "layer_norm.py")
def layer_norm():
    from liger_kernel.ops import layer_norm as ops
    x, w, b, grad = drawn(6, 100), drawn(100), drawn(100), drawn(6, 100)
    norm = lambda x, w, b: torch.nn.functional.layer_norm(x, (100,), w, b, 1e-5)
    want, (dx, dw, db) = derived(norm, x, w, b, grad=grad)
    y, x, mean, rstd, *_ = ops.layer_norm_forward(x, w, b, 1e-5)
    got = ops.layer_norm_backward(grad, x, w, b, mean, rstd)
    return (y, want, 2e-5), (got[0], dx, 3e-5), (got[1], dw, 5e-5), (got[2], db, 5e-5)


@case("liger-kernel", OPS + "swiglu.py")
def swiglu():
    from liger_kernel.ops import swiglu as ops
    a, b, grad = drawn(5, 70), drawn(5, 70), drawn(5, 70)
    want, (da, db) = derived(lambda a, b: torch.nn.functional.silu(a) * b, a, b, grad=grad)
    y = ops.swiglu_forward(a, b)[-1]
    got_da, got_db = ops.swiglu_backward(a.clone(), b.clone(), grad)[:2]
    return (y, want, 2e-5), (got_da, da, 2e-5), (got_db, db, 2e-5)


@case("liger-kernel", OPS + "geglu.py")
def geglu():
    from liger_kernel.ops import geglu as ops
    a, b, grad = drawn(5, 70), drawn(5, 70), drawn(5, 70)
    want, (da, db) = derived(lambda a, b: torch.nn.functional.gelu(a, approximate="tanh") * b, a, b, grad=grad)
    y = ops.geglu_forward(a, b)[-1]
    got_da, got_db = ops.geglu_backward(a.clone(), b.clone(), grad)[:2]
    return (y, want, 2e-5), (got_da, da, 5e-5), (got_db, db, 2e-5)


@case("liger-kernel", OPS + "softmax.py")
def softmax():
    from liger_kernel.ops import softmax as ops
    x, grad = drawn(7, 90), drawn(7, 90)
    want, (dx,) = derived(lambda x: x.softmax(-1), x, grad=grad)
    y, block, warps, multi = ops._softmax_forward(x)
    return (y, want, 1e-6), (ops._softmax_backward(grad, y, block, warps, multi), dx, 2e-6)


@case("liger-kernel", OPS + "sparsemax.py")
def sparsemax():
    from liger_kernel.ops import sparsemax as ops
    x = drawn(7, 90)
    y, _ = ops._sparsemax_forward(x, -1)
    z = x.double().sort(-1, descending=True).values
    k = torch.arange(1, 91).double()
    size = (1 + k * z > z.cumsum(-1)).sum(-1, keepdim=True)
    tau = (z.cumsum(-1).gather(-1, size - 1) - 1) / size
    return ((y, (x.double() - tau).clamp(min=0), 1e-5),)


@case("liger-kernel", OPS + "cross_entropy.py")
def cross_entropy():
    from liger_kernel.ops import cross_entropy as ops
    x, target = drawn(9, 130), torch.randint(0, 130, (9,))
    want, (dx,) = derived(lambda x: torch.nn.functional.cross_entropy(x, target), x, grad=torch.tensor(1.0))
    result = ops.cross_entropy_forward(x.clone().requires_grad_(), target, None, -100, 0.0, 0.0, "mean", None, False)
    got = next(t for t in result[1:] if isinstance(t, torch.Tensor) and t.shape == x.shape)
    return (result[0], want, 1e-5), (got, dx, 1e-6)


@case("liger-kernel", OPS + "kl_div.py")
def kl_divergence():
    from liger_kernel.ops import kl_div as ops
    p, t = drawn(6, 80).log_softmax(-1), drawn(6, 80).softmax(-1)
    want = (t.double() * (t.double().log() - p.double())).sum() / 6
    return ((ops.kldiv_forward_triton(p, t, False, "batchmean", 1e-10), want, 1e-5),)


@case("liger-kernel", OPS + "tvd.py")
def total_variation():
    from liger_kernel.ops import tvd as ops
    p, q = drawn(6, 80).softmax(-1), drawn(6, 80).softmax(-1)
    loss, _ = ops.tv_distance_forward_triton(p, q, None, "batchmean", -100, False)
    return ((loss, (p.double() - q.double()).abs().sum() / 12, 1e-5),)


@case("liger-kernel", OPS + "jsd.py")
def jensen_shannon():
    from liger_kernel.ops import jsd as ops
    x, y = drawn(6, 80).log_softmax(-1), drawn(6, 80).log_softmax(-1)
    p, q = x.double().exp(), y.double().exp()
    mean = (p + q) / 2
    want = 0.5 * ((p * (x.double() - mean.log())).sum() + (q * (y.double() - mean.log())).sum()) / 6
    return ((ops.jsd_forward(x, y, None, 0.5, -100, False)[0], want, 1e-5),)


@case("liger-kernel", OPS + "rope.py")
def rotary():
    from liger_kernel.ops import rope as ops
    q, k = drawn(2, 4, 6, 32), drawn(2, 2, 6, 32)  # (B, H, S, D)
    angle = torch.outer(torch.arange(6.0), 10000 ** (-torch.arange(16) / 16)).repeat(1, 2)[None]
    cos, sin = angle.cos(), angle.sin()

    def turned(t):
        half = torch.cat((-t[..., 16:], t[..., :16]), -1)
        return t.double() * cos.double()[:, None] + half.double() * sin.double()[:, None]

    want = turned(q), turned(k)
    got_q, got_k, *_ = ops.rope_forward(q.clone(), k.clone(), cos, sin)
    return (got_q, want[0], 1e-5), (got_k, want[1], 1e-5)


@case("liger-kernel", OPS + "group_norm.py")
def group_norm():
    from liger_kernel.ops import group_norm as ops
    x, w, b = drawn(3, 8, 20), drawn(8), drawn(8)
    want = torch.nn.functional.group_norm(x.double(), 4, w.double(), b.double(), 1e-5)
    return ((ops.group_norm_forward(x, 8, 4, w, b, 1e-5)[0].view(3, 8, 20), want, 3e-5),)


@case("liger-kernel", OPS + "dyt.py")
def dynamic_tanh():
    from liger_kernel.ops import dyt as ops
    x, alpha, gamma, beta = drawn(6, 70), torch.tensor([0.7]), drawn(70), drawn(70)
    want = gamma.double() * torch.tanh(alpha.double() * x.double()) + beta.double()
    return ((ops.liger_dyt_fwd(x, alpha, gamma, beta), want, 1e-5),)


@case("liger-kernel", OPS + "fused_add_rms_norm.py")
def fused_add_rms_norm():
    from liger_kernel.ops import fused_add_rms_norm as ops
    x, r, w = drawn(6, 100), drawn(6, 100), drawn(100)
    total = x.double() + r.double()
    want = total * torch.rsqrt((total * total).mean(-1, keepdim=True) + 1e-6) * w.double()
    y, s, *_ = ops.fused_add_rms_norm_forward(x, r, w, 1e-6, 0.0, "llama")
    return (y, want, 2e-5), (s, total, 1e-6)


@case("liger-kernel", OPS + "poly_norm.py")
def poly_norm():
    from liger_kernel.ops import poly_norm as ops
    x, w, b = drawn(6, 100), drawn(3), drawn(1)
    unit = lambda t: t * torch.rsqrt((t * t).mean(-1, keepdim=True) + 1e-6)
    d, v = x.double(), w.double()
    want = v[0] * unit(d**3) + v[1] * unit(d**2) + v[2] * unit(d) + b.double()
    return ((ops.poly_norm_forward(x, w, b)[0], want, 5e-5),)


@case("liger-kernel", OPS + "relu_squared.py")
def relu_squared():
    from liger_kernel.ops import relu_squared as ops
    x, grad = drawn(6, 70), drawn(6, 70)
    want, (dx,) = derived(lambda x: x.clamp(min=0) ** 2, x, grad=grad)
    made = ops.relu_squared_forward(x)
    return (made[-1] if isinstance(made, tuple) else made, want, 1e-5), (ops.relu_squared_backward(x, grad), dx, 1e-5)


@case("liger-kernel", OPS + "grpo_loss.py")
def selected_log_softmax():
    from liger_kernel.ops import grpo_loss as ops
    logits, ids = drawn(2, 6, 120), torch.randint(0, 120, (2, 5))
    want = (logits[:, :-1].double() / 0.9).log_softmax(-1).gather(-1, ids[..., None])[..., 0]
    return ((ops.fused_selective_log_softmax(logits, ids, 0.9), want, 1e-5),)
