# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""MiniMax-Text-01: lightning attention with its decays and states, weighted residuals, softmax routing, heads."""

from plants import plant as registry

T01 = {"model": "text01", "releases": "4.56.2"}
LIGHTNING, LAYER = "LightningAttention.forward", "DecoderLayer.forward"


def patch(name: str, fault: str = "", **about) -> None:
    registry.patch(name, fault=fault, **T01, **about)


def source(name: str, does: str, where: str, *pieces: tuple[str, str], fault: str = "") -> None:
    registry.source(name, does, where, *pieces, fault=fault, **T01)


patch("text01_alpha_beta_swapped", "residual-factors-exchanged")
patch("text01_decay_off_by_one", "tables-query-decay-off-by-one")
patch("text01_diagonal_excluded")
patch("text01_gate_before_norm")
patch("text01_global_thirds", "split-head-major")
patch("text01_key_decay_first_rows")
patch("text01_norm_takes_config_eps", dtype="f32", preset="text01-f32")
patch("text01_residual_before_norm")
patch("text01_slope_without_depth")
patch("text01_state_decays_new_token")
patch("text01_state_not_decayed", "lightning-state-does-not-decay")
patch("text01_values_not_masked", "lightning_mask-ignored")
patch("text01_weights_not_renormalised")
patch("text01_pool_first_pad", preset="text01-heads-sequence-f32", dtype="f32")
patch("text01_token_labels_shifted", preset="text01-heads-token-f32", dtype="f32")
patch("text01_span_not_halved", "span_loss-summed", preset="text01-heads-question-f32", dtype="f32")
source("text01_keys_do_not_decay", "keys enter the state without decay", LIGHTNING,
       ("current_key_states * current_key_decay", "current_key_states * 1"), fault="lightning-keys-do-not-decay")
source("text01_query_decay_lost", "queries read the state without decay", LIGHTNING,
       ("current_query_states * current_query_decay", "current_query_states * 1"), fault="lightning-query-decay-lost")
source("text01_no_decay_inside", "there is no decay between the tokens of a block", LIGHTNING,
       ("attn_weights_intra * current_diagonal_decay", "attn_weights_intra.tril()"), fault="lightning-no-decay-inside")
source("text01_slopes_exchanged", "states decay with the slopes of other heads", LIGHTNING,
       ("torch.exp(-self.slope_rate", "torch.exp(-self.slope_rate.flip(0)"), fault="lightning-slopes-exchanged")
source("text01_state_lost", "later calls start without the state", LIGHTNING,
       ("past_key_values.get_linear_cache(self.layer_idx)", "past_key_values.get_linear_cache(self.layer_idx)\n"
        "        attn_weights_inter = None if attn_weights_inter is None else attn_weights_inter * 0"),
       fault="lightning-state-lost")
source("text01_state_of_other_sequence", "each sequence reads the state of another", LIGHTNING,
       ("past_key_values.get_linear_cache(self.layer_idx)", "past_key_values.get_linear_cache(self.layer_idx)\n"
        "        attn_weights_inter = None if attn_weights_inter is None else attn_weights_inter.flip(0)"),
       fault="lightning-state-of-other-sequence")
source("text01_gate_is_silu", "silu is computed instead of a sigmoid", LIGHTNING, ("F.sigmoid(self", "F.silu(self"), fault="sigmoid_gate-silu")


@registry.plant("queries, keys and values are not passed through silu", fault="silu-missing", **T01)
def text01_silu_missing(model, m):
    for attention in registry.modules(model, m, "LightningAttention", "text01"):
        attention.act_fn = m.nn.Identity()


@registry.plant("the factors alpha and beta of the residual are left out", fault="residual-factors-lost", **T01)
def text01_factors_lost(model, m):
    for layer in registry.layers_of(model):
        for name in ("attn_alpha_factor", "attn_beta_factor", "mlp_alpha_factor", "mlp_beta_factor"):
            setattr(layer, name, 1.0)
