// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/judging/marked.hpp"

#include <cmath>
#include <cstring>

#include "core/poison.hpp"

namespace parity::compare {

bool is_marked(const TensorView& stored, int64_t i) {
  const auto bytes = static_cast<size_t>(size_of(stored.dtype));
  uint64_t bits = 0, mark = 0;
  const uint64_t whole = poison_bits(Poison::nan, stored.dtype);
  std::memcpy(&bits, stored.data + i * size_of(stored.dtype), bytes);  // little-endian
  std::memcpy(&mark, &whole, bytes);
  return bits == mark;
}

NotNumbers not_numbers_of(const Values& values, const TensorView& stored) {
  NotNumbers count;
  for (int64_t i = 0; i < values.count; ++i) {
    if (!std::isnan(values.got[i]) || std::isnan(values.exact[i]) || std::isnan(values.rounded[i])) continue;
    ++(is_marked(stored, i) ? count.never_written : count.computed);
  }
  return count;
}

}  // namespace parity::compare
