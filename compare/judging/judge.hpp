// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The judge converts the findings of the walkers to records.
#pragma once

#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "compare/judging/choices.hpp"
#include "compare/judging/elements.hpp"
#include "compare/judging/record.hpp"
#include "compare/judging/taint.hpp"
#include "compare/judging/tolerance.hpp"
#include "replay/runs/recording.hpp"
#include "replay/spans/walk.hpp"

namespace parity::compare {

/// Reports the progress of a long run: number done, total number, current tap.
using Progress = std::function<void(size_t, size_t, const std::string&)>;
/// Receives every recorded tap with the reference's values. The values are nullptr for ids and integers.
using Observer = std::function<void(const replay::Finding&, const Values*)>;

struct JudgeOptions {
  Mode mode = Mode::isolated;
  std::string backend = "golden";          // name of the candidate whose values are judged
  bool reference_values = false;           // judge the oracle-rounded reference itself
  std::string select = "*";                // glob over taps
  std::string repro_prefix;                // "parity repro 'm3-text-bf16#"; empty: no repro lines
  std::string repro_options;               // " --candidate 'capture:mine.h5'"
  std::vector<std::string> free_rounding;  // components that may round at other points than the oracle (streaming sdpa)
  golden::Statements stated;               // the candidate's statements on how its components compute
  Policy policy = Policy::bits;            // Policy::bounds: another correct way to round passes
  bool own_decisions = false;              // the reference has a fault: choices need not follow from scores
  bool systematic = true;                  // also judge mean deviations and shares of bits
  bool marked = false;                     // outputs held Poison::nan before the candidate's kernel ran
  bool exact = false;  // operands on which nothing rounds: every correct candidate has the reference's bits
  BlockOrder block_order = BlockOrder::list;  // how the candidate orders block ids
  int64_t pictures = 0;                       // most failing taps whose errors are drawn (Record::picture)
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

  /// Adds a record for a recorded tap of another shape (fail) or of another type (error: it violates the format).
  void mismatched(const std::string& tap, const replay::Mismatch& mismatch);

  /// Adds a skipped record for a recorded tap that the candidate does not compute.
  void skipped(const std::string& tap, const std::string& reason);

  /// Returns the records in plan order.
  [[nodiscard]] std::vector<Record> take_records();
  [[nodiscard]] int64_t largest_span_bytes() const { return largest_bytes_; }
  [[nodiscard]] const std::string& largest_span() const { return largest_span_; }

 private:
  [[nodiscard]] Record begin(const replay::Finding& finding, const Tensor& candidate) const;
  [[nodiscard]] Tensor candidate_of(const replay::Finding& finding) const;
  /// Returns the command that judges only this tap again, or an empty string if there is no prefix.
  [[nodiscard]] std::string repro_of(const std::string& tap) const;
  [[nodiscard]] bool selected(const std::string& tap) const;
  /// Whether the ids of `tap` are a choice that is not recorded, or copies of them.
  [[nodiscard]] bool undecided_ids(const std::string& tap) const;
  [[nodiscard]] bool free_slot_order(const replay::Finding& finding) const;
  /// Returns the rules for a tap of numbers that are known before its values are read.
  [[nodiscard]] ElementRules rules_of(const replay::Finding& finding, const Tensor& candidate) const;
  [[nodiscard]] bool claims_rounding(const replay::Finding& finding) const;
  /// Searches for another correct way to round under which the values of the failing `record` pass.
  void read_otherwise(const replay::Finding& finding, const Tensor& got, const Values& values,
                      const ElementRules& rules, Record& record) const;
  void add_verdict(const std::string& tap, Status status, const std::string& reason);
  void finish(Record record, const replay::Finding& finding);

  const replay::Evaluator& evaluator_;
  JudgeOptions options_;
  Taint taint_;
  std::set<std::string> undecided_;                              // discrete taps that are not recorded
  std::vector<std::pair<std::pair<int, int>, Record>> records_;  // key: node, output
  double chain_drift_ = 0.0;                                     // largest relative drift of the chain so far
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();  // end of the last record
  int64_t largest_bytes_ = 0;
  std::string largest_span_;
};

}  // namespace parity::compare
