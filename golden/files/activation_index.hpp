// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The list of contents of an activations.h5.
#pragma once

#include "golden/files/activation_file.hpp"
#include "golden/hdf5/image.hpp"

namespace parity::golden {

struct ActivationIndex {
  std::vector<DatasetInfo> datasets;                      // sorted by path
  std::vector<uint64_t> addresses;                        // of the datasets' headers, in the order of `datasets`
  std::map<std::string, Attributes, std::less<>> groups;  // "" is the root group
};

/// Walks the file once. Throws Error when a link leaves the file, when groups form a cycle or nest too deeply, or when
/// the description of a dataset is impossible.
[[nodiscard]] ActivationIndex index_of(const hdf5::Image& image);

}  // namespace parity::golden
