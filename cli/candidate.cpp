// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/candidate.hpp"

#include <filesystem>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cases/backends.hpp"
#include "core/text.hpp"
#include "faults/computed.hpp"

namespace parity::cli {

void refuse_absent(const std::string& option, const std::string& candidate, const std::string& accepted) {
  const std::string given = fmt::format("{} '{}'", option, candidate);
  const optimized::Backend* backend = cases::backend_of(candidate);
  if (backend != nullptr) with_context(given, [&] { backend->require(); });
  bool absent = backend != nullptr;
  for (const char* word : {"optimized", "cuda", "gpu"}) absent |= cases::library_of(candidate) == word;
  PARITY_CHECK(!absent, device, "{}: this build has no such backend; use {}", given, accepted);
}

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
    const std::string accepted = fmt::format("golden, reference, {}, fault:ID, cpu+fault:ID or capture:FILE",
                                             fmt::join(cases::candidates(), ", "));
    const bool file = candidate.ends_with(".h5") || std::filesystem::exists(candidate);
    PARITY_CHECK(!file, usage, "--candidate '{0}' is a file; did you mean 'capture:{0}'?", candidate);
    refuse_absent("--candidate", candidate, accepted);
    std::vector<std::string> known = cases::candidates();
    known.insert(known.end(), {"golden", "reference", "capture:FILE"});
    throw Error(ErrorCode::usage, fmt::format("--candidate '{}' is not known{}; use {}", candidate,
                                              did_you_mean(candidate, known), accepted));
  }
}

}  // namespace parity::cli
