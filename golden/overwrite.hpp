// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Other values in the datasets of an existing recording, or fewer datasets; everything else in the file stays as it is.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/tensor.hpp"

namespace parity::golden {

/// Writes `values` by dataset, as many bytes as it holds and of its element type, into the file itself: work on a copy.
/// Error{schema} for a dataset of another size, Error{not_found} for one that is not there.
void overwrite_datasets(const std::filesystem::path& file, const std::map<std::string, Tensor>& values);

/// Takes datasets out of the file; other names of the same data stay. Error{not_found} for one that is not there.
void remove_datasets(const std::filesystem::path& file, const std::vector<std::string>& datasets);

}  // namespace parity::golden
