// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// How functions of single elements are called: contiguous rows, shared out between threads.
#pragma once

#include <algorithm>

#include "core/registry.hpp"
#include "optimized/cpu/activation/element_rows.hpp"
#include "optimized/cpu/parallel.hpp"

namespace parity::optimized::elementwise {

template <class T>
using Rows = cpu::ElementRows<T>;
template <class T>
using Run = void (*)(const Rows<T>&);

/// Rows of `width` elements, those of each operand dense.
template <class T>
Rows<T> rows_of(const Span<T, 2>& a, const Span<T, 2>& b, const Span<T, 2>& out, const char* name) {
  const int64_t width = out.extent[1];
  const bool dense = width <= 1 || (a.stride[1] == 1 && (b.data == nullptr || b.stride[1] == 1) && out.stride[1] == 1);
  PARITY_CHECK(dense, internal, "{} reads rows with contiguous channels", name);
  return {a.data, b.data, out.data, 0, out.extent[0], width, a.stride[0], b.stride[0], out.stride[0]};
}

template <class T, Run<T> run>
void share_out(const Rows<T>& rows) {
  constexpr int64_t kGrain = int64_t{1} << 15;  // elements
  cpu::in_pieces(rows.last, std::max<int64_t>(kGrain / std::max<int64_t>(rows.width, 1), 1),
                 [&](int64_t first, int64_t last) {
                   Rows<T> part = rows;
                   part.first = first;
                   part.last = last;
                   run(part);
                 });
}

/// A function of one operand x.
template <class C, class T, Run<T> run>
void of_one(const typename C::Inputs& in, const typename C::Params& /*params*/, const typename C::Outputs& out,
            Context& /*context*/) {
  share_out<T, run>(rows_of(in.x.template as<T, 2>(), Span<T, 2>{}, out.out.template as<T, 2>(), C::text.name));
}

}  // namespace parity::optimized::elementwise
