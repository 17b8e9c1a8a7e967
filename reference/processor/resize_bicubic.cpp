// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/processor/resize_bicubic.hpp"

#include <algorithm>
#include <cmath>

#include "reference/support.hpp"

namespace parity::reference {

/// The source pixels of one target pixel, and their weights.
struct Taps {
  int64_t first = 0;
  std::vector<int64_t> weights;
};

/// Weights for all target pixels of one axis, in units of 2^-precision.
struct Resampling {
  std::vector<Taps> targets;
  int precision = 0;
};

/// Keys' cubic convolution kernel with a = -0.5.
inline double cubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1.0) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
  if (x < 2.0) return ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a;
  return 0.0;
}

/// Weights of target pixel `index` in binary64, with sum 1; `first` receives the index of the first source pixel.
inline std::vector<double> real_weights(int64_t from, double scale, int64_t index, int64_t& first) {
  const double widened = std::max(scale, 1.0);
  const double support = 2.0 * widened;
  const double inverse = scale >= 1.0 ? 1.0 / scale : 1.0;
  const double center = scale * (static_cast<double>(index) + 0.5);
  first = std::max<int64_t>(static_cast<int64_t>(center - support + 0.5), 0);
  const int64_t end = std::min(static_cast<int64_t>(center + support + 0.5), from);
  const int64_t most = static_cast<int64_t>(std::ceil(support)) * 2 + 1;
  std::vector<double> weights(static_cast<size_t>(std::clamp<int64_t>(end - first, 0, most)));
  double total = 0.0;
  for (size_t j = 0; j < weights.size(); ++j) {
    weights[j] = cubic((static_cast<double>(j) + static_cast<double>(first) - center + 0.5) * inverse);
    total += weights[j];
  }
  for (double& weight : weights) weight /= total;
  return weights;
}

inline Resampling resampling(int64_t from, int64_t to) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  Resampling result;
  std::vector<std::vector<double>> real;
  double largest = 0.0;
  for (int64_t i = 0; i < to; ++i) {
    result.targets.emplace_back();
    real.push_back(real_weights(from, scale, i, result.targets.back().first));
    for (const double weight : real.back()) largest = std::max(largest, weight);
  }
  constexpr int kMostBits = 22;  // a 32-bit sum also needs 8 bits for the pixel and 2 for carries
  const auto fits = [&](int bits) { return std::trunc(0.5 + std::ldexp(largest, bits)) < 32768.0; };
  while (result.precision < kMostBits && fits(result.precision + 1)) ++result.precision;
  for (size_t i = 0; i < real.size(); ++i) {
    for (const double weight : real[i]) {
      const double scaled = std::ldexp(weight, result.precision);
      result.targets[i].weights.push_back(static_cast<int64_t>(std::trunc(scaled + (weight < 0.0 ? -0.5 : 0.5))));
    }
  }
  return result;
}

/// Resamples one line of pixels, which are `stride` apart in the source and `target_stride` in the target.
inline void resample_line(const Resampling& axis, const int64_t* source, int64_t stride, int64_t* target,
                          int64_t target_stride) {
  const int64_t half = (int64_t{1} << axis.precision) / 2;
  for (size_t i = 0; i < axis.targets.size(); ++i) {
    const Taps& taps = axis.targets[i];
    int64_t sum = half;
    for (size_t j = 0; j < taps.weights.size(); ++j)
      sum += source[(taps.first + static_cast<int64_t>(j)) * stride] * taps.weights[j];
    target[static_cast<int64_t>(i) * target_stride] = std::clamp<int64_t>(sum >> axis.precision, 0, 255);
  }
}

template <class Num>
void resize_bicubic(const ResizeBicubic::Inputs& in, const ResizeBicubic::Params&, const ResizeBicubic::Outputs& out,
                    Context&) {
  const auto image = in.image.as<int64_t, 3>();  // (T C, H, W)
  const auto result = out.out.as<int64_t, 3>();  // (T C, Y, X)
  const auto [planes, height, width] = image.extent;
  PARITY_CHECK(planes == result.extent[0] && element_count(in.image.shape) > 0, schema,
               "{} planes of {} x {} pixels cannot become {}", planes, height, width, to_string(out.out.shape));
  const int64_t wide = result.extent[2];
  const Resampling rows = resampling(width, wide);
  const Resampling columns = resampling(height, result.extent[1]);
  std::vector<int64_t> between(static_cast<size_t>(height * wide));                                            // (H, X)
  for (int64_t c = 0; c < planes; ++c) {
    for (int64_t y = 0; y < height; ++y) {
      if (wide == width)
        for (int64_t x = 0; x < width; ++x) between[static_cast<size_t>(y * wide + x)] = image(c, y, x);
      else
        resample_line(rows, &image(c, y, 0), image.stride[2], &between[static_cast<size_t>(y * wide)], 1);
    }
    for (int64_t x = 0; x < wide; ++x) {
      if (result.extent[1] == height)
        for (int64_t y = 0; y < height; ++y) result(c, y, x) = between[static_cast<size_t>(y * wide + x)];
      else
        resample_line(columns, &between[static_cast<size_t>(x)], wide, &result(c, 0, x), result.stride[1]);
    }
  }
}

PARITY_REFERENCE(ResizeBicubic, resize_bicubic)

}  // namespace parity::reference
