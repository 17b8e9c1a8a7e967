# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Routed experts of MiniMax-M3: weighted after the down projection, added in the working type in order of ids."""

from plants.plant import modules, plant, source

FORWARD = "Experts.forward"
WEIGHTS = "top_k_weights[token_idx, top_k_pos, None]"
ADD = "final.index_add_(0, token_idx, current.to(final.dtype))"
DOWN = "self.down_proj[expert_idx]"
NEXT = "[(expert_idx + 1) % self.num_experts]"

source("experts_next", "every id uses the weights of the next expert", FORWARD, ("proj[expert_idx]", "proj" + NEXT),
       fault="experts-next-expert")
source("experts_down_of_next", "the down projection of the next expert is used", FORWARD, (DOWN, "self.down_proj" + NEXT),
       fault="experts-down-of-next")
source("experts_unweighted", "the experts' outputs are not multiplied by the routing weights", FORWARD, (WEIGHTS, f"torch.ones_like({WEIGHTS})"),
       fault="experts-unweighted")
source("experts_weights_of_other_slot", "each expert gets the routing weight of another", FORWARD,
       (WEIGHTS, "top_k_weights.flip(-1)[token_idx, top_k_pos, None]"), fault="experts-weights-of-other-slot")
source("experts_weights_in_bf16", "routing weights are rounded to bf16 before use", FORWARD,
       (WEIGHTS, WEIGHTS + ".bfloat16().float()"), fault="experts-weights-in-bf16")
source("experts_weight_before_down", "weights are applied before the down projection", FORWARD,
       (f"F.linear(current, {DOWN}) * {WEIGHTS}", f"F.linear((current * {WEIGHTS}).to(final.dtype), {DOWN}).float()"),
       dtype="bf16")
source("experts_last_slot_lost", "the last chosen expert is left out", FORWARD,
       (WEIGHTS, f"({WEIGHTS} * (top_k_pos[:, None] + 1 < mask.shape[1]))"), fault="experts-last-slot-lost")
source("experts_tokens_of_neighbour", "experts compute the token before each of theirs", FORWARD,
       ("hidden_states[token_idx]", "hidden_states[token_idx - 1]"), fault="experts-tokens-shifted")
source("experts_scattered_one_off", "results are added to the next token", FORWARD,
       ("index_add_(0, token_idx,", "index_add_(0, (token_idx + 1) % final.shape[0],"), fault="experts-rows-shifted")
source("experts_capacity", "an expert takes its first 20 tokens and drops the others", FORWARD,
       ("= torch.where(mask[expert_idx])", "= (found[:20] for found in torch.where(mask[expert_idx]))"))
source("experts_last_expert_skipped", "the last expert never runs", FORWARD,
       ("if expert_idx == self.num_experts:", "if expert_idx == self.num_experts - 1:"))
source("experts_overwrite", "an expert overwrites what others added", FORWARD,
       (ADD, "final[token_idx] = current.to(final.dtype)"))
source("experts_summed_in_f32", "the sum over experts is rounded once, at its end", FORWARD,
       ("torch.zeros_like(hidden_states)", "torch.zeros_like(hidden_states, dtype=torch.float32)"),
       ("return final", "return final.to(hidden_states.dtype)"), dtype="bf16")
source("experts_descending", "experts are added in descending order", FORWARD,
       ("for expert_idx in hit:", "for expert_idx in hit.flip(0):"), dtype="bf16")


@plant("down projections are stored in fp8 without a scale", fault="experts-down-in-fp8")
def experts_down_in_fp8(model, m):
    for experts in modules(model, m, "Experts"):
        experts.down_proj.data = experts.down_proj.data.to(m.torch.float8_e4m3fn).to(experts.down_proj.dtype)


@plant("the down projections of experts 2 and 3 are loaded into each other's place")
def experts_down_two_exchanged(model, m):
    for experts in modules(model, m, "Experts"):
        experts.down_proj.data[[2, 3]] = experts.down_proj.data[[3, 2]]
