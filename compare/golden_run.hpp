// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Judges one golden: plan, spans, walks, records, accounting, verdict.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "compare/judge.hpp"
#include "compare/record.hpp"
#include "core/plan.hpp"
#include "core/registry.hpp"
#include "core/weights.hpp"
#include "golden/golden.hpp"

namespace parity::compare {

/// What a plan is evaluated with in the place of the reference's components and the golden's own parameters.
struct Rewritten {
  std::shared_ptr<const Registry> registry;
  std::unique_ptr<WeightSource> weights;
};
/// Another reading of the model, to judge the candidate against: edits the golden's plan.
using Hypothesis = std::function<Rewritten(Plan&, const WeightSource&)>;

/// What a candidate that had to be run made of a golden's inputs.
struct MadeCapture {
  std::filesystem::path activations;
  std::set<std::string> components;     // that are the candidate's own; empty: all
  std::set<std::string> rounds_freely;  // of them: need not round where the oracle does
  std::set<std::string> taps;           // that are the candidate's own whatever computes them elsewhere
  std::vector<std::string> notes;       // for readers of the report
  std::shared_ptr<const void> keeper;   // of the file
};
using MakeCapture = std::function<MadeCapture(const golden::Golden&)>;

struct RunOptions {
  enum class Candidate : uint8_t { golden, reference, capture, made };
  Candidate candidate = Candidate::golden;
  std::filesystem::path capture;  // activations.h5 whose taps stand in for the golden's
  MakeCapture make;               // for Candidate::made
  std::string made;               // its name on the command line: "cpu", "fault:rms_norm-without-one"
  bool known_origin = false;      // whoever asks knows that the capture's values were computed, marker or not
  enum class Inputs : uint8_t { own, golden };
  Inputs inputs = Inputs::own;        // of a capture's nodes: its own taps, or the golden's (single kernels)
  std::vector<std::string> required;  // globs over taps or components that must have been judged
  std::optional<double> nothing;      // scores at or below it stand for -inf, where the capture says nothing of it
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
