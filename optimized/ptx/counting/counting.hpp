// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What one thread of this machine has counted so far, instruction by instruction.
#pragma once

#include <string>
#include <vector>

#include "optimized/ptx/counting/touched.hpp"
#include "optimized/ptx/machine/program.hpp"

namespace parity::ptx {

struct Machine;

/// Counts of one instruction of the program. The worker counts instructions of warps itself, with and without counters.
struct Tally {
  uint64_t lanes = 0;
  Traffic traffic = Traffic::load;  // the one way in which the instruction accesses global memory
  SectorCount global, local;
  WavefrontCount shared;
  uint64_t multiply_adds = 0;
  std::string shape;  // of these: "bf16 m16n8k16"
};

class Counting {
 public:
  Counting(const Program& program, const Device& device, bool touches);

  [[nodiscard]] Tally& of(const Code& code, const Step& step) {
    return tallies_[code.index][static_cast<size_t>(&step - code.steps.data())];
  }
  [[nodiscard]] std::vector<Tally>& of(const Code& code) { return tallies_[code.index]; }
  void global(Tally& tally, Traffic traffic, std::span<const Sector> sectors, const SectorCount& count);
  void add(const Counting& other);

  /// Returns the counts by line. `instructions` are those of warps that the workers counted, by Code::index and step.
  [[nodiscard]] Counters result(const Program& program, const std::vector<std::vector<uint64_t>>& instructions) const;

 private:
  std::vector<std::vector<Tally>> tallies_;  // by Code::index and step
  const Device& device_;
  bool touches_;
  Touched touched_;
};

}  // namespace parity::ptx
