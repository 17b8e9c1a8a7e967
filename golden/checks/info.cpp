// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/checks/verify.hpp"
#include "golden/files/sha256.hpp"

namespace parity::golden {

GoldenInfo info(const std::filesystem::path& path) {
  const Golden golden = Golden::open(path);
  GoldenInfo result;
  result.name = golden.name();
  result.folder = golden.folder();
  result.facts = golden.facts();
  result.attributes = golden.activations().attributes();
  result.steps = golden.steps();
  result.warnings = golden.warnings();
  for (const DatasetInfo& dataset : golden.activations().datasets()) {
    if (!dataset.alias_of.empty()) {
      ++result.aliases;
      continue;
    }
    ++result.datasets;
    ++result.datasets_by_dtype[dataset.text ? "str" : to_string(dataset.dtype)];
    result.stored_bytes += dataset.stored_bytes;
  }
  std::vector<std::filesystem::path> files{golden.activations().path()};
  std::error_code error;
  if (std::filesystem::is_directory(golden.checkpoint(), error)) {
    for (const auto& entry : std::filesystem::directory_iterator(golden.checkpoint())) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  for (const auto& file : files)
    result.sha256[file.lexically_relative(golden.folder()).string()] = sha256_of_file(file);
  if (has_weights(golden.checkpoint())) {
    result.weights = static_cast<int64_t>(golden.weights().names().size());
    result.weight_bytes = golden.weights().bytes();
  }
  return result;
}

}  // namespace parity::golden
