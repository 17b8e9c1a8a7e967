// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/processor/frame_sampling.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "reference/support.hpp"

namespace parity::reference {

/// torch.arange(0, total, total / count).int() on CPU, for lengths that torch computes in one thread.
inline std::vector<int64_t> stepped(int64_t total, int64_t count) {
  constexpr int64_t kLanes = 8;          // elements of a binary32 vector
  constexpr int64_t kMostShare = 32768;  // elements, above which threads share the work and vectors start elsewhere
  const double step = static_cast<double>(total) / static_cast<double>(count);
  const auto length = static_cast<int64_t>(std::ceil(static_cast<double>(total) / step));
  PARITY_CHECK(length <= kMostShare, unsupported,
               "{} frames are to be sampled from a video; the reference samples at most {}", length, kMostShare);
  const int64_t vectors = length / (2 * kLanes) * (2 * kLanes);  // elements that are computed by pairs of vectors
  std::vector<int64_t> result;
  for (int64_t i = 0; i < length; ++i) {
    const int64_t lane = i < vectors ? i % kLanes : 0;
    const auto base = static_cast<float>(step * static_cast<double>(i - lane));
    const auto value = static_cast<float>(static_cast<double>(base) + step * static_cast<double>(lane));
    result.push_back(static_cast<int64_t>(value));
  }
  return result;
}

inline std::vector<int64_t> spread(int64_t total, int64_t count) {
  std::vector<int64_t> result;
  for (int64_t i = 0; i < count; ++i) result.push_back(i * total / count);
  return result;
}

/// The sampled frames, or nothing where the package raises.
inline std::optional<std::vector<int64_t>> sampled(int64_t total, int64_t count, double source, double wanted,
                                                   const FrameSampling::Params& params) {
  if (count == 0) {
    count = static_cast<int64_t>(static_cast<double>(total) / source * wanted);
    if (params.at_least_one) count = std::max<int64_t>(count, 1);
  }
  if (count > total) return std::nullopt;
  if (params.whole_numbers) return spread(total, count);
  if (count < 1) return std::nullopt;
  return stepped(total, count);
}

template <class Num>
void frame_sampling(const FrameSampling::Inputs& in, const FrameSampling::Params& params,
                    const FrameSampling::Outputs& out, Context&) {
  const auto frames = in.frames.as<int64_t, 2>();                                                              // (N, 2)
  const auto rates = in.rates.as<double, 2>();                                                                 // (N, 2)
  const auto error = out.error.as<int64_t, 1>();                                                                  // (N)
  for (int64_t n = 0; n < frames.extent[0]; ++n) {
    PARITY_CHECK(frames(n, 1) != 0 || rates(n, 0) > 0.0, schema,
                 "video {} has {} frames per second and cannot be sampled", n, rates(n, 0));
    const auto made = sampled(frames(n, 0), frames(n, 1), rates(n, 0), rates(n, 1), params);
    const auto length = made ? static_cast<int64_t>(made->size()) : 0;
    error(n) = made ? 0 : 1;
    if (out.indices.empty()) continue;
    const auto indices = out.indices.as<int64_t, 2>();                                                         // (N, T)
    PARITY_CHECK(length <= indices.extent[1], schema, "{} frames are sampled from video {}, but {} are recorded",
                 length, n, indices.extent[1]);
    for (int64_t i = 0; i < indices.extent[1]; ++i) indices(n, i) = i < length ? (*made)[static_cast<size_t>(i)] : -1;
  }
}

PARITY_REFERENCE(FrameSampling, frame_sampling)

}  // namespace parity::reference
