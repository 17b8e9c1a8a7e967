// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The beginning of a file, and the messages that describe a group or a dataset.
#pragma once

#include <vector>

#include "golden/hdf5/image.hpp"

namespace parity::golden::hdf5 {

/// Address of the root group's header. Throws Error{schema} for a file that is truncated, that was not closed by its
/// writer, that is in several pieces, or whose addresses do not have 8 bytes.
[[nodiscard]] uint64_t root_address(const Image& image);

enum class MessageType : uint16_t {
  dataspace = 0x01,
  link_info = 0x02,
  datatype = 0x03,
  link = 0x06,
  external_files = 0x07,
  layout = 0x08,
  filters = 0x0B,
  attribute = 0x0C,
  continuation = 0x10,
  symbol_table = 0x11,
  attribute_info = 0x15,
};

struct Message {
  MessageType type;
  bool shared;  // the data are elsewhere in the file
  ByteSpan data;
};

class ObjectHeader {
 public:
  ObjectHeader(const Image& image, uint64_t address);

  [[nodiscard]] const std::vector<Message>& messages() const { return messages_; }
  [[nodiscard]] bool has(MessageType type) const { return find(type) != nullptr; }
  /// The data of the first message of that type. Throws Error{schema} when there is none.
  [[nodiscard]] ByteSpan data(MessageType type, const char* what) const;
  [[nodiscard]] uint64_t bytes() const { return bytes_; }  // bytes of all blocks that were read

 private:
  [[nodiscard]] const Message* find(MessageType type) const;
  void read_version_1(uint64_t address);
  void read_version_2(uint64_t address);
  void add_version_1(Cursor block);
  void add_version_2(Cursor block, bool ordered);
  [[nodiscard]] ByteSpan take_continuation();
  void add(uint64_t type, uint8_t flags, ByteSpan data);

  const Image* image_;
  std::vector<Message> messages_;
  std::vector<ByteSpan> continuations_;  // not read yet
  Once blocks_;
  uint64_t bytes_ = 0;
};

}  // namespace parity::golden::hdf5
