// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/hdf5/global_heap.hpp"

#include "golden/hdf5/datatype.hpp"

namespace parity::golden::hdf5 {
namespace {

constexpr uint64_t kObjectHeader = 16;  // u16 number, u16 references, 4 reserved, u64 length

}  // namespace

std::string GlobalHeap::text(ByteSpan reference) {
  Cursor cursor(reference);
  const uint32_t length = cursor.u32();
  const uint64_t address = cursor.u64();
  const uint32_t number = cursor.u32();
  if (length == 0) return {};
  const Collection& objects = collection(address);
  const auto found = objects.find(number);
  PARITY_CHECK(found != objects.end(), schema,
               "text {} is not in the HDF5 heap at byte {}; the file is damaged, copy it again", number, address);
  PARITY_CHECK(length <= found->second.size(), schema,
               "a text claims {} bytes, its heap holds {}; the file is damaged, copy it again", length,
               found->second.size());
  return trim_text(found->second.first(length), false);
}

const GlobalHeap::Collection& GlobalHeap::collection(uint64_t address) {
  const auto known = collections_.find(address);
  if (known != collections_.end()) return known->second;
  Cursor header = image_->from(address);
  header.expect("GCOL");
  header.expect_version(1, "a text heap");
  header.skip(3);
  const uint64_t size = header.u64();
  PARITY_CHECK(size >= header.position() && size <= left_, schema,
               "a text heap claims {} bytes; the file is damaged, copy it again", size);
  left_ -= size;
  Cursor cursor(image_->range(address, size));
  cursor.skip(header.position());
  Collection objects;
  while (cursor.left() >= kObjectHeader) {
    const uint16_t number = cursor.u16();
    cursor.skip(2 + 4);  // references, reserved
    const uint64_t length = cursor.u64();
    if (number == 0) break;  // the rest is free space
    PARITY_CHECK(length <= cursor.left(), schema,
                 "a text of {} bytes is larger than its heap; the file is damaged, copy it again", length);
    objects[number] = cursor.take(length);
    cursor.skip(std::min((8 - length % 8) % 8, cursor.left()));
  }
  return collections_.emplace(address, std::move(objects)).first->second;
}

}  // namespace parity::golden::hdf5
