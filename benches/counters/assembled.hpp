// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What ptxas says of assembled kernels: registers, spilled bytes, shared memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "optimized/ptx/bound/gpu.hpp"

namespace parity::benches {

struct Assembled {
  uint32_t registers = 0;      // of a thread
  uint32_t spilled_bytes = 0;  // that a thread stores and loads because it has too few registers
  uint32_t shared_bytes = 0;   // of a block, without dynamic ones
  bool operator==(const Assembled&) const = default;
};

struct AssembledModule {
  std::map<std::string, Assembled> kernels;
  std::string why{};  // why there are none
};

/// Returns what `ptxas -v` printed, by kernel. ci/check_spills.py reads the same text for the gate, which needs no
/// benches.
[[nodiscard]] std::map<std::string, Assembled> parse_assembled(const std::string& log);

/// Assembles the module optimized/cuda/*/<module>.cu for that GPU, if the PTX machine runs the same PTX. It needs the
/// ptxas that was found when this program was built.
[[nodiscard]] AssembledModule assembled_for(const std::string& module, const ptx::Gpu& gpu);

}  // namespace parity::benches
