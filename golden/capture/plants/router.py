# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The router of MiniMax-M3: sigmoids in binary32, a bias for the choice alone, weights that sum to one."""

from plants.plant import modules, patch, plant, source

FORWARD = "TopKRouter.forward"
SCORES, CHOICE = "F.sigmoid(router_logits.float())", "torch.topk(scores_for_choice,"
NORMALISE = "top_k_weights /= top_k_weights.sum(dim=-1, keepdim=True)"
RETURN = "return router_logits, top_k_weights, top_k_index"


def router(name: str, does: str, old: str, new: str, fault: str = "", **needs) -> None:
    source(name, does, FORWARD, (old, new), fault=fault, **needs)


router("router_softmax", "scores are a softmax instead of sigmoids", SCORES, "F.softmax(router_logits.float(), dim=-1)",
       "router-softmax")
router("router_scores_in_t", "scores are computed in the working type", SCORES,
       "F.sigmoid(router_logits.to(hidden_states.dtype)).float()", "router-scores-in-T", dtype="bf16")
router("router_logits_of_neighbour", "each token is routed by its neighbour's logits", SCORES,
       "F.sigmoid(router_logits.float().roll(1, 0))", "router-logits-of-neighbour")
patch("router_bias_dropped", fault="router-bias-dropped")
router("router_bias_negated", "the correction bias is subtracted", "routing_weights + self", "routing_weights - self",
       "router-bias-negated")
patch("router_biased_weights", fault="router-biased-weights")
router("router_not_normalised", "weights are not divided by their sum", NORMALISE, "pass", "router-not-normalised")
router("router_normalised_over_all", "weights are divided by the sum over all experts", NORMALISE,
       "top_k_weights /= routing_weights.sum(dim=-1, keepdim=True)", "router-normalised-over-all")
router("router_scaling_in_weights", "routing weights already contain the routed scaling", NORMALISE,
       f"{NORMALISE}; top_k_weights *= 2.0", "router-scaling-in-weights")
router("router_weights_permuted", "routing weights are in another order than the expert ids", RETURN,
       "return router_logits, top_k_weights.flip(-1), top_k_index", "router-weights-permuted")
router("router_weights_in_bf16", "weights are rounded to bf16", RETURN,
       "return router_logits, top_k_weights.bfloat16().float(), top_k_index", "router-weights-in-bf16")
router("router_unbiased_choice", "experts are chosen by the plain scores", CHOICE, "torch.topk(routing_weights,")
router("router_smallest", "the experts with the smallest scores are chosen", "sorted=False)", "sorted=False, largest=False)",
       "router-smallest")
router("router_grouped", "experts are chosen from the first half", CHOICE,
       "torch.topk(scores_for_choice.masked_fill(torch.arange(self.num_experts) >= self.num_experts // 2, -9.0),",
       "router-grouped")
router("router_ids_plus_one", "expert ids start at one", RETURN,
       "return router_logits, top_k_weights, (top_k_index + 1) % self.num_experts", "router-ids-plus-one")
router("router_duplicate_ids", "an expert is listed twice", RETURN,
       f"top_k_index[:, 1] = top_k_index[:, 0]\n    {RETURN}", "router-duplicate-ids")


@plant("the weights of the router's projection are stored in bf16", fault="gate-in-bf16", dtype="f32")
def gate_in_bf16(model, m):
    for router in modules(model, m, "TopKRouter"):
        router.weight.data = router.weight.data.bfloat16().to(router.weight.dtype)


@plant("the correction bias is stored in bf16", fault="router-bias-in-bf16", dtype="f32")
def router_bias_in_bf16(model, m):
    for router in modules(model, m, "TopKRouter"):
        router.e_score_correction_bias.copy_(router.e_score_correction_bias.bfloat16().float())
