// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What cp.async.bulk and cp.async.bulk.tensor have in common: the ends of a copy, and asking for it.
#pragma once

#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/machine/access.hpp"
#include "optimized/ptx/number/types.hpp"

namespace parity::ptx {

/// An end of a copy, of one lane. With checks its bytes are looked at.
struct BulkEnd {
  Warp& warp;
  const Step& step;
  uint32_t lane;
  Intent intent;
  uint32_t unit;  // what addresses and sizes are multiples of

  /// False: a finding.
  [[nodiscard]] bool global(uint64_t address, uint32_t bytes) const;
  /// Returns the block whose shared memory it is; null if the address is wrong, which is then a finding.
  [[nodiscard]] Block* shared(uint64_t address, uint32_t bytes) const;

 private:
  [[nodiscard]] bool aligned(uint64_t address, uint32_t bytes) const;
  void observe(const Lanes& lanes, uint32_t bytes) const;
};

/// An address as Code::lists holds it, three words: operand, whether it has 64 bits, offset.
void append_address(Decoder& d, const Operand& operand, std::vector<uint32_t>& words);
[[nodiscard]] uint64_t address_at(const Warp& warp, const uint32_t* words, uint32_t lane);

/// The mbarrier at `address` counts the copy's bytes. If none was initialised there, this is a finding.
[[nodiscard]] bool count_bytes(Warp& warp, const Step& step, uint32_t lane, uint64_t address, PendingBulk& bulk);
/// A copy of that lane, of the group that it commits next.
[[nodiscard]] PendingBulk begin_bulk(Warp& warp, uint32_t lane);
void ask_for(Warp& warp, PendingBulk&& bulk);

Handler tensor_copies(Decoder& d, Step& step, bool reduces);

/// What a reduction does to `bytes` bytes; null: there is none for elements of the type.
using Combine = void (*)(uint8_t* to, const uint8_t* from, uint32_t bytes);
enum class Reduction : uint8_t { add, min, max, inc, dec, conjunction, disjunction, difference };
[[nodiscard]] Combine combine_of(Reduction reduction, NumberType type);
/// Takes ".add" and so on.
[[nodiscard]] Reduction take_reduction(Decoder& d);

}  // namespace parity::ptx
