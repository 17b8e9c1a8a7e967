// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A small model with drawn weights that is run on any inputs in any calls: what relations between runs are tried on.
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
  std::vector<int64_t> rows{};  // of the caches, that go on; empty: all, as they are
  bool beam = false;            // … by the package's method for beam search
  int64_t crop = 0;             // slots that are kept; negative: that are dropped; 0: no crop
};

/// What is read otherwise than the checkpoint says.
struct WeightEdits {
  std::vector<MapWeight> maps{};
  std::vector<Reorder> orders{};
};

struct Run {
  std::vector<Turn> turns;
  std::vector<int64_t> hidden{};  // per sequence, tokens at the end that the mask hides; empty: none
  std::vector<int64_t> holes{};   // columns that it hides in every sequence
  int64_t first_position = 0;     // of the first token
  int64_t static_slots = 0;       // 0: caches grow
  int64_t page_size = 0;          // of caches in pages; 0: they have none
  std::vector<int64_t> pages{};   // where the pages of the sequences lie, one sequence after the other; empty: in order
  std::vector<int64_t> later_pages{};  // where the table says so after the first call; empty: where they lie
  std::vector<Picture> images{};       // of the first turn
  std::vector<Picture> videos{};
  WeightEdits weights{};
};

using Taps = std::map<std::string, Tensor>;

/// Whose values a walk gives.
enum class Lane : uint8_t {
  candidate,  // what is tried, on its own values and decisions
  exact,      // the reference in binary64
  rounded,    // … as the oracle rounds, with the exact lane's decisions
};

/// One walk, or several that are compared as one, and what was seen on the way.
struct Walk {
  Lane lane = Lane::candidate;
  std::set<std::string> components{};  // of the plans
  /// Where a native candidate first chose otherwise than the exact scores do, though within their error.
  std::string flip{};

  void join(const Walk& other);
};

/// Columns [first, first + length) of (B, S) ids.
[[nodiscard]] Tensor columns(const Tensor& ids, int64_t first, int64_t length);
/// One call.
[[nodiscard]] Run whole(const Tensor& ids);
/// Calls of so many tokens.
[[nodiscard]] Run in_calls(const Tensor& ids, const std::vector<int64_t>& lengths);
/// `first` tokens at once, then one by one.
[[nodiscard]] Run one_by_one(const Tensor& ids, int64_t first);

class Subject {
 public:
  /// Binary32, eager; `tried` must outlive it, its fault is planted in every plan. `profile` empty: the newest.
  Subject(nlohmann::json config, uint64_t seed, const Tried& tried, std::string profile = {});

  /// Logits of every turn that has tokens, (B, S, V) f64.
  [[nodiscard]] std::vector<Tensor> turns(const Run& run, Walk& walk) const;
  /// The same, side by side.
  [[nodiscard]] Tensor logits(const Run& run, Walk& walk) const;
  /// The taps of `wanted` that a plan computes of its inputs.
  [[nodiscard]] Taps taps(const PlanRequest& request, const Taps& inputs, const std::vector<std::string>& wanted,
                          Walk& walk, const WeightEdits& weights = {}) const;
  /// `count` tokens below `limit` (0: any) for each of `batch` sequences, the same for the same seed.
  [[nodiscard]] Tensor tokens(int64_t batch, int64_t count, uint64_t seed, int64_t limit = 0) const;

  [[nodiscard]] PlanRequest request(std::vector<Call> calls) const;
  [[nodiscard]] int64_t words() const { return words_; }
  [[nodiscard]] const AxisSizes& sizes() const { return sizes_; }
  [[nodiscard]] const nlohmann::json& config() const { return config_; }
  [[nodiscard]] uint64_t seed() const { return seed_; }
  /// Whether a plan so far had a place for the fault.
  [[nodiscard]] bool planted() const { return planted_; }
  /// Of the plans so far.
  [[nodiscard]] const std::set<std::string>& components() const { return components_; }

 private:
  [[nodiscard]] PlanRequest request_of(const Run& run) const;
  /// What the candidate makes of the inputs; `decisions` (may be absent) gets its choices.
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
