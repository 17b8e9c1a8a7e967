// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The shapes of the matrix unit's (AMX) registers: eight tiles of sixteen rows of 64 bytes.
#pragma once

#include <cstdint>

namespace parity::cpu {

struct alignas(64) TileShapes {
  uint8_t palette = 1, start = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
inline constexpr TileShapes kTileShapes{};

}  // namespace parity::cpu
