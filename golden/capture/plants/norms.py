# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Norms of MiniMax-M3: gains stored zero-centred, computed in binary32, one per head for queries and keys."""

from plants.plant import layers_of, modules, patch, plant, source, text_of
from source_edit import rewrite

NORM = "RMSNorm.forward"
GAIN = "(1.0 + self.weight.float())"
WITHOUT_ONE = ("forward", (GAIN, "self.weight.float()"))

patch("norm_without_one", fault="rms_norm-without-one")
source("norm_one_twice", "adds one to a weight that already contains it", NORM, (GAIN, "(2.0 + self.weight.float())"),
       fault="rms_norm-one-twice")
source("norm_gain_in_t", "rounds 1 + w to the working type", NORM, (GAIN, "(1.0 + self.weight).float()"),
       fault="rms_norm-gain-in-T", dtype="bf16")
source("norm_rounded_before_gain", "rounds the normalised value to the working type before the gain", NORM,
       ("output * (1.0", "output.type_as(x).float() * (1.0"), fault="rms_norm-rounded-before-gain", dtype="bf16")
source("norm_gained_in_t", "rounds, then multiplies by the rounded gain in the working type, as Llama's norm does", NORM,
       (f"output * {GAIN}", "output.type_as(x) * (1.0 + self.weight)"),
       fault="rms_norm-weight-and-value-in-T", dtype="bf16")
source("norm_all_in_t", "computes everything in the working type", NORM,
       ("self._norm(x.float())", "self._norm(x)"), ("self.weight.float()", "self.weight"), fault="rms_norm-all-in-T", dtype="bf16")
source("norm_centred", "subtracts the mean, as a layer norm does", "RMSNorm._norm",
       ("return x *", "x = x - x.mean(-1, keepdim=True)\n    return x *"), fault="rms_norm-centred qk_norm-centred")


def set_eps(model, m, eps: float) -> None:
    for norm in modules(model, m, "RMSNorm"):
        norm.eps = eps


@plant("adds 1e-2 to the mean square", fault="rms_norm-eps-1e-2")
def norm_eps_1e2(model, m):
    set_eps(model, m, 1e-2)


@plant("adds 1e-5 to the mean square, as most other models do", fault="rms_norm-eps-1e-5", dtype="f32")
def norm_eps_1e5(model, m):
    set_eps(model, m, 1e-5)


@plant("adds nothing to the mean square", dtype="f32")
def norm_eps_missing(model, m):
    set_eps(model, m, 0.0)


@plant("weights of the norm are stored in bf16", fault="rms_norm-weight-in-bf16", dtype="f32")
def norm_weight_in_bf16(model, m):
    for norm in modules(model, m, "RMSNorm"):
        norm.weight.data = norm.weight.data.bfloat16().to(norm.weight.dtype)


@plant("the norms of queries and keys multiply by w instead of 1 + w", fault="qk_norm-without-one")
def qk_norm_without_one(model, m):
    for layer in layers_of(model):
        rewrite(layer.self_attn.q_norm, *WITHOUT_ONE)
        rewrite(layer.self_attn.k_norm, *WITHOUT_ONE)


@plant("the mean square of queries and keys is taken over all heads", fault="qk_norm-over-all-heads")
def qk_norm_over_all_heads(model, m):
    for layer in layers_of(model):
        for norm in (layer.self_attn.q_norm, layer.self_attn.k_norm):
            rewrite(norm, "_norm", ("mean(-1, keepdim=True)", "mean((-1, -2), keepdim=True)"))


@plant("queries and keys are normed with each other's gains", fault="qk_norm-weights-exchanged")
def qk_norm_weights_exchanged(model, m):
    for layer in layers_of(model):
        q, k = layer.self_attn.q_norm, layer.self_attn.k_norm
        q.weight, k.weight = k.weight, q.weight


@plant("keys are not normalised", fault="k_norm-missing")
def k_norm_skipped(model, m):
    for layer in layers_of(model):
        layer.self_attn.k_norm.forward = lambda x: x * 1


@plant("only the final norm multiplies by w instead of 1 + w", fault="final_norm-without-one")
def final_norm_without_one(model, m):
    rewrite(text_of(model).norm, *WITHOUT_ONE)


@plant("the norm after attention uses the weights of the norm before attention", fault="post_norm-of-input_norm")
def post_norm_of_input_norm(model, m):
    for layer in layers_of(model):
        layer.post_attention_layernorm.weight = layer.input_layernorm.weight
