// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which instructions the CPU kernels use: every function of cpu/simd/ is there once per level.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace parity::cpu {

enum class Level : uint8_t { avx2, avx512, avx512_bf16, amx_bf16 };  // each has what those before it have
inline constexpr std::array kLevels{Level::avx2, Level::avx512, Level::avx512_bf16, Level::amx_bf16};

[[nodiscard]] const char* to_string(Level level);
/// Error{usage} for another word.
[[nodiscard]] Level parse_level(std::string_view name);
/// The highest that this processor has. Error{device} when it has not even AVX2 and FMA.
[[nodiscard]] Level highest_level();
/// What kernels use: the highest, or the lower one that the environment variable PARITY_CPU_LEVEL or use_level names.
[[nodiscard]] Level level();
/// For tests and benches. Error{device} for a level that this processor lacks.
void use_level(Level level);

template <class Function>
[[nodiscard]] Function* pick(Function* avx2, Function* avx512, Function* avx512_bf16, Function* amx_bf16) {
  const std::array functions{avx2, avx512, avx512_bf16, amx_bf16};
  return functions[static_cast<size_t>(level())];
}

/// Declares `void name(const Args&)` once per level, and the one that calls the level in use.
#define PARITY_CPU_FUNCTION(name, Args) \
  namespace avx2 {                      \
  void name(const Args& args);          \
  }                                     \
  namespace avx512 {                    \
  void name(const Args& args);          \
  }                                     \
  namespace avx512_bf16 {               \
  void name(const Args& args);          \
  }                                     \
  namespace amx_bf16 {                  \
  void name(const Args& args);          \
  }                                     \
  inline void name(const Args& args) { pick(&avx2::name, &avx512::name, &avx512_bf16::name, &amx_bf16::name)(args); }

}  // namespace parity::cpu
