# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The clamped SwiGLU of MiniMax-M3: (up + 1) gate sigmoid(alpha gate), in the dense MLP, the shared and the routed experts."""

from plants.plant import layers_of, patch, plant, source
from source_edit import rewrite

ROUTED, EVERYWHERE = "Experts._apply_gate", "DenseMLP.forward Experts._apply_gate"
CHUNK = "gate, up = gate_up.chunk"
GATE_CLAMP = "gate.clamp(max=self.swiglu_limit)"
UP_CLAMP = "up.clamp(min=-self.swiglu_limit, max=self.swiglu_limit)"
PLAIN = (("* self.swiglu_alpha", "* 1.0"), ("(up + 1.0)", "up"), (GATE_CLAMP, "gate * 1"), (UP_CLAMP, "up * 1"))


def swiglu(name: str, does: str, *pieces: tuple[str, str], **about) -> None:
    source(name, does, EVERYWHERE, *pieces, **about)


patch("plain_silu", fault="swiglu-alpha-1")
swiglu("swiglu_plain", "computes silu(gate) * up, without alpha, limit and offset", *PLAIN, fault="swiglu-plain")
swiglu("swiglu_without_limit", "the clamping limit is not passed on", (GATE_CLAMP, "gate * 1"), (UP_CLAMP, "up * 1"),
       fault="swiglu-without-limit")
swiglu("swiglu_alpha_in_bf16", "alpha is rounded to bf16", ("* self.swiglu_alpha", "* 1.703125"), fault="swiglu-alpha-in-bf16")
swiglu("swiglu_limit_6_9", "the clamping limit is 1.5 percent too small", ("self.swiglu_limit", "6.9"), fault="swiglu-limit-6.9")
swiglu("swiglu_gate_clamped_below", "the gate is clamped on both sides",
       (GATE_CLAMP, "gate.clamp(min=-self.swiglu_limit, max=self.swiglu_limit)"), fault="swiglu-gate-clamped-below")
swiglu("swiglu_gate_not_clamped", "the gate is not clamped", (GATE_CLAMP, "gate * 1"), fault="swiglu-gate-not-clamped")
swiglu("swiglu_up_not_clamped", "the linear half is not clamped", (UP_CLAMP, "up * 1"), fault="swiglu-up-not-clamped")
swiglu("swiglu_up_clamped_above_only", "the linear half is only clamped from above", (UP_CLAMP, "up.clamp(max=self.swiglu_limit)"),
       fault="swiglu-up-clamped-above-only")
swiglu("swiglu_without_offset", "1 is not added to the linear half", ("(up + 1.0)", "up"), fault="swiglu-without-offset")
swiglu("swiglu_offset_before_clamp", "1 is added to the linear half before it is clamped", ("up.clamp(", "(up + 1.0).clamp("),
       ("(up + 1.0) * glu", "up * glu"), fault="swiglu-offset-before-clamp")
swiglu("swiglu_halves_exchanged", "gate and linear half are exchanged", (CHUNK, "up, gate = gate_up.chunk"),
       fault="swiglu-halves-exchanged")
swiglu("swiglu_interleaved", "gate and linear half are read interleaved",
       ("gate_up.chunk(2, dim=-1)", "(gate_up[..., ::2], gate_up[..., 1::2])"), fault="swiglu-interleaved")
swiglu("swiglu_gelu", "computes gelu(gate) instead of gate sigmoid(alpha gate)",
       ("gate * torch.sigmoid(gate * self.swiglu_alpha)", "F.gelu(gate)"), fault="swiglu-gelu")
swiglu("swiglu_fused", "intermediate values are not rounded to the working type",
       (f"{CHUNK}(", "narrow = gate_up.dtype\n    gate, up = gate_up.float().chunk("),
       ("(up + 1.0) * glu", "((up + 1.0) * glu).to(narrow)"), fault="swiglu-fused-f32", dtype="bf16")


@plant("the shared expert alone lacks alpha, limit and offset", fault="swiglu-shared-plain")
def shared_expert_plain(model, m):
    for layer in layers_of(model):
        if hasattr(layer.mlp, "shared_experts"):
            rewrite(layer.mlp.shared_experts, "forward", *PLAIN)


source("experts_alpha_1", "alpha is not passed on to the routed experts", ROUTED, PLAIN[0], fault="experts-alpha-1")
source("experts_plain", "the routed experts' activation lacks alpha, limit and offset", ROUTED, *PLAIN, fault="experts-plain")
source("experts_without_offset", "1 is not added to the routed experts' linear half", ROUTED, PLAIN[1],
       fault="experts-without-offset")
source("experts_halves_exchanged", "w1 and w3 of the routed experts are exchanged", ROUTED,
       (CHUNK, "up, gate = gate_up.chunk"), fault="experts-gate-up-exchanged")
patch("gate_clamped_below")
