// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A small model with drawn weights, run on any inputs in any calls. Relations compare its runs.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/plan.hpp"
#include "core/plans/request.hpp"
#include "core/tensor.hpp"
#include "faults/relations/pictures.hpp"
#include "faults/relations/reordered.hpp"
#include "faults/relations/tried.hpp"

namespace parity::faults {

/// A call of the model, or an edit of its caches.
struct Turn {
  Tensor ids{};                                                              // (B, S) i64; empty: an edit of the caches
  std::vector<int64_t> rows{};  // rows of the caches that continue; empty: all, unchanged
  bool beam = false;            // reorders by the package's method for beam search
  int64_t crop = 0;             // number of slots kept; negative: number dropped; 0: no crop
};

/// Changes to weights as they are read from the checkpoint.
struct WeightEdits {
  std::vector<MapWeight> maps{};
  std::vector<Reorder> orders{};
};

struct Run {
  std::vector<Turn> turns;
  std::vector<int64_t> hidden{};       // number of last tokens of each sequence that the mask hides; empty: none
  std::vector<int64_t> holes{};        // columns that the mask hides in every sequence
  int64_t first_position = 0;          // position of the first token
  int64_t static_slots = 0;            // slots of a static cache; 0: caches grow
  int64_t page_size = 0;               // slots per page; 0: no pages
  std::vector<int64_t> pages{};        // pages of each sequence, one sequence after the other; empty: in order
  std::vector<int64_t> later_pages{};  // pages in the table after the first call; empty: `pages`
  std::vector<Picture> images{};       // images of the first turn
  std::vector<Picture> videos{};
  WeightEdits weights{};
};

using Taps = std::map<std::string, Tensor>;

/// The values that a walk computes.
enum class Lane : uint8_t {
  candidate,  // the candidate's, on its own values and decisions
  exact,      // the reference's in binary64
  rounded,    // the oracle-rounded reference's, with the exact walk's decisions
};

/// One walk, or several compared as one, with information collected on the way.
struct Walk {
  Lane lane = Lane::candidate;
  std::set<std::string> components{};  // components of the walked plans
  /// First choice of a native candidate that differs from the exact one within the error of the scores.
  std::string flip{};

  void join(const Walk& other);
};

/// Returns columns [first, first + length) of (B, S) ids.
[[nodiscard]] Tensor columns(const Tensor& ids, int64_t first, int64_t length);
/// Returns a run of one call.
[[nodiscard]] Run whole(const Tensor& ids);
/// Returns a run whose calls have the given numbers of tokens.
[[nodiscard]] Run in_calls(const Tensor& ids, const std::vector<int64_t>& lengths);
/// Returns a run with a first call of `first` tokens, and then one call per token.
[[nodiscard]] Run one_by_one(const Tensor& ids, int64_t first);

class Subject {
 public:
  /// Makes an f32 model with eager attention and the fault of `tried`, which must outlive it. Empty `profile`: newest.
  Subject(nlohmann::json config, uint64_t seed, const Tried& tried, std::string profile = {});

  /// Returns the logits of every turn that has tokens: (B, S, V) f64.
  [[nodiscard]] std::vector<Tensor> turns(const Run& run, Walk& walk) const;
  /// Returns the logits of all turns, concatenated along S.
  [[nodiscard]] Tensor logits(const Run& run, Walk& walk) const;
  /// Returns the taps in `wanted` that a plan computes from its inputs.
  [[nodiscard]] Taps taps(const PlanRequest& request, const Taps& inputs, const std::vector<std::string>& wanted,
                          Walk& walk, const WeightEdits& weights = {}) const;
  /// Draws `count` tokens below `limit` (0: any) for each of `batch` sequences. They depend only on the arguments.
  [[nodiscard]] Tensor tokens(int64_t batch, int64_t count, uint64_t seed, int64_t limit = 0) const;

  [[nodiscard]] PlanRequest request(std::vector<Call> calls) const;
  [[nodiscard]] int64_t words() const { return words_; }
  [[nodiscard]] const AxisSizes& sizes() const { return sizes_; }
  [[nodiscard]] const nlohmann::json& config() const { return config_; }
  [[nodiscard]] uint64_t seed() const { return seed_; }
  /// Whether a plan so far had a node for the fault.
  [[nodiscard]] bool planted() const { return planted_; }
  /// Returns the components of the plans so far.
  [[nodiscard]] const std::set<std::string>& components() const { return components_; }

 private:
  [[nodiscard]] PlanRequest request_of(const Run& run) const;
  /// Returns the taps that the candidate computes. Stores its choices in `decisions`, which may be nullptr.
  [[nodiscard]] Taps candidate(const Plan& plan, const Taps& inputs, const std::vector<std::string>& wanted,
                               const WeightSource& weights, Taps* decisions) const;

  nlohmann::json config_;
  uint64_t seed_;
  const Tried& tried_;
  std::string system_, profile_;
  int64_t words_ = 0;
  AxisSizes sizes_;
  mutable bool planted_ = false;
  mutable std::set<std::string> components_;
};

}  // namespace parity::faults
