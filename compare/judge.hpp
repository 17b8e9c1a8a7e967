// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The judge: turns what the walkers find into records.
#pragma once

#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "compare/choices.hpp"
#include "compare/elements.hpp"
#include "compare/record.hpp"
#include "compare/taint.hpp"
#include "compare/tolerance.hpp"
#include "replay/recording.hpp"
#include "replay/walk.hpp"

namespace parity::compare {

/// Reports progress of long runs: done, total, where.
using Progress = std::function<void(size_t, size_t, const std::string&)>;
/// Gets every recorded tap with the reference's values, as the judge does; no values for ids and integers.
using Observer = std::function<void(const replay::Finding&, const Values*)>;

struct JudgeOptions {
  Mode mode = Mode::isolated;
  std::string backend = "golden";          // whose values are judged
  bool reference_values = false;           // judge the oracle-rounded reference itself
  std::string select = "*";                // glob over taps
  std::string repro_prefix;                // "parity repro 'm3-text-bf16#"; empty: no repro lines
  std::string repro_options;               // " --candidate 'capture:mine.h5'"
  std::vector<std::string> free_rounding;  // components that need not round where the oracle does (streaming sdpa)
  golden::Statements stated;               // by the candidate, of how its components compute
  Policy policy = Policy::bits;            // bounds: another right way to round is green
  bool own_decisions = false;  // the reference carries a fault: what it chooses need not follow from its scores
  bool systematic = true;      // judge what no single element shows: mean deviations, shares of bits
  bool exact = false;          // nothing may round on these operands: every correct candidate has the reference's bits
  BlockOrder block_order = BlockOrder::list;  // how the candidate's block ids are meant
  Progress progress;
  Observer observe;
};

class JudgeVisitor : public replay::Visitor {
 public:
  JudgeVisitor(const replay::Evaluator& evaluator, JudgeOptions options);

  bool decide(const replay::Finding& finding) override;
  void undecided(const replay::Outcome& outcome, const std::string& field) override;
  void judge(const replay::Finding& finding) override;
  void progress(size_t done, size_t total, const std::string& where) override;
  void failed(const std::vector<std::string>& taps, const Error& error) override;
  void working_set(int64_t bytes, const std::string& where) override;

  /// A recorded tap of another shape (fail) or type (error: the recording is not what its format says).
  void mismatched(const std::string& tap, const replay::Mismatch& mismatch);

  /// A recorded tap that the candidate does not compute.
  void skipped(const std::string& tap, const std::string& reason);

  /// Records in plan order.
  [[nodiscard]] std::vector<Record> take_records();
  [[nodiscard]] int64_t largest_span_bytes() const { return largest_bytes_; }
  [[nodiscard]] const std::string& largest_span() const { return largest_span_; }

 private:
  [[nodiscard]] Record begin(const replay::Finding& finding, const Tensor& candidate) const;
  [[nodiscard]] Tensor candidate_of(const replay::Finding& finding) const;
  /// The command that judges the tap alone again; empty without a prefix.
  [[nodiscard]] std::string repro_of(const std::string& tap) const;
  [[nodiscard]] bool selected(const std::string& tap) const;
  [[nodiscard]] bool free_slot_order(const replay::Finding& finding) const;
  /// What the judge knows of a tap of numbers before it looks at values.
  [[nodiscard]] ElementRules rules_of(const replay::Finding& finding, const Tensor& candidate) const;
  [[nodiscard]] bool claims_rounding(const replay::Finding& finding) const;
  /// Looks for a right way to round in which the values of `record`, which fails, are right after all.
  void read_otherwise(const replay::Finding& finding, const Tensor& got, const Values& values,
                      const ElementRules& rules, Record& record) const;
  void add_verdict(const std::string& tap, Status status, const std::string& reason);
  void finish(Record record, const replay::Finding& finding);

  const replay::Evaluator& evaluator_;
  JudgeOptions options_;
  Taint taint_;
  std::set<std::string> undecided_;                              // discrete taps that are not recorded
  std::vector<std::pair<std::pair<int, int>, Record>> records_;  // (node, output) -> record
  double chain_drift_ = 0.0;                                     // largest relative drift of a chain so far
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();  // when the last one was finished
  int64_t largest_bytes_ = 0;
  std::string largest_span_;
};

}  // namespace parity::compare
