// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A copy of a golden in which some datasets hold other values. Its folder vanishes with the object.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "golden/golden.hpp"
#include "golden/temporary_folder.hpp"

namespace parity::faults {

class AlteredGolden {
 public:
  /// `values` by dataset stand in for what it holds, under all of its names, and `absent` ones are left out; none: a
  /// faithful copy.
  AlteredGolden(const golden::Golden& original, const std::map<std::string, Tensor>& values,
                const std::vector<std::string>& absent = {});

  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }

 private:
  golden::TemporaryFolder folder_;
};

}  // namespace parity::faults
