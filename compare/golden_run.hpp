// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Judges one golden: plan, spans, walks, records, accounting, verdict.
#pragma once

#include <filesystem>
#include <optional>

#include "compare/judge.hpp"
#include "compare/record.hpp"
#include "golden/golden.hpp"

namespace parity::compare {

struct RunOptions {
  enum class Candidate : uint8_t { golden, reference, capture };
  Candidate candidate = Candidate::golden;
  std::filesystem::path capture;  // activations.h5 whose taps stand in for the golden's
  std::optional<Mode> mode;       // default: isolated and, for f32/f64, chained, else forced
  std::string select = "*";
  std::string profile;  // empty: the golden's own
  Progress progress;
};

/// Errors of the golden itself (damaged, unsupported) are thrown; everything else is in the report.
[[nodiscard]] GoldenReport run_golden(const golden::Golden& golden, const RunOptions& options);

}  // namespace parity::compare
