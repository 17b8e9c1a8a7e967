// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Texts of variable length, which are stored in collections of the global heap.
#pragma once

#include <map>
#include <string>

#include "golden/hdf5/image.hpp"

namespace parity::golden::hdf5 {

constexpr uint64_t kReferenceBytes = 16;  // u32 length, u64 address of a collection, u32 number in the collection

class GlobalHeap {
 public:
  explicit GlobalHeap(const Image& image) : image_(&image), left_(image.size()) {}

  /// The text to which the 16 bytes of `reference` refer.
  [[nodiscard]] std::string text(ByteSpan reference);

 private:
  using Collection = std::map<uint64_t, ByteSpan>;
  const Collection& collection(uint64_t address);

  const Image* image_;
  uint64_t left_;  // bytes left in the file for further collections, which do not overlap
  std::map<uint64_t, Collection> collections_;
};

}  // namespace parity::golden::hdf5
