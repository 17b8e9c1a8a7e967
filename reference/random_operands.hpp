// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What the operands of random calls hold.
#pragma once

#include <cstdint>

namespace parity::reference {

/// What an operand holds.
enum class Fill : uint8_t {
  values,   // normal, at the scale of the call
  gates,    // normal times 8: beyond the clamps
  factors,  // normal, at most at scale 2: products of three stay finite
  logits,   // normal, at most at scale 8: their sigmoids stay above the underflow of binary32
  cosines,  // of random angles
  sines,
  unit,       // uniform in (0, 1], binary32: router weights
  bias,       // normal / 4
  scalar,     // one positive binary32 number
  codes,      // of e4m3, finite
  scales,     // as exponents around 127, or positive binary32 numbers
  tokens,     // ids below V
  rows,       // ids below B
  labels,     // ids below V or -100
  places,     // positions of this call's tokens, some behind left padding
  distances,  // positions up to 2^17
  mask,       // 0 and 1
  experts,    // distinct ids below E
  blocks,     // ids from -1 to J, repetitions too
  grid,       // (t, h, w) of every medium, P patches in all
  spliced,    // U image tokens, W video tokens, other ids
  pixels,     // 0 to 255
  sizes,      // of images: at least 28, at most 100
  sampled,    // of videos: frames, and how many of them, up to T
  letters,    // of a text without special tokens
  specials,   // four letters, NUL between them
  maxima,     // block scores: binary32, -inf in the future
};

struct Row {
  const char* component;
  const char* field;
  const char* axes;
  Fill fill;
};

/// Operands whose axes or contents are not simply those of the definition with "*" = "B,S", filled with values.
inline constexpr Row kRows[] = {
    {"attention_block_sparse", "mask", "B,K", Fill::mask},
    {"attention_block_sparse", "blocks", "list,S,L", Fill::blocks},
    {"attention_block_sparse", "pairs", "B,S,K", Fill::mask},
    {"attention_block_sparse", "positions", "B,S", Fill::places},
    {"attention_dense", "mask", "B,K", Fill::mask},
    {"block_mask", "blocks", "B,X,S,T", Fill::blocks},
    {"cache_append", "past", "B,G,Z,D", Fill::values},
    {"cache_edit", "past", "B,G,K,D", Fill::values},
    {"cache_edit", "rows", "B", Fill::rows},
    {"cast", "x", "B,S,H", Fill::unit},
    {"cross_entropy", "labels", "B,S", Fill::labels},
    {"cross_entropy", "aux_loss", "", Fill::scalar},
    {"dequantise", "codes", "GD,XD", Fill::codes},
    {"dequantise", "scales", "G,X", Fill::scales},
    {"document_pairs", "documents", "B,K", Fill::mask},
    {"document_pairs", "positions", "B,S", Fill::places},
    {"document_pairs", "valid", "B,K", Fill::mask},
    {"expert_load", "indices", "N,T", Fill::experts},
    {"expert_load", "token_mask", "N", Fill::mask},
    {"gather", "slots", "S", Fill::places},
    {"gather_ids", "parts", "N,T", Fill::experts},
    {"gelu", "x", "B,S,F", Fill::gates},
    {"frame_sampling", "frames", "N,2", Fill::sampled},
    {"frame_sampling", "rates", "N,2", Fill::unit},
    {"index_block_scores", "positions", "B,S", Fill::places},
    {"index_select", "block_scores", "list,S,J", Fill::maxima},
    {"index_select", "positions", "B,S", Fill::places},
    {"lightning_attention", "diagonal_decay", "1,A,Q,Q", Fill::unit},
    {"lightning_attention", "k", "B,A,S,D", Fill::factors},
    {"lightning_attention", "key_decay", "A,Q,1", Fill::unit},
    {"lightning_attention", "past", "B,A,D,D", Fill::factors},
    {"lightning_attention", "q", "B,A,S,D", Fill::factors},
    {"lightning_attention", "query_decay", "A,Q,1", Fill::unit},
    {"lightning_attention", "slope_rate", "A,1,1", Fill::unit},
    {"lightning_attention", "v", "B,A,S,D", Fill::factors},
    {"lightning_mask", "mask", "B,S", Fill::mask},
    {"lightning_tables", "stored_diagonal_decay", "1,A,Q,Q", Fill::unit},
    {"joined_linear", "weight", "F,2H", Fill::values},
    {"load_sum", "loads", "E", Fill::mask},
    {"media_mask", "grid", "M,3", Fill::grid},
    {"media_grid", "sizes", "M,2", Fill::sizes},
    {"moe_experts", "indices", "N,T", Fill::experts},
    {"moe_experts_preweighted", "indices", "N,T", Fill::experts},
    {"moe_experts_preweighted", "token_mask", "N", Fill::mask},
    {"moe_experts_preweighted", "weights", "N,T", Fill::unit},
    {"moe_experts", "weights", "N,T", Fill::unit},
    {"mtp_loss", "documents", "B,S", Fill::mask},
    {"mtp_loss", "labels", "B,S", Fill::labels},
    {"page_write", "past", "V,G,Q,D", Fill::values},
    {"page_write", "table", "B,J", Fill::tokens},
    {"paged_view", "pages", "V,G,Q,D", Fill::values},
    {"paged_view", "table", "B,J", Fill::tokens},
    {"partial_rope", "cos", "B,S,R", Fill::cosines},
    {"partial_rope", "sin", "B,S,R", Fill::sines},
    {"rotary_tables", "positions", "B,S", Fill::distances},
    {"patch_embed", "pixels", "P,2CYY", Fill::values},
    {"patch_embed", "weight", "H,C,2,Y,Y", Fill::values},
    {"patchify", "image", "TC,2Y,4Y", Fill::pixels},
    {"pool_last_token", "ids", "B,S", Fill::tokens},
    {"prompt_expansion", "prompt", "L", Fill::letters},
    {"prompt_expansion", "special_ids", "4", Fill::tokens},
    {"prompt_expansion", "special_text", "7", Fill::specials},
    {"resize_bicubic", "image", "C,H,F", Fill::pixels},
    {"router", "bias", "E", Fill::bias},
    {"router", "logits", "N,E", Fill::logits},
    {"router_aux_loss", "mask", "B,K", Fill::mask},
    {"slot_positions", "ids", "B,S", Fill::tokens},
    {"slot_positions", "slots", "S", Fill::tokens},
    {"router_balance_loss", "load", "E", Fill::mask},
    {"router_balance_loss", "scores", "N,E", Fill::unit},
    {"router_balance_loss", "token_mask", "N", Fill::mask},
    {"router_bias_update", "bias", "E", Fill::bias},
    {"router_bias_update", "load", "E", Fill::mask},
    {"shift_left", "ids", "B,S", Fill::tokens},
    {"smart_resize", "in", "N,5", Fill::sizes},
    {"softmax_router", "logits", "N,E", Fill::logits},
    {"independent_labels_loss", "labels", "B,L", Fill::unit},
    {"span_loss", "end", "B", Fill::rows},
    {"span_loss", "start", "B", Fill::rows},
    {"splice", "ids", "B,S", Fill::spliced},
    {"splice", "image", "U,H", Fill::values},
    {"splice", "video", "W,H", Fill::values},
    {"swiglu", "gate_up", "B,S,2F", Fill::gates},
    {"token_embedding", "ids", "B,S", Fill::tokens},
    {"token_equals", "ids", "B,S", Fill::spliced},
    {"token_mask", "mask", "B,K", Fill::mask},
    {"token_mask", "positions", "B,S", Fill::places},
    {"vision_attention", "grid", "M,3", Fill::grid},
    {"vision_rope", "cos", "P,R", Fill::cosines},
    {"vision_rope", "sin", "P,R", Fill::sines},
    {"vision_rotary_tables", "grid", "M,3", Fill::grid},
};

}  // namespace parity::reference
