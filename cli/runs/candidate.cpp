// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/runs/candidate.hpp"

#include <filesystem>

#include "cli/runs/choices.hpp"
#include "faults/computed.hpp"

namespace parity::cli {

void set_candidate(const std::string& candidate, compare::RunOptions& options) {
  using Candidate = compare::RunOptions::Candidate;
  constexpr std::string_view kCapture = "capture:";
  if (candidate.empty() || candidate == "golden") {
    options.candidate = Candidate::golden;
  } else if (candidate == "reference") {
    options.candidate = Candidate::reference;
  } else if (candidate.starts_with(kCapture)) {
    options.candidate = Candidate::capture;
    options.capture = candidate.substr(kCapture.size());
    PARITY_CHECK(!options.capture.empty(), usage, "--candidate '{}' lacks a file name; use capture:FILE", candidate);
    if (std::filesystem::is_directory(options.capture)) options.capture /= "activations.h5";
  } else if (faults::is_computed(candidate)) {
    options.candidate = Candidate::computed;
    options.computed = candidate;
    options.compute = faults::compute_of(candidate);
  } else {
    judged_values().refuse("--candidate", candidate);
  }
}

}  // namespace parity::cli
