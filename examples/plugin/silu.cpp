// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// SiLU as a shared library that parity judges:
//   parity plugin header > parity_plugin.h
//   c++ -std=c++20 -O2 -shared -fPIC -I. -o silu.so silu.cpp
//   parity battery --kernel lib:./silu.so
#include <bit>
#include <cmath>

#include <parity_plugin.h>

namespace {

float widen(float x) { return x; }
float widen(uint16_t bf16) { return std::bit_cast<float>(uint32_t{bf16} << 16U); }

void store(float& to, float x) { to = x; }
void store(uint16_t& to, float x) {  // to the nearest, ties to even; a NaN stays one
  const auto bits = std::bit_cast<uint32_t>(x);
  to = static_cast<uint16_t>(std::isnan(x) ? 0x7FC0U : (bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
}

template <class T>
void silu(const DLTensor& x, const DLTensor& out) {
  for (int64_t i = 0, count = parity_count(&x); i < count; ++i) {
    int64_t from = 0, to = 0, rest = i;  // any strides
    for (int32_t axis = x.ndim - 1; axis >= 0; rest /= x.shape[axis--]) {
      from += rest % x.shape[axis] * x.strides[axis];
      to += rest % x.shape[axis] * out.strides[axis];
    }
    const float value = widen(static_cast<const T*>(x.data)[from]);
    store(static_cast<T*>(out.data)[to], value / (1.0F + std::exp(-value)));
  }
}

int run(const parity_call* call) {
  const DLTensor &x = *parity_input(call, "x"), &out = *parity_output(call, "out");
  x.dtype.bits == 32 ? silu<float>(x, out) : silu<uint16_t>(x, out);
  return 0;
}

const parity_kernel kernels[] = {{"silu", "f32 bf16", run}};
const parity_plugin plugin = {PARITY_PLUGIN_VERSION, 1, kernels, "example 1.0"};

}  // namespace

PARITY_PLUGIN const parity_plugin* parity_plugin_v1(void) { return &plugin; }
