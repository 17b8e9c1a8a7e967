// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The instruction levels of the CPU kernels. Every function of cpu/simd/ is compiled once for each level.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace parity::cpu {

enum class Level : uint8_t { avx2, avx512, avx512_bf16, amx_bf16 };  // each level includes those before it
inline constexpr std::array kLevels{Level::avx2, Level::avx512, Level::avx512_bf16, Level::amx_bf16};

[[nodiscard]] const char* to_string(Level level);
/// Returns the level of this name. Error{usage} for any other word.
[[nodiscard]] Level parse_level(std::string_view name);
/// Returns the highest level of this processor. Error{device} if it lacks AVX2 or FMA.
[[nodiscard]] Level highest_level();
/// Returns the level in use: the highest, or a lower one set by use_level() or the variable PARITY_CPU_LEVEL.
[[nodiscard]] Level level();
/// Sets the level in use, for tests and benches. Error{device} for a level that this processor lacks.
void use_level(Level level);

template <class Function>
[[nodiscard]] Function* pick(Function* avx2, Function* avx512, Function* avx512_bf16, Function* amx_bf16) {
  const std::array functions{avx2, avx512, avx512_bf16, amx_bf16};
  return functions[static_cast<size_t>(level())];
}

/// Declares `void name(const Args&)` for each level, and an inline function that calls the one of the level in use.
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
