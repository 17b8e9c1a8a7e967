// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/embedding/gather.hpp"

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void gather(const Gather::Inputs& in, const Gather::Params& params, const Gather::Outputs& out, Context& context) {
  PARITY_CHECK(in.slots.empty() || in.slots.size() == in.parts.size(), internal,
               "gather: {} parts are given, but slots for {} parts", in.parts.size(), in.slots.size());
  const Sink<Num, 4> y(out.out, context);                                                                // (B, G, K, D)
  const Shape& shape = out.out.shape;
  const auto fill = [&](int64_t row, const auto& value) {
    for (int64_t b = 0; b < shape[0]; ++b) {
      for (int64_t g = 0; g < shape[1]; ++g) {
        for (int64_t d = 0; d < shape[3]; ++d) y.set(value(b, g, d), b, g, row, d);
      }
    }
  };
  for (int64_t row = 0; row < shape[2]; ++row) fill(row, [](int64_t, int64_t, int64_t) { return Num(0.0); });
  int64_t next = 0;  // next output row for parts without slots
  for (size_t r = 0; r < in.parts.size(); ++r) {
    const auto part = in.parts[r].as<double, 4>();                                                       // (B, G, S, D)
    for (int64_t s = 0; s < part.extent[2]; ++s, ++next) {
      const int64_t row = (in.slots.empty() ? next : in.slots[r].as<int64_t, 1>()(s)) - params.first_slot;
      if (row >= 0 && row < shape[2]) fill(row, [&](int64_t b, int64_t g, int64_t d) { return Num(part(b, g, s, d)); });
    }
  }
}

PARITY_REFERENCE(Gather, gather)

}  // namespace parity::reference
