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

/// Images or videos that a call brings along: one run of the vision tower.
struct Media {
  std::string kind;     // "image" or "video"
  int64_t patches = 0;  // P, of all media together
  int64_t count = 0;    // M
};

/// An edit of the caches, which replaces a call: rows in another order, fewer or more
/// of them (tokens/cache_rows), or slots cropped.
struct CacheEdits {
  bool rows = false;
  bool reorder = false;  // … by the package's separate method for beam search
  int64_t crop = 0;      // as given to the package: slots that are kept; negative: slots that are dropped; 0: no crop
};

/// One forward call; all calls of a plan share one cache.
struct Call {
  std::string id;         // "000"
  int64_t batch = 1;      // B
  int64_t tokens = 1;     // S, new in this call; 0: the vision tower alone, or edits
  int64_t keys = 1;       // K, slots after this call
  bool labels = false;    // the loss is computed
  bool aux_loss = false;  // … and the router's auxiliary loss with it
  std::vector<Media> media{};
  bool mask = true;            // brings an attention mask; without one all tokens are real
  bool positions = true;       // brings position ids; without them slots count
  bool training = false;       // further tokens are predicted, where the model can
  double num_items = 0.0;      // divides the sum of the loss; 0: the number of counted tokens does
  double mtp_factor = 0.1;     // of their loss
  double packed_factor = 0.0;  // of their loss within documents (tokens/seq_idx); 0: not computed
  bool balance_loss = false;   // of every router
  double bias_rate = 0.0;      // of the correction bias, updated after this call; 0: it is not
  int64_t second_batch = 0;    // … with the load of tokens/second_input_ids, all real, added: its rows, or none
  int64_t second_tokens = 0;   // … and its tokens in each row; may differ from this call's
  bool pairs = false;          // the mask is [B,1,S,K]: which token sees which slot
  bool padding = false;        // tokens/padding_mask marks the padding
  bool real_labels = false;    // labels are numbers of the working type, not ids
  std::optional<CacheEdits> edits{};  // nothing is computed (tokens is 0); batch and keys are those after it
};

/// A prefill of `tokens` tokens, then `decoded` calls of one token each.
inline std::vector<Call> prefill_and_decode(int64_t batch, int64_t tokens, int64_t decoded, bool labels = false) {
  std::vector<Call> calls{{"000", batch, tokens, tokens, labels}};
  for (int64_t call = 1; call <= decoded; ++call)
    calls.push_back({fmt::format("{:03}", call), batch, 1, tokens + call});
  return calls;
}

/// How several processes shared the calls.
enum class Split : uint8_t {
  none,
  experts,   // call r is what process r computed; each owns a share of the experts
  sequence,  // each process holds two chunks of every call: the r-th from the front and the r-th from the back
};

/// What stands on the final norm.
enum class Head : uint8_t {
  language,  // the next token
  sequence,  // a class of the sequence
  token,     // a class of every token
  question,  // start and end of an answer
};

struct PlanRequest {
  std::string profile = "hf-5.12.0";
  std::string attention = "eager";
  DType working = DType::bf16;
  std::vector<Call> calls;
  bool stored_decays = false;  // the checkpoint holds the decay tables of lightning attention
  Head head = Head::language;
  int64_t static_slots = 0;   // of a cache of fixed length; 0: it grows with every call
  int64_t page_size = 0;      // slots of a page of the caches; 0: they have no pages
  int64_t pages = 0;          // that there are, of every layer and cache
  Split split = Split::none;  // how several processes share the calls, if they do
  int64_t processes = 1;
};

}  // namespace parity
