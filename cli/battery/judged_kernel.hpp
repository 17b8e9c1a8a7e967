// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Interprets --kernel of `battery`: which kernel is judged, on which cases, and the command that judges a case again.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cases/foreign/kernel.hpp"
#include "cli/studies/study_commands.hpp"

namespace parity::cli {

struct JudgedKernel {
  std::string words;  // "--kernel cpu", as a shell reads it
  cases::CaseKernel run;
  std::function<bool(const cases::CaseSpec&)> wanted;  // selects the cases that it can compute; empty: all
  std::optional<cases::ForeignKernel> foreign{};
  std::function<std::vector<cases::KernelGuards>()> guards{};  // of a kernel that no registry lists; else empty

  [[nodiscard]] std::string repro(const cases::CaseSpec& spec) const;
};

/// Error{usage} for an unknown word and for what is wrong with a kernel out of the tree, Error{device} for a backend
/// that this build or machine lacks. The names that `options.kernel` may have are those of battery_kernels().
[[nodiscard]] JudgedKernel judged_kernel(const BatteryOptions& options);

}  // namespace parity::cli
