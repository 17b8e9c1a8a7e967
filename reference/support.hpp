// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What every reference kernel needs: registration for both number types.
#pragma once

#include <cstdint>

#include "core/parallel.hpp"
#include "core/registry.hpp"

namespace parity::reference {

/// Calls body(n) for every n below `count`, in parallel if the work is worth it; `work` is the number of elements per
/// call. Bodies write to disjoint memory, so the result does not depend on the number of threads.
template <class Body>
void for_each_row(int64_t count, int64_t work, const Body& body) {
  constexpr int64_t kWorthThreads = int64_t{1} << 16;  // elements
  CaughtInParallel caught;
#pragma omp parallel for schedule(guided) if (count * work >= kWorthThreads)
  for (int64_t n = 0; n < count; ++n) caught.run([&] { body(n); });
  caught.rethrow();
}

}  // namespace parity::reference

/// Registers `name<double>`, which rounds as the context says, and `name<Bounded>`, exact with a running error bound.
#define PARITY_REFERENCE(Type, name)                            \
  void register_##name(Registry& registry) {                    \
    registry.add<Type>("reference", "rounded", &name<double>);  \
    registry.add<Type>("reference", "bounded", &name<Bounded>); \
  }
