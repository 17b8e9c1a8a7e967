// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Approximations of halves; and those of f32 where Options::approximation_seed asks for errors. Source: PTX ISA 9.0,
// sections 9.7.3.8 to 9.7.3.22, 9.7.4.9 and 9.7.4.10.
#include "optimized/ptx/instructions/approximations.hpp"

#include "optimized/ptx/instructions/lanes.hpp"
#include "optimized/ptx/number/native.hpp"

namespace parity::ptx {
namespace {

ApproximationMode mode_of(const Warp& warp, bool ftz) {
  const uint64_t seed = warp.worker->machine.options.approximation_seed;
  ApproximationMode mode;
  mode.ftz = ftz;
  if (seed != 0) mode.seed = seed;
  return mode;
}

template <class U, uint32_t numbers>
void halves(Warp& warp, const Step& step) {
  const auto function = static_cast<Approximation>(step.mode);
  const ApproximationMode mode = mode_of(warp, step.mode2 != 0);
  const U* a = warp.at<U>(step.a);
  U values[kLanes] = {};
  for (uint32_t l = 0; l < kLanes; ++l) {
    for (uint32_t at = 0; at < 16 * numbers; at += 16) {
      const uint32_t found = approximate_half(function, static_cast<uint16_t>(a[l] >> at), mode);
      values[l] = static_cast<U>(values[l] | found << at);
    }
  }
  put(warp, step.d, values);
}

}  // namespace

void approximate_lanes(Warp& warp, const Step& step, Approximation function, bool ftz, bool sat) {
  const ApproximationMode mode = mode_of(warp, ftz);
  const bool divides = function == Approximation::div || function == Approximation::div_full;
  const float *a = warp.at<float>(step.a), *b = warp.at<float>(divides ? step.b : step.a);
  float values[kLanes];
  for (uint32_t l = 0; l < kLanes; ++l) {
    values[l] = approximate(function, a[l], b[l], mode);
    if (sat) values[l] = native::saturated(values[l]);
  }
  put(warp, step.d, values);
}

Handler half_approximations(Decoder& d, Step& step) {
  const Type type = d.peek_type();
  if (!is_half(type) || (!d.is("ex2") && !d.is("tanh"))) return nullptr;
  d.take_type();
  const bool bfloat = type == Type::bf16 || type == Type::bf16x2, power = d.is("ex2");
  if (!d.take("approx")) d.refuse("'.approx' is expected");
  const bool flushes = d.take("ftz");
  if (flushes != (power && bfloat)) d.refuse("'.ftz' is required for ex2 of .bf16 and allowed for nothing else");
  const Approximation function = power ? (bfloat ? Approximation::ex2_bf16 : Approximation::ex2_f16)
                                       : (bfloat ? Approximation::tanh_bf16 : Approximation::tanh_f16);
  d.need(2);
  d.same(step, type);
  step.mode = static_cast<uint8_t>(function);
  step.mode2 = flushes ? 1 : 0;
  return bytes_of(type) == 4 ? &halves<uint32_t, 2> : &halves<uint16_t, 1>;
}

}  // namespace parity::ptx
