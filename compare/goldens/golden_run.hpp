// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Judges one golden: builds the plan and spans, walks them, and fills the records, the accounting and the verdict.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "compare/judging/judge.hpp"
#include "compare/judging/record.hpp"
#include "core/plan.hpp"
#include "core/registry.hpp"
#include "core/sharding/layout.hpp"
#include "core/weights.hpp"
#include "golden/golden.hpp"
#include "replay/execution/execution.hpp"

namespace parity::compare {

/// Components and parameters for a plan, in place of the reference's components and the golden's parameters.
struct Rewritten {
  std::shared_ptr<const Registry> registry;
  std::unique_ptr<WeightSource> weights;
};
/// A different reading of the model, against which the candidate is judged. It edits the golden's plan.
using Hypothesis = std::function<Rewritten(Plan&, const WeightSource&)>;

/// Returns the computation of a candidate that runs in this process. `plan` is the golden's, `recorded` its taps.
using Compute = std::function<replay::Computation(const golden::Golden& golden, const Plan& plan,
                                                  const replay::TapSource& recorded)>;

struct RunOptions;
/// Runs every rank of a candidate's walk over a golden, which `options` judge.
using Ranks =
    std::function<replay::RankResults(const replay::RankedWalk&, const golden::Golden&, const RunOptions& options)>;

struct RunOptions {
  enum class Candidate : uint8_t { golden, reference, capture, computed };
  Candidate candidate = Candidate::golden;
  std::filesystem::path capture;          // activations.h5 whose taps are judged instead of the golden's
  Compute compute;                        // used by Candidate::computed
  std::string computed;                   // name on the command line: "cpu", "fault:rms_norm-without-one"
  std::map<std::string, Tensor> changed;  // taps of the golden or capture whose values are replaced before judging
  std::filesystem::path save;             // file to which the candidate's chained run is written; empty: none
  bool known_origin = false;              // the caller guarantees that the capture's values were computed
  enum class Inputs : uint8_t { own, golden };
  Inputs inputs = Inputs::own;        // inputs of a capture's nodes: its own taps, or the golden's (single kernels)
  std::vector<std::string> required;  // globs over taps or components that must be judged
  std::optional<double> nothing;      // a score at or below it means -inf, if the capture declares no such limit
  std::optional<Policy> policy;       // default: bits for goldens and the reference, bounds for every other candidate
  std::optional<Mode> mode;           // default: isolated, and chained (f32, f64) or forced (bf16)
  std::string select = "*";
  std::string profile;   // empty: the golden's profile
  Layout layout{};       // ranks among which the plan is divided
  Ranks ranks;           // runs these ranks; empty: threads of this process
  replay::Wrap wrap;     // around the communicator of every rank
  int64_t pictures = 0;  // most failing taps of a mode whose errors are drawn (Record::picture)
  Progress progress;
  Observer observe;
  Hypothesis hypothesis;  // empty: the plan is not edited
};

/// Judges one golden and returns its report. Throws only if the golden itself is damaged or unsupported.
[[nodiscard]] GoldenReport run_golden(const golden::Golden& golden, const RunOptions& options);

}  // namespace parity::compare
