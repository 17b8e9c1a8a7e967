// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Walkers evaluate a plan node by node and pass their findings to a Visitor. replay/ itself judges nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "replay/captures/tap_source.hpp"
#include "replay/runs/evaluator.hpp"
#include "replay/runs/variation.hpp"
#include "replay/spans/span.hpp"

namespace parity::replay {

/// One recorded tap with the reference's values for it.
struct Finding {
  const Outcome* outcome = nullptr;
  std::string field;
  std::string tap;
  Tensor recorded;                         // as stored; the visitor may replace it by another candidate's value
  const std::vector<int>* span = nullptr;  // nodes, if more than one: errors are inherited
  bool inherited = false;                  // the inputs are not the recording's
  bool binary32 = false;                   // a binary64 walk used binary32 tables that are not recorded
  std::vector<bool> uncomputed{};          // per element: not computed and not judged; empty: all were computed
  /// Computes the node in another correct way; empty if nothing can be computed again.
  std::function<std::unique_ptr<Varied>(const Variation&)> vary{};
};

class Visitor {
 public:
  virtual ~Visitor() = default;
  /// Judges a recorded discrete tap before any node depends on it. Returns true to continue with the recorded decision,
  /// false to continue with the walk's own.
  virtual bool decide(const Finding& finding) = 0;
  /// Called for an unrecorded discrete tap inside a span. The walk continues with the rounded evaluation's decision.
  virtual void undecided(const Outcome& outcome, const std::string& field) = 0;
  /// Judges a recorded tap of continuous values.
  virtual void judge(const Finding& finding) = 0;
  /// Called before a span (isolated) or a node (chained) is walked. `total` is their number.
  virtual void progress(size_t done, size_t total, const std::string& where) = 0;
  /// Called for a span that could not be evaluated. The walk continues with the next one.
  virtual void failed(const std::vector<std::string>& taps, const Error& error) = 0;
  /// Reports the working set of the span just walked.
  virtual void working_set(int64_t bytes, const std::string& where) = 0;
};

/// Returns a recorded tap as exact and rounded values. If it was stored in fewer bits than computed, the rounded value
/// is another number that rounds to the stored one: how far later results differ shows what storing hides.
[[nodiscard]] TapValue recorded_value(const TapSource& source, const std::string& tap);
/// Reads the plan's inputs (tokens/) that `node` is the first to need.
void read_inputs(const Plan& plan, const TapSource& inputs, const Node& node, Environment& taps);
/// Uses the recorded rotary tables in a chain, because the oracle computes those of a binary64 capture in binary32.
/// Returns false if there are none, or none is needed.
[[nodiscard]] bool take_recorded(const Evaluator& evaluator, const TapSource& recorded, const Node& node,
                                 Environment& taps);

/// Walks every span on the values of `sources.inputs`, so that each error is the span's own.
void walk_isolated(const Evaluator& evaluator, const Sources& sources, const std::vector<Span>& spans,
                   Visitor& visitor);

/// Walks the whole plan on its own values. Uses recorded decisions where the visitor returns true (forced: always).
void walk_chained(const Evaluator& evaluator, const Sources& sources, Visitor& visitor);

}  // namespace parity::replay
