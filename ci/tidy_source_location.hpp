// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// std::source_location for clang-tidy 14, whose clang cannot read the one of libstdc++ 12. Only ci/tidy.sh includes it.
#pragma once

#include <cstdint>

#if defined(__clang__) && __clang_major__ < 15
namespace std {
struct source_location {
  static constexpr source_location current(const char* file = __builtin_FILE(),
                                           const char* function = __builtin_FUNCTION(),
                                           uint_least32_t line = __builtin_LINE()) noexcept {
    source_location here;
    here.file_ = file;
    here.function_ = function;
    here.line_ = line;
    return here;
  }
  constexpr const char* file_name() const noexcept { return file_; }
  constexpr const char* function_name() const noexcept { return function_; }
  constexpr uint_least32_t line() const noexcept { return line_; }
  constexpr uint_least32_t column() const noexcept { return 0; }

 private:
  const char* file_ = "";
  const char* function_ = "";
  uint_least32_t line_ = 0;
};
}  // namespace std
#endif
