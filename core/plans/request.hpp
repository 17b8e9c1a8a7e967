// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The request to a plan builder: profile, type, and the forward calls.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/dtype.hpp"
#include "core/error.hpp"

namespace parity {

/// Images or videos that are inputs of a call; the vision tower runs once for each of these.
struct Media {
  std::string kind;     // "image" or "video"
  int64_t patches = 0;  // P, of all images or videos together
  int64_t count = 0;    // M
};

/// An edit of the caches, in place of a forward call: rows are reordered, dropped or repeated (tokens/cache_rows), slots
/// are cropped, or all of it is given.
struct CacheEdits {
  bool rows = false;
  bool reorder = false;  // the rows are chosen by the package's method for beam search
  int64_t crop = 0;      // argument of the package: slots to keep; if negative, slots to drop; 0: no crop
  /// Layers whose caches are inputs of the plan from here on, because calls outside of it filled them. Later calls
  /// compute these layers alone. Empty: no caches are given.
  std::vector<int64_t> given{};
};

/// One forward call; all calls of a plan share one cache.
struct Call {
  std::string id;         // "000"
  int64_t batch = 1;      // B
  int64_t tokens = 1;     // S, new in this call; 0: only the vision tower runs, or `edits`
  int64_t keys = 1;       // K, slots after this call
  bool labels = false;    // the loss is computed
  bool aux_loss = false;  // the router's auxiliary loss is computed, too
  std::vector<Media> media{};
  bool mask = true;            // has an attention mask; without one all tokens are real
  bool positions = true;       // has position ids; without them a token's position is its slot
  bool training = false;       // a training step: the model also predicts further tokens, if it can
  double num_items = 0.0;      // divisor of the summed loss; 0: the number of counted tokens
  double mtp_factor = 0.1;     // factor of the loss of further tokens
  double packed_factor = 0.0;  // factor of that loss within documents (tokens/seq_idx); 0: not computed
  bool balance_loss = false;   // computes the balance loss of every router
  double bias_rate = 0.0;      // update rate of the correction bias after this call; 0: no update
  int64_t second_batch = 0;    // rows of tokens/second_input_ids, whose expert load is added for that update; 0: none
  int64_t second_tokens = 0;   // tokens in each of those rows; may differ from `tokens`
  bool pairs = false;          // the mask is [B,1,S,K]: the slots that each token sees
  bool padding = false;        // tokens/padding_mask marks the padding
  bool real_labels = false;    // labels are numbers of the working type, not ids
  std::optional<CacheEdits> edits{};  // `tokens` is 0: nothing is computed; batch and keys are those after the edit
};

/// A prefill of `tokens` tokens, then `decoded` calls of one token each.
inline std::vector<Call> prefill_and_decode(int64_t batch, int64_t tokens, int64_t decoded, bool labels = false) {
  std::vector<Call> calls{{"000", batch, tokens, tokens, labels}};
  for (int64_t call = 1; call <= decoded; ++call)
    calls.push_back({fmt::format("{:03}", call), batch, 1, tokens + call});
  return calls;
}

/// How several processes divided the calls among them.
enum class Split : uint8_t {
  none,
  experts,   // process r computed call r; each process owns a share of the experts
  sequence,  // each process holds two chunks of every call: the r-th from the front and the r-th from the back
};

/// The head on the final norm.
enum class Head : uint8_t {
  language,  // predicts the next token
  sequence,  // classifies the sequence
  token,     // classifies every token
  question,  // scores every token as start and as end of an answer
};

struct PlanRequest {
  std::string profile = "hf-5.12.0";
  std::string attention = "eager";
  DType working = DType::bf16;
  std::vector<Call> calls;
  bool stored_decays = false;  // the checkpoint contains the decay tables of lightning attention
  Head head = Head::language;
  int64_t static_slots = 0;   // length of a static cache; 0: the cache grows with every call
  int64_t page_size = 0;      // slots of a page of the caches; 0: they have no pages
  int64_t pages = 0;          // number of pages of each layer's cache
  Split split = Split::none;  // how several processes share the calls, if they do
  int64_t processes = 1;
};

}  // namespace parity
