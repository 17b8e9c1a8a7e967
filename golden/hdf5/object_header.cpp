// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/hdf5/object_header.hpp"

#include <array>

namespace parity::golden::hdf5 {
namespace {

constexpr uint8_t kShared = 0x02;

void check_sizes(Cursor& cursor) {
  const uint8_t offset = cursor.u8();
  const uint8_t length = cursor.u8();
  PARITY_CHECK(offset == 8 && length == 8, schema,
               "addresses have {} bytes and lengths {}, but only 8 bytes are supported; repack with h5repack", offset,
               length);
}

void check_extent(const Image& image, uint64_t base, uint64_t end) {
  PARITY_CHECK(base == 0, schema, "the file starts with a user block; remove it with h5unjam");
  PARITY_CHECK(end <= image.size(), schema, "the file is truncated: {} of {} bytes are there; copy it again",
               image.size(), end);
}

uint64_t old_root(const Image& image, Cursor& cursor, uint8_t version) {
  cursor.skip(4);  // versions of free space, root group, reserved, shared headers
  check_sizes(cursor);
  cursor.skip(version == 0 ? 1 + 4 + 4 : 1 + 4 + 4 + 4);  // sizes of B-tree nodes, flags
  const uint64_t base = cursor.u64();
  cursor.skip(8);  // free space
  check_extent(image, base, cursor.u64());
  cursor.skip(8 + 8);  // driver, name of the root
  return cursor.u64();
}

uint64_t new_root(const Image& image, Cursor& cursor) {
  check_sizes(cursor);
  const uint8_t flags = cursor.u8();
  PARITY_CHECK((flags & 1) == 0, schema, "the file was not closed by its writer; capture it again, or use h5clear -s");
  const uint64_t base = cursor.u64();
  cursor.skip(8);  // extension
  check_extent(image, base, cursor.u64());
  const uint64_t root = cursor.u64();
  (void)image.checked_range(0, cursor.position() + 4);
  return root;
}

}  // namespace

uint64_t root_address(const Image& image) {
  return with_context("superblock", [&] {
    Cursor cursor = image.from(0);
    cursor.expect("\x89HDF\r\n\x1a\n");
    const uint8_t version = cursor.u8();
    PARITY_CHECK(version <= 3, schema,
                 "file format version {} is newer than that of HDF5 1.10; write the file with the HDF5 library bound "
                 "v110 (H5Pset_libver_bounds)",
                 version);
    return version < 2 ? old_root(image, cursor, version) : new_root(image, cursor);
  });
}

ObjectHeader::ObjectHeader(const Image& image, uint64_t address) : image_(&image) {
  const uint8_t first = image.from(address).u8();
  first == 'O' ? read_version_2(address) : read_version_1(address);
}

void ObjectHeader::read_version_1(uint64_t address) {
  Cursor cursor = image_->from(address);
  cursor.expect_version(1, "an object header");
  cursor.skip(1 + 2 + 4);  // reserved, number of messages, references
  const uint32_t length = cursor.u32();
  blocks_.enter(address);
  bytes_ += length;
  add_version_1(Cursor(image_->range(address + 16, length)));
  while (!continuations_.empty()) add_version_1(Cursor(take_continuation()));
}

void ObjectHeader::read_version_2(uint64_t address) {
  Cursor cursor = image_->from(address);
  cursor.expect("OHDR");
  cursor.expect_version(2, "an object header");
  const uint8_t flags = cursor.u8();
  if ((flags & 0x20) != 0) cursor.skip(16);  // times
  if ((flags & 0x10) != 0) cursor.skip(4);   // limits of the number of attributes outside of a heap
  const uint64_t length = cursor.number(uint64_t{1} << (flags & 0x03));
  const uint64_t prefix = cursor.position();
  const bool ordered = (flags & 0x04) != 0;
  blocks_.enter(address);
  bytes_ += length;
  PARITY_CHECK(length <= image_->size(), schema, "an object header claims {} bytes; the file is damaged, copy it again",
               length);
  const ByteSpan block = image_->checked_range(address, prefix + length + 4);
  add_version_2(Cursor(block.subspan(prefix, length)), ordered);
  while (!continuations_.empty()) {
    const ByteSpan more = take_continuation();
    Cursor(more).expect("OCHK");
    PARITY_CHECK(more.size() >= 8, schema,
                 "an object header continues in a block of only {} bytes; the file is damaged, copy it again",
                 more.size());
    PARITY_CHECK(checksum(more.first(more.size() - 4)) == Cursor(more.last(4)).u32(), checksum,
                 "the checksum of an object header at {} is wrong: the file is damaged; copy it again", address);
    add_version_2(Cursor(more.subspan(4, more.size() - 8)), ordered);
  }
}

ByteSpan ObjectHeader::take_continuation() {
  const ByteSpan block = continuations_.back();
  continuations_.pop_back();
  return block;
}

void ObjectHeader::add_version_1(Cursor block) {
  while (block.left() >= 8) {
    const uint16_t type = block.u16();
    const uint16_t length = block.u16();
    const uint8_t flags = block.u8();
    block.skip(3);
    add(type, flags, block.take(length));
  }
}

void ObjectHeader::add_version_2(Cursor block, bool ordered) {
  const uint64_t header = ordered ? 6 : 4;
  while (block.left() >= header) {  // fewer bytes are a gap
    const uint8_t type = block.u8();
    const uint16_t length = block.u16();
    const uint8_t flags = block.u8();
    if (ordered) block.skip(2);
    add(type, flags, block.take(length));
  }
}

void ObjectHeader::add(uint64_t type, uint8_t flags, ByteSpan data) {
  const auto known = static_cast<MessageType>(type);
  if (known == MessageType::continuation) {
    Cursor cursor(data);
    const uint64_t address = cursor.u64();
    const uint64_t length = cursor.u64();
    blocks_.enter(address);
    bytes_ += length;
    PARITY_CHECK(bytes_ <= image_->size(), schema, "an object header is larger than the file; copy it again");
    continuations_.push_back(image_->range(address, length));
  } else if (type != 0) {  // 0: unused space
    messages_.push_back({known, (flags & kShared) != 0, data});
  }
}

const Message* ObjectHeader::find(MessageType type) const {
  for (const Message& message : messages_) {
    if (message.type == type) return &message;
  }
  return nullptr;
}

ByteSpan ObjectHeader::data(MessageType type, const char* what) const {
  const Message* found = find(type);
  PARITY_CHECK(found != nullptr, schema, "an HDF5 object has no {}; the file is damaged, copy it again", what);
  PARITY_CHECK(!found->shared, schema,
               "an HDF5 object shares its {} with other objects, which is not supported; repack with h5repack", what);
  return found->data;
}

}  // namespace parity::golden::hdf5
