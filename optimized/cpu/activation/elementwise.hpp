// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Runs functions of single elements on rows that are divided among threads. Vector code needs contiguous rows.
#pragma once

#include <algorithm>
#include <tuple>
#include <type_traits>

#include "core/registry.hpp"
#include "optimized/backends.hpp"
#include "optimized/cpu/activation/element_rows.hpp"
#include "optimized/cpu/parallel.hpp"

namespace parity::optimized::elementwise {

template <class T>
using Rows = cpu::ElementRows<T>;
template <class T>
using Run = void (*)(const Rows<T>&);

/// Returns rows of `width` elements; refuses operands whose rows are not contiguous.
template <class T>
Rows<T> rows_of(const Span<T, 2>& a, const Span<T, 2>& b, const Span<T, 2>& out, const char* name) {
  const int64_t width = out.extent[1];
  const bool dense = width <= 1 || (a.stride[1] == 1 && (b.data == nullptr || b.stride[1] == 1) && out.stride[1] == 1);
  PARITY_CHECK(dense, internal, "{} needs rows with contiguous channels", name);
  return {a.data, b.data, out.data, 0, out.extent[0], width, a.stride[0], b.stride[0], out.stride[0]};
}

/// Returns the number of rows in one piece of work.
inline int64_t grain_of(int64_t width) {
  constexpr int64_t kGrain = int64_t{1} << 15;  // elements
  return std::max<int64_t>(kGrain / std::max<int64_t>(width, 1), 1);
}

template <class T, Run<T> run>
void share_out(const Rows<T>& rows) {
  cpu::in_pieces(rows.last, grain_of(rows.width), [&](int64_t first, int64_t last) {
    Rows<T> part = rows;
    part.first = first;
    part.last = last;
    run(part);
  });
}

/// The kernel of a function of one operand `x`, in vector code.
template <class C, class T, Run<T> run>
void of_one(const typename C::Inputs& in, const typename C::Params& /*params*/, const typename C::Outputs& out,
            Context& /*context*/) {
  share_out<T, run>(rows_of(in.x.template as<T, 2>(), Span<T, 2>{}, out.out.template as<T, 2>(), C::text.name));
}

template <class C, Run<float> f32, Run<BFloat16> bf16>
void add_of_one(BackendKernels& kernels) {
  kernels.add<C>("f32", &of_one<C, float, f32>);
  kernels.add<C>("bf16", &of_one<C, BFloat16, bf16>);
}

template <class T>
float number(const T& x) {
  return static_cast<float>(load_element(kDTypeOf<T>, reinterpret_cast<const std::byte*>(&x)));
}

/// Computes out = function(a, b, …) for each element: the operands in the header's order, then the parameters if the
/// function takes them. Operands have the output's shape and any strides. Computes in binary32, rounds once to T.
template <class C, class T, auto function>
void plain(const typename C::Inputs& in, const typename C::Params& params, const typename C::Outputs& out,
           Context& /*context*/) {
  const Span<T, 2> y = (out.*std::get<0>(C::outputs()).member).template as<T, 2>();                            // (N, H)
  const auto run = [&](const auto&... x) {
    PARITY_CHECK(((x.extent == y.extent) && ...), internal, "{} needs operands of one shape", C::text.name);
    const auto value = [&](int64_t n, int64_t h) {
      if constexpr (std::is_invocable_v<decltype(function), decltype(number(x.data[0]))..., decltype(params)>) {
        return function(number(x(n, h))..., params);
      } else {
        return function(number(x(n, h))...);
      }
    };
    cpu::in_pieces(y.extent[0], grain_of(y.extent[1]), [&](int64_t first, int64_t last) {
      for (int64_t n = first; n < last; ++n) {
        for (int64_t h = 0; h < y.extent[1]; ++h)
          store_element(kDTypeOf<T>, reinterpret_cast<std::byte*>(&y(n, h)), static_cast<double>(value(n, h)));
      }
    });
  };
  std::apply([&](const auto&... field) { run((in.*field.member).template as<T, 2>()...); }, C::inputs());
}

/// Registers a kernel without vector code. `function` is `float f(float x)` with one number for each operand.
template <class C, auto function>
void add_plain(BackendKernels& kernels) {
  kernels.add<C>("f32", &plain<C, float, function>);
  kernels.add<C>("bf16", &plain<C, BFloat16, function>);
}

}  // namespace parity::optimized::elementwise
