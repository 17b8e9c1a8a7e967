// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The registers of a call of a function, for the lanes that are in it.
#pragma once

#include <memory>
#include <new>
#include <vector>

#include "optimized/ptx/machine/code.hpp"

namespace parity::ptx {

struct AlignedDelete {
  void operator()(uint8_t* bytes) const { ::operator delete[](bytes, std::align_val_t{64}); }
};
using AlignedBytes = std::unique_ptr<uint8_t[], AlignedDelete>;
[[nodiscard]] inline AlignedBytes aligned_bytes(size_t count) {
  return AlignedBytes(static_cast<uint8_t*>(::operator new[](count, std::align_val_t{64})));
}

struct Frame {
  const Code* code = nullptr;
  AlignedBytes file;
  std::vector<Mask> written;     // lanes of each register, with checks
  std::vector<uint8_t> held;     // by register: what a wgmma under way does with it; with checks, of Code::has_wgmma
  std::vector<uint32_t> epochs;  // by register: Warp::fence_epoch when it was accessed last
  std::vector<uint8_t> params;   // .param variables: Code::param_bytes for each lane
  Frame* caller = nullptr;
  const Step* call = nullptr;
  uint32_t return_pc = 0;
  uint32_t local_base = 0, depth = 0;
  Mask lanes = 0;  // that are in it or in what it called
};

}  // namespace parity::ptx
