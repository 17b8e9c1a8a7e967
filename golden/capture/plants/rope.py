# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Rotary tables and their application in MiniMax-M3: half of each head rotates, in halves, in the working type."""

from plants.plant import patch, plant, source, text_of

FORWARD, APPLY = "RotaryEmbedding.forward", "apply_rotary_pos_emb"
POSITIONS = "position_ids[:, None, :].float()"
Q_EMBED = "q_embed = (q_rot * cos) + (rotate_half(q_rot) * sin)"
K_EMBED = "k_embed = (k_rot * cos) + (rotate_half(k_rot) * sin)"


def frequencies(model, m, widths, base: float = 0.0) -> None:
    """Tables of base^(-2 i / width) that fill `count` channels; widths: (rotated, head) -> (width, count)."""
    rotary = text_of(model).rotary_emb
    width, count = widths(2 * rotary.inv_freq.shape[0], rotary.config.head_dim)
    base = base or rotary.config.rope_parameters["rope_theta"]
    rotary.inv_freq = 1.0 / (base ** (m.torch.arange(0, count, 2).float() / width))


patch("rope_wrong_theta", fault="rotary_tables-theta-1e4")


@plant("theta is off by 2 percent", fault="rotary_tables-theta-2-percent")
def rope_theta_2_percent(model, m):
    frequencies(model, m, lambda rotated, head: (rotated, rotated), 5.1e6)


@plant("the exponent is divided by the whole head width, not by its rotated part", fault="rotary_tables-whole-head")
def rope_exponent_over_head(model, m):
    frequencies(model, m, lambda rotated, head: (head, rotated))


@plant("the whole head rotates")
def rope_whole_head(model, m):
    frequencies(model, m, lambda rotated, head: (head, head))


@plant("partial_rotary_factor is applied twice: a quarter of the head rotates", fault="rotary_tables-part-twice")
def rope_part_twice(model, m):
    frequencies(model, m, lambda rotated, head: (rotated // 4 * 2, rotated // 4 * 2))


@plant("inverse frequencies are rounded to the working type", fault="rotary_tables-inverse-in-T", dtype="bf16")
def rope_inverse_in_t(model, m):
    rotary = text_of(model).rotary_emb
    rotary.inv_freq = rotary.inv_freq.to(next(model.parameters()).dtype).float()


source("rope_position_plus_one", "positions start at one", FORWARD, (POSITIONS, "(position_ids + 1)[:, None, :].float()"),
       fault="rotary_tables-position-plus-one")
source("rope_positions_restart", "every call counts positions from zero", FORWARD,
       (POSITIONS, "(position_ids - position_ids[:, :1])[:, None, :].float()"), fault="rotary_tables-restarted-positions")
source("rope_decode_minus_one", "positions of later calls are one too small", FORWARD,
       (POSITIONS, "(position_ids - (position_ids[:, :1] > 0).long())[:, None, :].float()"),
       fault="rotary_tables-decode-minus-one")
source("rope_positions_halved", "positions are divided by two, as for a longer context", FORWARD,
       (POSITIONS, "position_ids[:, None, :].float() * 0.5"), fault="rotary_tables-scaled-positions")
source("rope_angles_in_t", "angles are rounded to the working type", FORWARD,
       ("emb = torch", "freqs = freqs.to(x.dtype).float()\n        emb = torch"), fault="rotary_tables-angles-in-T",
       dtype="bf16")
source("rope_backwards", "the sine has the wrong sign", FORWARD, ("sin = emb.sin()", "sin = -emb.sin()"),
       fault="rotary_tables-sign-of-sine")
patch("rope_interleaved", fault="partial_rope-mispaired")
source("rope_neighbours", "rotates neighbours, with their own angles", APPLY,
       ("cos = cos.unsqueeze(unsqueeze_dim)", "half = cos.shape[-1] // 2\n"
        "    pairs = lambda t: t[..., :half].repeat_interleave(2, -1)\n"
        "    rotate_half = lambda x: torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)\n"
        "    cos = pairs(cos).unsqueeze(unsqueeze_dim)"),
       ("sin = sin.unsqueeze(unsqueeze_dim)", "sin = pairs(sin).unsqueeze(unsqueeze_dim)"),
       fault="partial_rope-interleaved")
source("rope_tables_exchanged", "sine and cosine are exchanged", APPLY,
       ("cos = cos.unsqueeze(unsqueeze_dim)", "cos, sin = sin.unsqueeze(unsqueeze_dim), cos.unsqueeze(unsqueeze_dim)"),
       ("    sin = sin.unsqueeze(unsqueeze_dim)\n", ""), fault="partial_rope-tables-exchanged")
source("rope_rotates_tail", "the last channels of a head rotate, not the first", APPLY,
       ("q_rot, q_pass = q[..., :rotary_dim], q[..., rotary_dim:]", "q_rot, q_pass = q[..., -rotary_dim:], q[..., :-rotary_dim]"),
       ("k_rot, k_pass = k[..., :rotary_dim], k[..., rotary_dim:]", "k_rot, k_pass = k[..., -rotary_dim:], k[..., :-rotary_dim]"),
       ("[q_embed, q_pass]", "[q_pass, q_embed]"), ("[k_embed, k_pass]", "[k_pass, k_embed]"),
       fault="partial_rope-other-half")
source("rope_q_missing", "queries are not rotated", APPLY, (Q_EMBED, "q_embed = q_rot * 1"), fault="q_rope-missing")
source("rope_k_missing", "keys are not rotated", APPLY, (K_EMBED, "k_embed = k_rot * 1"), fault="k_rope-missing")
source("rope_fused", "products are not rounded before they are added", APPLY,
       (Q_EMBED, "q_embed = ((q_rot.float() * cos) + (rotate_half(q_rot).float() * sin)).to(q.dtype)"),
       (K_EMBED, "k_embed = ((k_rot.float() * cos) + (rotate_half(k_rot).float() * sin)).to(k.dtype)"),
       fault="partial_rope-fused-f32", dtype="bf16")
source("rope_pass_zeroed", "channels of queries that do not rotate are lost", APPLY, ("[q_embed, q_pass]", "[q_embed, q_pass * 0]"),
       fault="partial_rope-tail-lost")
source("rope_before_norm", "queries are normalised after the rotation", "Attention.forward",
       ("self.q_norm(self.q_proj(hidden_states).view(hidden_shape))", "self.q_proj(hidden_states).view(hidden_shape)"),
       ("query_states, key_states = apply_rotary_pos_emb(query_states, key_states, cos, sin)",
        "query_states, key_states = apply_rotary_pos_emb(query_states, key_states, cos, sin)\n"
        "    query_states = self.q_norm(query_states)"))
