// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Ways in which a capture is damaged between an engine and a file: a table of pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "faults/captures/capture_contents.hpp"
#include "faults/values/draws.hpp"

namespace parity::faults {

/// The capture that is damaged: a declared one (of `parity capture init`), or one whose only statement of origin is its
/// implementation.
enum class CaptureBase : uint8_t { declared, undeclared, any };

struct CaptureDamage {
  const char* name;  // "stale-layer"
  const char* what;
  CaptureBase base;
  /// Changes the contents and returns where, or nullopt if the capture has nothing to damage in this way.
  std::optional<std::string> (*damage)(CaptureContents& contents, Draws& draws);
  bool of_golden = false;  // a damage only if the values are the golden's; in other captures the statement may be true
};

[[nodiscard]] const std::vector<CaptureDamage>& capture_damages();

}  // namespace parity::faults
