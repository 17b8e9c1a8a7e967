// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Checks between ranks, beside the verdict on each tap of each rank, and the sentence that names the wrong rank or link.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/judging/judge.hpp"
#include "compare/judging/record.hpp"
#include "compare/ranks/link_search.hpp"
#include "compare/ranks/replicas.hpp"

namespace parity::compare {

class RankChecks {
 public:
  /// Both must outlive the object.
  RankChecks(const replay::Evaluator& evaluator, const Layout& layout) : evaluator_(evaluator), layout_(layout) {}

  /// Whether ranks exchange values to have the tap: it belongs to the run, whoever's kernel joins the parts.
  [[nodiscard]] bool is_received(const std::string& tap) const;
  /// Returns an observer that also keeps a digest of every tap that is judged from now on.
  [[nodiscard]] Observer observing(Observer also);
  /// Judges each exchange of a run on its own values by what its ranks sent: `records`, which are of that run, fail
  /// where a rank did not receive it.
  void check_exchanges(const replay::TapSource& run, JudgeOptions options, std::vector<Record>& records) const;
  /// Fails taps that ranks must repeat and do not, and finds the message that the first failing exchange received
  /// wrong. `records` are those of one walk over `values`.
  void check(const replay::TapSource& values, std::vector<Record>& records);
  /// Says which rank or link is wrong at the first divergence, if it is a tap of a rank.
  void name_rank(GoldenReport& report) const;

 private:
  [[nodiscard]] std::optional<RankFinding> finding(const GoldenReport& report) const;
  void check_replicas(std::vector<Record>& records);
  void find_link(const replay::TapSource& values, const std::vector<Record>& records);
  /// Tells the suspects apart by what else the rank received from the same ranks.
  void settle(LinkFinding& link, const Exchange& first, const replay::TapSource& values) const;
  [[nodiscard]] std::string link_text(const Record& first, const RankFinding& finding,
                                      const std::vector<Record>& records) const;

  using Key = std::pair<Mode, std::string>;  // mode, tap

  const replay::Evaluator& evaluator_;
  Layout layout_;
  Digests digests_;
  std::map<Key, Disagreement> disagreements_;
  std::map<Key, LinkFinding> links_;
};

}  // namespace parity::compare
