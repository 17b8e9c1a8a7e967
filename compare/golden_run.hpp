// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Judges one golden: plan, spans, walks, records, accounting, verdict.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "compare/judge.hpp"
#include "compare/record.hpp"
#include "core/plan.hpp"
#include "core/registry.hpp"
#include "core/weights.hpp"
#include "golden/golden.hpp"
#include "replay/execution.hpp"

namespace parity::compare {

/// What a plan is evaluated with instead of the reference's components and the golden's own parameters.
struct Rewritten {
  std::shared_ptr<const Registry> registry;
  std::unique_ptr<WeightSource> weights;
};
/// Another reading of the model, to judge the candidate against: edits the golden's plan.
using Hypothesis = std::function<Rewritten(Plan&, const WeightSource&)>;

/// A candidate that is computed here: with which kernels, of which plan. `plan` is the golden's, `recorded` what it holds.
using Compute = std::function<replay::Computation(const golden::Golden& golden, const Plan& plan,
                                                  const replay::TapSource& recorded)>;

struct RunOptions {
  enum class Candidate : uint8_t { golden, reference, capture, computed };
  Candidate candidate = Candidate::golden;
  std::filesystem::path capture;          // activations.h5 whose taps are judged instead of the golden's
  Compute compute;                        // for Candidate::computed
  std::string computed;                   // its name on the command line: "cpu", "fault:rms_norm-without-one"
  std::map<std::string, Tensor> changed;  // taps of the golden (or capture) that are judged with other values
  std::filesystem::path save;             // where the candidate's own run is written as a capture; empty: nowhere
  bool known_origin = false;              // the caller knows that the capture's values were computed, marker or not
  enum class Inputs : uint8_t { own, golden };
  Inputs inputs = Inputs::own;        // of a capture's nodes: its own taps, or the golden's (single kernels)
  std::vector<std::string> required;  // globs over taps or components that must have been judged
  std::optional<double> nothing;      // scores at or below it mean -inf, if the capture does not declare one
  std::optional<Policy> policy;       // default: bits of goldens and the reference, bounds of everything else
  std::optional<Mode> mode;           // default: isolated and, for f32/f64, chained, else forced
  std::string select = "*";
  std::string profile;  // empty: the golden's own
  Progress progress;
  Observer observe;
  Hypothesis hypothesis;  // empty: the plan as it is
};

/// Errors of the golden itself (damaged, unsupported) are thrown; everything else is in the report.
[[nodiscard]] GoldenReport run_golden(const golden::Golden& golden, const RunOptions& options);

}  // namespace parity::compare
