// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/bound/occupancy.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace parity::ptx {
namespace {

// Units of allocation, as CUDA's cuda_occupancy.h has them for compute capability 8.0 and later.
constexpr uint32_t kWarp = 32, kParts = 4;  // an SM has four parts with registers of their own
constexpr uint32_t kRegisterUnit = 256;     // registers of a warp
constexpr uint32_t kSharedUnit = 128;       // bytes
constexpr uint32_t kReserved = 1024;        // bytes of shared memory that the system takes of each block
constexpr uint32_t kMostRegisters = 256;    // of a thread
constexpr uint32_t kNoLimit = ~uint32_t{0};

uint32_t rounded_up(uint32_t value, uint32_t unit) { return (value + unit - 1) / unit * unit; }

uint32_t blocks_by_registers(const BlockNeeds& block, uint32_t warps, const Residency& sm) {
  if (block.registers > kMostRegisters) return 0;
  const uint32_t of_warp = rounded_up(block.registers * kWarp, kRegisterUnit);
  if (of_warp == 0) return kNoLimit;
  if (of_warp * rounded_up(warps, kParts) > sm.registers) return 0;  // a launch is checked as if all parts took part
  return sm.registers / kParts / of_warp * kParts / warps;
}

}  // namespace

Occupancy occupancy_of(const BlockNeeds& block, const Residency& sm) {
  const uint32_t warps = rounded_up(std::max<uint32_t>(block.threads, 1), kWarp) / kWarp;
  const uint32_t of_sm = sm.threads / kWarp;
  const std::array<std::pair<uint32_t, const char*>, 4> limits{{
      {of_sm / warps, "threads"},
      {sm.blocks, "blocks"},
      {blocks_by_registers(block, warps, sm), "registers"},
      {sm.shared_bytes / rounded_up(block.shared_bytes + kReserved, kSharedUnit), "shared memory"},
  }};
  const auto least =
      std::min_element(limits.begin(), limits.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return {least->first, static_cast<double>(least->first * warps) / std::max<uint32_t>(of_sm, 1), least->second};
}

}  // namespace parity::ptx
