// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What relations are tried on: the reference, the reference with a fault planted, or native kernels in its place.
#pragma once

#include <optional>
#include <string>

#include "faults/edits/fault.hpp"
#include "replay/native.hpp"

namespace parity::faults {

struct Tried {
  std::string name = "reference";
  const Fault* fault = nullptr;                    // planted; may be absent
  std::optional<replay::KernelTable> native = {};  // what it computes itself; absent: everything is the reference's
};

[[nodiscard]] Tried planted(const Fault& fault);
/// A backend, "fault:ID", or "reference". In f32: what roundings of bf16 alone may do
/// to a small model is more than most relations have to tell apart.
[[nodiscard]] Tried tried_as(const std::string& candidate);

}  // namespace parity::faults
