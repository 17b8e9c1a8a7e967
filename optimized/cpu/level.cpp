// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cpu/level.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>

#if defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "core/error.hpp"

namespace parity::cpu {
namespace {

constexpr std::array<const char*, kLevels.size()> kNames{"avx2", "avx512", "avx512_bf16", "amx_bf16"};

#if defined(__x86_64__)
/// Whether the processor has AMX tiles with BF16 and the operating system lets this process use them.
bool has_tiles() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return __builtin_cpu_supports("amx-tile") && __builtin_cpu_supports("amx-bf16") &&
         syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

Level detected() {
  PARITY_CHECK(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"), device,
               "this processor has no AVX2 with FMA; the CPU kernels need them");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512cd");
  if (!avx512) return Level::avx2;
  if (!__builtin_cpu_supports("avx512bf16")) return Level::avx512;
  return has_tiles() ? Level::amx_bf16 : Level::avx512_bf16;
}
#else
Level detected() {
  throw Error(ErrorCode::device, "the CPU kernels are written for x86-64, and this is another processor");
}
#endif

Level checked(Level wanted) {
  PARITY_CHECK(wanted <= highest_level(), device, "this processor has no {}; its highest level is {}",
               to_string(wanted), to_string(highest_level()));
  return wanted;
}

std::atomic<Level>& current() {
  static std::atomic<Level> instance = [] {
    const char* named = std::getenv("PARITY_CPU_LEVEL");
    return named == nullptr ? highest_level() : checked(parse_level(named));
  }();
  return instance;
}

}  // namespace

const char* to_string(Level level) { return kNames.at(static_cast<size_t>(level)); }

Level parse_level(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  PARITY_CHECK(found != kNames.end(), usage, "CPU level '{}' is not known; use avx2, avx512, avx512_bf16 or amx_bf16",
               name);
  return kLevels[static_cast<size_t>(found - kNames.begin())];
}

Level highest_level() {
  static const Level instance = detected();
  return instance;
}

Level level() { return current(); }

void use_level(Level wanted) { current() = checked(wanted); }

}  // namespace parity::cpu
