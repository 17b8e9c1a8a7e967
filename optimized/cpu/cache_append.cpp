// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/cache_append.hpp"

#include <cstring>

#include "core/registry.hpp"
#include "optimized/cpu/parallel.hpp"

namespace parity::optimized {
namespace {

/// Slots [0, slots) of `part` to `first` and on of the result.
template <class T>
void copy(const Span<T, 4>& part, const Span<T, 4>& result, int64_t first) {
  constexpr int64_t kGrain = int64_t{1} << 15;  // elements
  const int64_t width = part.extent[3], slots = part.extent[2];
  PARITY_CHECK(width <= 1 || (part.stride[3] == 1 && result.stride[3] == 1), internal,
               "cache_append reads rows whose channels lie side by side");
  if (part.extent[0] * part.extent[1] * slots * width == 0) return;
  const int64_t grain = std::max<int64_t>(kGrain / width, 1), pieces = (slots + grain - 1) / grain;
  cpu::in_pieces(part.extent[0] * part.extent[1] * pieces, 1, [&](int64_t piece, int64_t) {
    const int64_t b = piece / pieces / part.extent[1], g = piece / pieces % part.extent[1];
    const int64_t from = piece % pieces * grain, count = std::min(grain, slots - from);
    const T* source = &part(b, g, from, 0);
    T* target = &result(b, g, first + from, 0);
    if (part.stride[2] == width && result.stride[2] == width) {
      std::memcpy(target, source, static_cast<size_t>(count * width) * sizeof(T));
      return;
    }
    for (int64_t k = 0; k < count; ++k)
      std::memcpy(target + k * result.stride[2], source + k * part.stride[2], static_cast<size_t>(width) * sizeof(T));
  });
}

template <class T>
void cache_append(const CacheAppend::Inputs& in, const CacheAppend::Params&, const CacheAppend::Outputs& out,
                  Context&) {
  const auto fresh = in.fresh.as<T, 4>();                                                                // (B, G, S, D)
  const auto result = out.out.as<T, 4>();                                                            // (B, G, P + S, D)
  int64_t held = 0;
  if (!in.past.empty()) {
    const auto past = in.past.as<T, 4>();                                                                // (B, G, P, D)
    held = past.extent[2];
    copy(past, result, 0);
  }
  copy(fresh, result, held);
}

}  // namespace

void register_cpu_cache_append(Registry& registry) {
  registry.add<CacheAppend>("cpu", "f32", &cache_append<float>);
  registry.add<CacheAppend>("cpu", "bf16", &cache_append<BFloat16>);
}

}  // namespace parity::optimized
