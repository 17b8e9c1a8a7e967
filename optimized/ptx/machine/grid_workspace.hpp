// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The memory behind grid.sync() of cooperative groups.
#pragma once

#include "optimized/ptx/machine/device.hpp"

namespace parity::ptx {

/// Two 32-bit words: their size in bytes, and the barrier, which starts at 0. A cooperative launch passes their address in
/// %envreg1 (high half) and %envreg2. Nothing is allocated where no function of the program reads these registers.
class GridWorkspace {
 public:
  GridWorkspace(const Program& program, Device& device);
  ~GridWorkspace();
  GridWorkspace(const GridWorkspace&) = delete;
  GridWorkspace& operator=(const GridWorkspace&) = delete;
  [[nodiscard]] uint64_t address() const { return address_; }

 private:
  Device& device_;
  uint64_t address_ = 0;
};

}  // namespace parity::ptx
