// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/checks/value_checksum.hpp"

#include <fmt/core.h>
#include <zlib.h>

namespace parity::golden {

ValueChecksum& ValueChecksum::add(const TensorView& elements) {
  const auto bytes = static_cast<size_t>(elements.count() * size_of(elements.dtype));
  sum_ = static_cast<uint32_t>(crc32_z(sum_, reinterpret_cast<const Bytef*>(elements.data), bytes));
  return *this;
}

std::string ValueChecksum::text() const { return fmt::format("crc32:{:08x}", sum_); }

}  // namespace parity::golden
