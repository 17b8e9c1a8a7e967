// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <optional>

#include "golden/files/one_line.hpp"
#include "golden/hdf5/datatype.hpp"
#include "golden/hdf5/fractal_heap.hpp"
#include "golden/hdf5/object.hpp"

namespace parity::golden::hdf5 {
namespace {

constexpr uint8_t kAttributeNames = 8;  // type of the B-tree
constexpr uint64_t kHeapIdBytes = 8;

std::string number_text(ByteSpan bytes, const StoredType& type) {
  if (type.integer) {
    const uint64_t bits = Cursor(bytes).number(static_cast<uint64_t>(type.size));
    const int unused = 64 - static_cast<int>(type.size) * 8;
    if (!type.is_signed) return fmt::format("{}", bits);
    return fmt::format("{}", static_cast<int64_t>(bits << unused) >> unused);
  }
  return fmt::format("{}", load_element(*type.dtype, bytes.data()));
}

/// The attribute as text; nullopt unless it is one text or one number.
std::optional<std::string> value_of(Cursor cursor, const StoredType& type, const std::optional<Shape>& shape,
                                    GlobalHeap& heap) {
  if (!shape || element_count(*shape) != 1) return std::nullopt;
  const ByteSpan bytes = cursor.take(static_cast<uint64_t>(type.size));
  switch (type.kind) {
    case StoredType::Kind::text:
      return trim_text(bytes, type.space_padded);
    case StoredType::Kind::variable_text:
      return heap.text(bytes);
    case StoredType::Kind::number:
      if (type.integer || type.dtype) return number_text(bytes, type);
      return std::nullopt;
    case StoredType::Kind::other:
      return std::nullopt;
  }
  return std::nullopt;
}

class Attributes {
 public:
  explicit Attributes(GlobalHeap& heap) : heap_(&heap) {}

  void add(ByteSpan message) {
    Cursor cursor(message);
    const uint8_t version = cursor.u8();
    PARITY_CHECK(version >= 1 && version <= 3, schema,
                 "an attribute has version {}; the file is damaged, copy it again", version);
    const uint8_t flags = cursor.u8();
    const uint64_t name_bytes = cursor.u16();
    const uint64_t type_bytes = cursor.u16();
    const uint64_t shape_bytes = cursor.u16();
    if (version == 3) cursor.skip(1);  // character set
    const auto padded = [&](uint64_t bytes) { return version == 1 ? (bytes + 7) / 8 * 8 : bytes; };
    const std::string name = trim_text(cursor.take(padded(name_bytes)), false);
    with_context(fmt::format("attribute '{}'", one_line(name)), [&] {
      PARITY_CHECK(version == 1 || (flags & 0x03) == 0, schema,
                   "the attribute uses a named HDF5 type; write it with a plain type");
      const StoredType type = parse_type(cursor.take(padded(type_bytes)));
      const auto shape = parse_shape(cursor.take(padded(shape_bytes)));
      if (auto value = value_of(cursor, type, shape, *heap_)) values_[name] = *std::move(value);
    });
  }

  void add_dense(const Image& image, ByteSpan attribute_info) {
    Cursor cursor(attribute_info);
    cursor.expect_version(0, "a list of attributes");
    const uint8_t flags = cursor.u8();
    if ((flags & 0x01) != 0) cursor.skip(2);  // largest creation order
    const uint64_t heap_address = cursor.u64();
    const uint64_t names = cursor.u64();
    if (heap_address == kNowhere || names == kNowhere) return;
    const FractalHeap heap(image, heap_address);
    for (const ByteSpan record : btree_records(image, names, kAttributeNames)) {
      Cursor fields(record);
      const ByteSpan id = fields.take(kHeapIdBytes);
      PARITY_CHECK((fields.u8() & 0x02) == 0, schema,
                   "an attribute is shared by several objects; repack with h5repack");
      add(heap.object(id));
    }
  }

  std::map<std::string, std::string> values() && { return std::move(values_); }

 private:
  GlobalHeap* heap_;
  std::map<std::string, std::string> values_;
};

}  // namespace

std::map<std::string, std::string> attributes_of(const Image& image, const ObjectHeader& object, GlobalHeap& heap) {
  Attributes attributes(heap);
  for (const Message& message : object.messages()) {
    PARITY_CHECK(message.type != MessageType::attribute || !message.shared, schema,
                 "an attribute is shared by several objects; repack with h5repack");
    if (message.type == MessageType::attribute) attributes.add(message.data);
    if (message.type == MessageType::attribute_info) attributes.add_dense(image, message.data);
  }
  return std::move(attributes).values();
}

}  // namespace parity::golden::hdf5
