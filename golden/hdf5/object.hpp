// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What groups and datasets share: links to other objects, and attributes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "golden/hdf5/global_heap.hpp"
#include "golden/hdf5/object_header.hpp"

namespace parity::golden::hdf5 {

struct Link {
  std::string name;
  bool hard = true;      // false for soft and external links
  uint64_t address = 0;  // of the object's header
};

[[nodiscard]] bool is_group(const ObjectHeader& object);
[[nodiscard]] bool is_dataset(const ObjectHeader& object);

/// The links in a group, in alphabetical order.
[[nodiscard]] std::vector<Link> links_of(const Image& image, const ObjectHeader& group);

/// Returns the scalar attributes as text: texts unchanged, numbers in decimal. Others (arrays, compounds) are left out.
[[nodiscard]] std::map<std::string, std::string> attributes_of(const Image& image, const ObjectHeader& object,
                                                               GlobalHeap& heap);

}  // namespace parity::golden::hdf5
