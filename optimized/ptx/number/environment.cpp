// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/number/environment.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

namespace parity::ptx {
namespace {

#if defined(__x86_64__)
constexpr uint64_t kStatus = 0x3F;     // MXCSR: sticky flags, which every operation may set
constexpr uint64_t kNearest = 0x1F80;  // all traps masked, nearest, no FTZ, no DAZ
uint64_t floating_point_state() { return _mm_getcsr(); }
void set_floating_point_state(uint64_t state) { _mm_setcsr(static_cast<unsigned>(state)); }
#elif defined(__aarch64__)
constexpr uint64_t kStatus = 0;
constexpr uint64_t kNearest = 0;  // FPCR
uint64_t floating_point_state() {
  uint64_t state = 0;
  asm volatile("mrs %0, fpcr" : "=r"(state));
  return state;
}
void set_floating_point_state(uint64_t state) { asm volatile("msr fpcr, %0" : : "r"(state)); }
#else
constexpr uint64_t kStatus = 0;
constexpr uint64_t kNearest = FE_TONEAREST;
uint64_t floating_point_state() { return static_cast<uint64_t>(std::fegetround()); }
void set_floating_point_state(uint64_t state) { std::fesetround(static_cast<int>(state)); }
#endif

}  // namespace

NearestEnvironment::NearestEnvironment() : before_(floating_point_state()) {
  if ((before_ & ~kStatus) != kNearest) set_floating_point_state(kNearest);
}

NearestEnvironment::~NearestEnvironment() {
  if ((before_ & ~kStatus) != kNearest) set_floating_point_state(before_);
}

}  // namespace parity::ptx
