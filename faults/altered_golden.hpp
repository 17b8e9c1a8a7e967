// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A copy of a golden in which one dataset may hold other values. Its folder vanishes with the object.
#pragma once

#include <filesystem>
#include <string>

#include "golden/golden.hpp"

namespace parity::faults {

class TemporaryFolder {
 public:
  TemporaryFolder();  // Error{io}
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class AlteredGolden {
 public:
  /// `values` stand in for what `dataset` holds, under all of its names; an empty name: a faithful copy.
  AlteredGolden(const golden::Golden& original, const std::string& dataset, const Tensor& values);

  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

}  // namespace parity::faults
