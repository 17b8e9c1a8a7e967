// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The size rule of the image and video processors: plan builders need it for shapes, kernels to judge recordings by.
#pragma once

#include <cstdint>
#include <optional>

namespace parity {

struct SizeRule {
  int64_t factor = 28;      // sides are multiples of it: patch times merge
  int64_t least = 3136;     // pixels
  int64_t most = 451584;    // pixels
  bool whole_side = false;  // a side keeps at least the factor when it is scaled down, not when it is rounded (Qwen's)
};

struct ImageSize {
  int64_t height = 0;
  int64_t width = 0;
};

/// smart_resize: both sides to the nearest multiple (ties to the even one, as Python's round), scaled into the limits in
/// binary64. A side may be lost (0). Nothing where the package raises: sides more than 200 to 1, or one below 1.
[[nodiscard]] std::optional<ImageSize> smart_size(const ImageSize& size, const SizeRule& rule);

}  // namespace parity
