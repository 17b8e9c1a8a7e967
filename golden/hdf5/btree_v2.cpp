// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <array>

#include "golden/hdf5/fractal_heap.hpp"

namespace parity::golden::hdf5 {
namespace {

constexpr uint64_t kHeaderBytes = 38;
constexpr uint64_t kNodeOverhead = 10;  // signature, version, type, checksum
constexpr uint64_t kDeepest = 8;

class Tree {
 public:
  Tree(const Image& image, uint64_t address, uint8_t type) : image_(&image), type_(type) {
    Cursor cursor(image.checked_range(address, kHeaderBytes));
    cursor.expect("BTHD");
    cursor.expect_version(0, "a B-tree");
    expect_type(cursor);
    node_bytes_ = cursor.u32();
    record_bytes_ = cursor.u16();
    depth_ = cursor.u16();
    cursor.skip(2);  // fill rates at which nodes split and merge
    root_ = cursor.u64();
    root_records_ = cursor.u16();
    const bool sane = record_bytes_ > 0 && node_bytes_ >= kNodeOverhead + record_bytes_ && depth_ < kDeepest;
    PARITY_CHECK(sane, schema, "the B-tree at {} has impossible sizes; the file is damaged, copy it again", address);
    plan_levels();
  }

  std::vector<ByteSpan> records() && {
    if (root_ != kNowhere) visit(root_, root_records_, depth_);
    return std::move(records_);
  }

 private:
  struct Level {
    uint64_t most = 0;         // largest number of records in a node
    uint64_t total_width = 0;  // bytes of the field for the number of records below
  };

  void expect_type(Cursor& cursor) const {
    const uint8_t found = cursor.u8();
    PARITY_CHECK(found == type_, schema, "a B-tree has type {}, not {}; the file is damaged, copy it again", found,
                 type_);
  }

  /// Computes the sizes of the nodes' pointers, which grow with the number of records that may be below.
  void plan_levels() {
    levels_[0].most = (node_bytes_ - kNodeOverhead) / record_bytes_;
    number_width_ = width_for(levels_[0].most);
    uint64_t total = levels_[0].most;
    for (uint64_t level = 1; level <= depth_; ++level) {
      const uint64_t pointer = 8 + number_width_ + levels_[level - 1].total_width;
      PARITY_CHECK(node_bytes_ > kNodeOverhead + pointer, schema,
                   "a B-tree's nodes are too small; the file is damaged, copy it again");
      levels_[level].most = (node_bytes_ - kNodeOverhead - pointer) / (record_bytes_ + pointer);
      total = (levels_[level].most + 1) * total + levels_[level].most;
      PARITY_CHECK(total < (uint64_t{1} << 48), schema,
                   "a B-tree has impossible sizes; the file is damaged, copy it again");
      levels_[level].total_width = width_for(total);
    }
  }

  void visit(uint64_t address, uint64_t count, uint64_t level) {
    nodes_.enter(address);
    PARITY_CHECK(count <= levels_[level].most, schema,
                 "a B-tree node claims {} records; the file is damaged, copy it again", count);
    const uint64_t pointer = level == 0 ? 0 : 8 + number_width_ + levels_[level - 1].total_width;
    const uint64_t used = kNodeOverhead + count * record_bytes_ + (level == 0 ? 0 : (count + 1) * pointer);
    Cursor cursor(image_->checked_range(address, used));
    cursor.expect(level == 0 ? "BTLF" : "BTIN");
    cursor.expect_version(0, "a B-tree node");
    expect_type(cursor);
    for (uint64_t i = 0; i < count; ++i) records_.push_back(cursor.take(record_bytes_));
    for (uint64_t i = 0; level > 0 && i <= count; ++i) {
      Cursor child(cursor.take(pointer));
      const uint64_t child_address = child.u64();
      visit(child_address, child.number(number_width_), level - 1);
    }
  }

  const Image* image_;
  uint8_t type_;
  uint64_t node_bytes_ = 0;
  uint64_t record_bytes_ = 0;
  uint64_t depth_ = 0;
  uint64_t root_ = kNowhere;
  uint64_t root_records_ = 0;
  uint64_t number_width_ = 0;
  std::array<Level, kDeepest> levels_{};
  Once nodes_;
  std::vector<ByteSpan> records_;
};

}  // namespace

std::vector<ByteSpan> btree_records(const Image& image, uint64_t address, uint8_t type) {
  return Tree(image, address, type).records();
}

}  // namespace parity::golden::hdf5
