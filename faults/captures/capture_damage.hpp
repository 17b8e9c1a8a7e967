// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// How captures go wrong between an engine and a file. Pure functions in a table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "faults/captures/capture_contents.hpp"
#include "faults/values/draws.hpp"

namespace parity::faults {

/// What is damaged: a declared capture (of `parity capture init`), or one that says nothing of its origin but its
/// implementation.
enum class CaptureBase : uint8_t { declared, undeclared, any };

struct CaptureDamage {
  const char* name;  // "stale-layer"
  const char* what;
  CaptureBase base;
  /// Changes the contents and says where; nothing when there is no place for it.
  std::optional<std::string> (*damage)(CaptureContents& contents, Draws& draws);
  bool of_golden = false;  // damage only where the values are the golden's: another's may say so
};

[[nodiscard]] const std::vector<CaptureDamage>& capture_damages();

}  // namespace parity::faults
