# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Attention of MiniMax-M3. The first layer that is recorded is dense, so its taps fail first."""

from plants.plant import layers_of, modules, patch, plant, source

EAGER = "eager_attention_forward"
MASKED, SOFTMAX = "if attention_mask is not None:", "attn_weights = nn.functional.softmax"
DONE = "attn_output = attn_output.transpose(1, 2).contiguous()"
SIZES = "q_len, k_len = query.shape[2], key.shape[2]\n    "


def eager(name: str, does: str, *pieces: tuple[str, str], **about) -> None:
    source(name, does, EAGER, *pieces, attention="eager", **about)


patch("heads_of_other_groups", fault="dense-heads-in-turn", attention="eager")
patch("attention_scale_missing", fault="dense-scale-missing")


@plant("scores are divided by the square root of the model's width", fault="dense-scale-of-hidden")
def attention_scale_of_width(model, m):
    for attention in modules(model, m, "Attention"):
        attention.scaling = attention.config.hidden_size ** -0.5


@plant("the scale is off by one percent", fault="dense-scale-1-percent")
def attention_scale_1_percent(model, m):
    for layer in layers_of(model):
        layer.self_attn.scaling *= 1.01


eager("attention_scores_not_rounded", "scores stay in binary32",
      ("torch.matmul(query, key_states.transpose(2, 3))", "torch.matmul(query.float(), key_states.transpose(2, 3).float())"),
      fault="dense-scores-not-rounded", dtype="bf16")
eager("attention_weights_not_rounded", "softmax weights stay in binary32",
      ("dtype=torch.float32).to(query.dtype)", "dtype=torch.float32)"),
      ("torch.matmul(attn_weights, value_states)", "torch.matmul(attn_weights, value_states.float()).to(query.dtype)"),
      fault="dense-weights-not-rounded", dtype="bf16")
eager("attention_one_head_zero", "one head is not written", (DONE, f"attn_output[:, 3] = 0\n    {DONE}"),
      fault="dense-head-3-zero dense-one-head-zero")
eager("attention_heads_not_transposed", "the output is stored head by head, but read token by token",
      (DONE, "attn_output = attn_output.reshape(attn_output.shape[0], attn_output.shape[2], attn_output.shape[1], -1)"),
      fault="dense-heads-not-transposed")
eager("attention_values_are_keys", "the softmax weights multiply the keys instead of the values", ("repeat_kv(value,", "repeat_kv(key,"),
      fault="dense-values-are-keys")
eager("attention_one_future_key", "every query also attends to the next key",
      (MASKED, SIZES + "later = torch.arange(k_len) == torch.arange(q_len)[:, None] + k_len - q_len + 1\n"
       "    attention_mask = attention_mask.masked_fill(later & (attention_mask == 0).any(2, True), 0)\n    " + MASKED),
      fault="dense-one-future-key")
eager("attention_padding_visible", "dense layers see keys that are padding",
      (MASKED, SIZES + "if module.indexer is None:\n"
       "        least = torch.finfo(query.dtype).min\n"
       "        attention_mask = torch.full((q_len, k_len), least).triu(k_len - q_len + 1).to(query.dtype)\n    " + MASKED),
      fault="dense-padding-visible")
eager("attention_no_mask_in_later_calls", "later calls attend to every key",
      (MASKED, "if attention_mask is not None and query.shape[2] == key.shape[2]:"),
      fault="dense-no-mask-in-later-calls dense-not-masked")
eager("attention_forgets_first_key", "only the first query sees the first key",
      (SOFTMAX, "attn_weights[:, :, int(query.shape[2] == key.shape[2]):, 0] = -1e30\n    " + SOFTMAX),
      fault="dense-forgets-first-key")
eager("attention_decode_misses_itself", "a decoded token does not see its own key",
      (SOFTMAX, f"if query.shape[2] == 1: attn_weights[..., -1] = -1e30\n    {SOFTMAX}"),
      fault="dense-decode-misses-itself dense-misses-its-own-key")
