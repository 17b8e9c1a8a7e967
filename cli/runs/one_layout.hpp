// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Two recordings of one model in different layouts, made comparable.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "golden/files/activation_file.hpp"
#include "golden/files/temporary_folder.hpp"

namespace parity::cli {

/// A recording as `diff` reads it. One of several ranks is put together as one process has it, if the recording `other`
/// has another layout. The golden of its calls is `other`, or that of its attribute `golden`.
class OneLayout {
 public:
  OneLayout(const std::string& path, const std::string& other);

  [[nodiscard]] const golden::ActivationFile& file() const { return *file_; }
  /// The layout from which it was put together; empty if it is read as it is.
  [[nodiscard]] const std::string& layout() const { return layout_; }
  /// The taps of which its ranks hold different bits, although they must repeat them.
  [[nodiscard]] const std::vector<std::string>& contradicting() const { return contradicting_; }

 private:
  std::optional<golden::TemporaryFolder> folder_;
  std::optional<golden::ActivationFile> file_;
  std::string layout_;
  std::vector<std::string> contradicting_;
};

}  // namespace parity::cli
