# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What a prefill of lightning attention computes: vLLM and SGLang ship the same kernels."""
import torch

from cases import Defect

BLOCK = 256  # tokens whose keys one state sums up


def prefill(kernel):
    """The triples of a case. kernel(q, k, v, decay) -> (1, H, T, D), decay (H)."""
    q, k, v = (torch.randn(1, 2, 300, 64) / 4 for _ in range(3))
    decay = torch.tensor([0.1, 0.5])
    got = kernel(q, k, v, decay)[0]
    at = torch.arange(300)
    gap = (at[:, None] - at).double()
    same_block = (at[:, None] // BLOCK == at // BLOCK).double()

    def attended(steps, q=q[0].double(), k=k[0].double(), v=v[0].double()):
        weight = torch.exp(-decay.double()[:, None, None] * steps) * (gap >= 0)
        return (q @ k.transpose(-1, -2) * weight) @ v

    # Two products of tf32 in a row, whose operands lose up to 2^-10 of their value each.
    allowed = float(attended(gap, *(t[0].double().abs() for t in (q, k, v))).max()) * 2**-8
    what = ("keys of earlier blocks of 256 tokens decay one step too little (`q_decay` starts with exp(0); the model's "
            "own code and the decode kernel of the same file start with exp(-slope))")
    return ((got, attended(gap), allowed),), Defect(what, ((got, attended(gap - 1 + same_block), allowed),))
