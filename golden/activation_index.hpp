// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The list of contents of an activations.h5.
#pragma once

#include "golden/activation_file.hpp"
#include "golden/hdf5/image.hpp"

namespace parity::golden {

struct ActivationIndex {
  std::vector<DatasetInfo> datasets;                      // sorted by path
  std::vector<uint64_t> addresses;                        // of their headers, in the same order
  std::map<std::string, Attributes, std::less<>> groups;  // "" is the root
};

/// Walks the file once. Error when a link leaves the file, groups form a cycle or are nested absurdly deep, or a dataset
/// cannot be what it claims.
[[nodiscard]] ActivationIndex index_of(const hdf5::Image& image);

}  // namespace parity::golden
