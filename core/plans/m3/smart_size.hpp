// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The size rule of image and video processors, with which plan builders compute shapes and kernels judge recordings.
#pragma once

#include <cstdint>
#include <optional>

namespace parity {

struct SizeRule {
  int64_t factor = 28;      // both sides are multiples of this number, patch times merge
  int64_t least = 3136;     // smallest number of pixels
  int64_t most = 451584;    // largest number of pixels
  bool whole_side = false;  // a side is at least `factor` after scaling down (Qwen), not after rounding
};

struct ImageSize {
  int64_t height = 0;
  int64_t width = 0;
};

/// The size that smart_resize gives: sides rounded to the nearest multiple (ties to even, as in Python), then scaled
/// into the limits in binary64. A side may be 0. Nothing where the package raises: above 200 to 1, or a side below 1.
[[nodiscard]] std::optional<ImageSize> smart_size(const ImageSize& size, const SizeRule& rule);

}  // namespace parity
