// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Study of faults of ranks and of messages between them: each is planted at drawn ranks of a drawn layout and golden,
// and the judge must notice it and name the rank or the link.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "compare/judging/record.hpp"
#include "core/sharding/layout.hpp"
#include "faults/edits/rank_edits.hpp"

namespace parity::faults {

/// Minimum share of faults that the judge must notice, and of all faults whose rank or link it must name.
constexpr double kLeastRankFaultsKilled = 0.98;
constexpr double kLeastRanksNamed = 0.97;

struct RankStudyOptions {
  std::vector<std::filesystem::path> goldens;
  std::filesystem::path captures;  // folder of captures of ranks; empty: none is damaged
  std::string select = "*";        // glob over fault ids
  std::string backend;             // in whose kernels they are planted; empty: the reference
  uint64_t seed = 1;
  int64_t repeats = 1;  // how often each fault is planted, at other ranks
  int threads = 0;      // 0: one per processor
  std::function<void(size_t, size_t)> progress;
};

/// What a fault is of.
enum class RankKind : uint8_t { rank, link, context_rank, context_link, capture };
[[nodiscard]] const char* kind_name(RankKind kind);

struct RankTrial {
  std::string fault;   // id
  std::string word;    // with its ranks: "link-sum-zero@3-2-5-0"
  std::string golden;  // path
  Layout layout;
  bool of_link = false;
  std::vector<int64_t> wrong;  // ranks at which the fault changes the first tap
  std::string tap;             // that tap, without a rank; empty: no draw had an effect
  compare::Status verdict = compare::Status::pass;
  std::string named_tap, text;  // of the judge
  bool named = false;           // the tap, the ranks, and of a message its sender
  std::string defect;           // why it could not be planted: an error in the catalogue
  std::string lent;             // component of which the candidate has no kernel: the reference has the fault
  bool of_capture = false;

  [[nodiscard]] RankKind kind() const;
  [[nodiscard]] bool planted() const { return !tap.empty(); }
  [[nodiscard]] bool killed() const { return planted() && verdict == compare::Status::fail; }
};

/// A candidate without a fault, or an undamaged capture, that was judged.
struct CleanRun {
  Layout layout;
  std::string alarm;  // where and why it does not pass; empty: it does
};

/// Numbers of trials.
struct RankCounts {
  int64_t asked = 0, killed = 0, named = 0;

  void add(const RankTrial& trial);
};

struct RankStudy {
  std::vector<RankTrial> trials;
  std::vector<CleanRun> clean;

  [[nodiscard]] RankCounts counts() const;
  [[nodiscard]] std::vector<std::string> false_alarms() const;
  [[nodiscard]] int64_t faults(bool planted) const;  // numbers of ids
  [[nodiscard]] bool holds() const;
};

/// Runs the study. The result does not depend on the number of threads.
[[nodiscard]] RankStudy run_rank_study(const RankStudyOptions& options);

}  // namespace parity::faults
