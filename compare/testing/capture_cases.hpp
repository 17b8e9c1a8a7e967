// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// For tests: captures of embedded goldens, declared and filled with the golden's correct values.
#pragma once

#include "compare/captures/capture_init.hpp"
#include "compare/testing/golden_cases.hpp"
#include "golden/sources/declaration.hpp"

namespace parity::compare::tests {

/// Returns the taps that a capture of the golden must have, with the golden's values.
inline std::map<std::string, Tensor> goldens_values(const fs::path& folder) {
  const TemporaryFolder scratch;
  static_cast<void>(write_empty_capture(golden::Golden::open(folder), {}, scratch / "empty.h5"));
  const auto empty = golden::ActivationFile::open(scratch / "empty.h5");
  const auto recorded = golden::ActivationFile::open(folder / "activations.h5");
  std::map<std::string, Tensor> values;
  for (const golden::DatasetInfo& info : empty.datasets()) {
    if (info.attributes.contains(golden::kComputed) && !info.text) values[info.path] = recorded.read(info.path);
  }
  return values;
}

/// Writes what `parity capture init` makes, filled with the golden's values or those of `changes`.
inline fs::path filled_capture(const fs::path& folder, const fs::path& target, Changes changes = {},
                               const CaptureRequest& request = {}) {
  const TemporaryFolder scratch;
  static_cast<void>(write_empty_capture(golden::Golden::open(folder), request, scratch / "empty.h5"));
  const auto empty = golden::ActivationFile::open(scratch / "empty.h5");
  for (auto& [tap, values] : goldens_values(folder)) {
    if (empty.contains(tap) && !changes.drops(tap)) changes.values.try_emplace(tap, std::move(values));
  }
  changes.tap_attributes.try_emplace(golden::kComputed, "yes");
  (void)replay::tests::Copy(empty, target, changes);
  return target;
}

inline RunOptions of_file(const fs::path& capture, std::optional<Mode> mode = Mode::isolated) {
  RunOptions options;
  options.mode = mode;
  options.candidate = RunOptions::Candidate::capture;
  options.capture = capture;
  return options;
}

}  // namespace parity::compare::tests
