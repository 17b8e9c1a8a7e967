// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A copy of a golden in which one dataset may hold other values. Its folder vanishes with the object.
#pragma once

#include <filesystem>
#include <string>

#include "golden/golden.hpp"
#include "golden/temporary_folder.hpp"

namespace parity::faults {

class AlteredGolden {
 public:
  /// `values` stand in for what `dataset` holds, under all of its names; an empty name: a faithful copy.
  AlteredGolden(const golden::Golden& original, const std::string& dataset, const Tensor& values);

  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }

 private:
  golden::TemporaryFolder folder_;
};

}  // namespace parity::faults
