// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Judges one golden: plan, spans, walks, records, accounting, verdict.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "compare/judge.hpp"
#include "compare/record.hpp"
#include "core/plan.hpp"
#include "core/registry.hpp"
#include "core/weights.hpp"
#include "golden/golden.hpp"

namespace parity::compare {

/// Another reading of the model, to judge the candidate against: what it may really compute.
class Hypothesis {
 public:
  virtual ~Hypothesis() = default;
  /// Edits the golden's plan; returns what its parameters are read from, nothing when that does not change.
  [[nodiscard]] virtual std::unique_ptr<WeightSource> apply(Plan& plan, const WeightSource& weights) const = 0;
  /// Of the plan that was edited last.
  [[nodiscard]] virtual const Registry& registry() const = 0;
};

struct RunOptions {
  enum class Candidate : uint8_t { golden, reference, capture };
  Candidate candidate = Candidate::golden;
  std::filesystem::path capture;  // activations.h5 whose taps stand in for the golden's
  std::optional<Mode> mode;       // default: isolated and, for f32/f64, chained, else forced
  std::string select = "*";
  std::string profile;  // empty: the golden's own
  Progress progress;
  Observer observe;
  const Hypothesis* hypothesis = nullptr;  // must outlive the run
};

/// Errors of the golden itself (damaged, unsupported) are thrown; everything else is in the report.
[[nodiscard]] GoldenReport run_golden(const golden::Golden& golden, const RunOptions& options);

}  // namespace parity::compare
