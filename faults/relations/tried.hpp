// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The implementation under test in relations: the reference, a faulty reference, or native kernels.
#pragma once

#include <optional>
#include <string>

#include "faults/edits/fault.hpp"
#include "replay/execution/native.hpp"

namespace parity::faults {

struct Tried {
  std::string name = "reference";
  const Fault* fault = nullptr;                    // planted fault; may be nullptr
  std::optional<replay::KernelTable> native = {};  // its own kernels; absent: the reference computes everything
};

[[nodiscard]] Tried planted(const Fault& fault);
/// Returns the implementation for a backend, "fault:ID", or "reference", in f32. In bf16, roundings change a small
/// model more than most relations can distinguish.
[[nodiscard]] Tried tried_as(const std::string& candidate);

}  // namespace parity::faults
