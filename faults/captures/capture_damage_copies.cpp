// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/captures/capture_damage_parts.hpp"

namespace parity::faults {

/// Removes the statements of origin. The caller passes a copy of the golden.
CapturePlace copy_the_golden(CaptureContents& contents, Draws& draws) {
  contents.root.erase("attention");
  contents.root.erase("experts");
  if (draws.below(2) == 0) return "as it is";
  contents.root.erase("golden_sha256");
  return "golden_sha256 left out";
}

/// Changes one bit of one number.
CapturePlace change_one_element(CaptureContents& contents, Draws& draws) {
  contents.root.erase("attention");
  contents.root.erase("experts");
  const CapturePlace path = drawn(outputs_where(contents, is_number), draws);
  if (!path) return path;
  Tensor& values = contents.datasets.at(*path).values;
  values = convert(values.view(), values.dtype());
  const int64_t at = draws.below(values.view().count());
  *(values.view().data + at * size_of(values.dtype())) ^= std::byte{1};
  return fmt::format("{}, element {}", *path, at);
}

/// Adds the name of another implementation, although all bits are the golden's.
CapturePlace add_a_statement(CaptureContents& contents, Draws& draws) {
  contents.root.erase("attention");
  contents.root.erase("experts");
  const char* name = draws.below(2) == 0 ? "attention" : "experts";
  contents.root[name] = "other";
  return fmt::format("{} = 'other'", name);
}

}  // namespace parity::faults
