// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/hdf5/datatype.hpp"
#include "golden/hdf5/fractal_heap.hpp"
#include "golden/hdf5/object.hpp"

namespace parity::golden::hdf5 {
namespace {

constexpr uint8_t kLinkNames = 5;  // type of the B-tree
constexpr uint64_t kSymbolBytes = 40;
constexpr uint32_t kSoftSymbol = 2;

std::string text_of(ByteSpan bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

Link parse_link(ByteSpan message) {
  Cursor cursor(message);
  cursor.expect_version(1, "a link");
  const uint8_t flags = cursor.u8();
  const uint8_t type = (flags & 0x08) != 0 ? cursor.u8() : 0;
  if ((flags & 0x04) != 0) cursor.skip(8);  // creation order
  if ((flags & 0x10) != 0) cursor.skip(1);  // character set
  const uint64_t length = cursor.number(uint64_t{1} << (flags & 0x03));
  Link link;
  link.name = text_of(cursor.take(length));
  link.hard = type == 0;
  if (link.hard) link.address = cursor.u64();
  return link;
}

void add_dense_links(const Image& image, ByteSpan link_info, std::vector<Link>& links) {
  Cursor cursor(link_info);
  cursor.expect_version(0, "a list of links");
  const uint8_t flags = cursor.u8();
  if ((flags & 0x01) != 0) cursor.skip(8);  // largest creation order
  const uint64_t heap_address = cursor.u64();
  const uint64_t names = cursor.u64();
  if (heap_address == kNowhere || names == kNowhere) return;
  const FractalHeap heap(image, heap_address);
  for (const ByteSpan record : btree_records(image, names, kLinkNames)) {
    Cursor fields(record);
    fields.skip(4);  // hash of the name
    links.push_back(parse_link(heap.object(fields.take(fields.left()))));
  }
}

/// Groups of HDF5 1.6: a B-tree of nodes of symbols, whose names are in a local heap.
class SymbolTable {
 public:
  SymbolTable(const Image& image, ByteSpan message, std::vector<Link>& links) : image_(&image), links_(&links) {
    Cursor cursor(message);
    const uint64_t tree = cursor.u64();
    Cursor heap = image.from(cursor.u64());
    heap.expect("HEAP");
    heap.expect_version(0, "a heap of names");
    heap.skip(3);
    const uint64_t size = heap.u64();
    heap.skip(8);  // free list
    names_ = image.range(heap.u64(), size);
    visit(tree, 256);
  }

 private:
  void visit(uint64_t address, int above) {
    nodes_.enter(address);
    Cursor cursor = image_->from(address);
    cursor.expect("TREE");
    PARITY_CHECK(cursor.u8() == 0, schema,
                 "the B-tree of a group does not list names; the file is damaged, copy it again");
    const uint8_t level = cursor.u8();
    PARITY_CHECK(level < above, schema, "a B-tree's levels do not decrease; the file is damaged, copy it again");
    const uint16_t entries = cursor.u16();
    cursor.skip(8 + 8);  // siblings
    for (int i = 0; i < entries; ++i) {
      cursor.skip(8);  // name of the first symbol below
      const uint64_t child = cursor.u64();
      level == 0 ? add_symbols(child) : visit(child, level);
    }
  }

  void add_symbols(uint64_t address) {
    nodes_.enter(address);
    Cursor cursor = image_->from(address);
    cursor.expect("SNOD");
    cursor.expect_version(1, "a node of names");
    cursor.skip(1);
    const uint16_t count = cursor.u16();
    for (int i = 0; i < count; ++i) {
      Cursor symbol(cursor.take(kSymbolBytes));
      const uint64_t name = symbol.u64();
      PARITY_CHECK(name < names_.size(), schema, "a name is outside of its heap; the file is damaged, copy it again");
      Link link;
      link.name = trim_text(names_.subspan(name).first(std::min<uint64_t>(names_.size() - name, 1024)), false);
      link.address = symbol.u64();
      link.hard = symbol.u32() != kSoftSymbol;
      links_->push_back(link);
    }
  }

  const Image* image_;
  std::vector<Link>* links_;
  ByteSpan names_;
  Once nodes_;
};

}  // namespace

bool is_group(const ObjectHeader& object) {
  return object.has(MessageType::link_info) || object.has(MessageType::symbol_table);
}

bool is_dataset(const ObjectHeader& object) { return object.has(MessageType::layout); }

std::vector<Link> links_of(const Image& image, const ObjectHeader& group) {
  std::vector<Link> links;
  for (const Message& message : group.messages()) {
    if (message.type == MessageType::link) links.push_back(parse_link(message.data));
    if (message.type == MessageType::link_info) add_dense_links(image, message.data, links);
    if (message.type == MessageType::symbol_table) SymbolTable(image, message.data, links);
  }
  std::sort(links.begin(), links.end(), [](const Link& a, const Link& b) { return a.name < b.name; });
  const auto twice =
      std::adjacent_find(links.begin(), links.end(), [](const Link& a, const Link& b) { return a.name == b.name; });
  PARITY_CHECK(twice == links.end(), schema, "a name is given twice; the file is damaged, copy it again");
  return links;
}

}  // namespace parity::golden::hdf5
