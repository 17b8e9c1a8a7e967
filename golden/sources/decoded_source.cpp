// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/sources/decoded_source.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "core/text.hpp"
#include "golden/files/one_line.hpp"

namespace parity::golden {
namespace {

constexpr const char* kSuffix = "_scale_inv";

/// 2^(e - 127) in binary32; infinite for 255, as exponent functions compute it.
float power_of_two(uint8_t exponent) {
  constexpr int kBias = 127;
  return exponent == 255 ? std::numeric_limits<float>::infinity() : std::ldexp(1.0F, exponent - kBias);
}

float scale_at(const TensorView& scales, int64_t flat) {
  if (scales.dtype == DType::u8) return power_of_two(static_cast<uint8_t>(scales.value(flat)));
  return static_cast<float>(scales.value(flat));
}

const std::array<float, 256>& code_values() {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> values{};
    for (size_t code = 0; code < values.size(); ++code) {
      const auto byte = static_cast<std::byte>(code);
      values[code] = static_cast<float>(load_element(DType::e4m3fn, &byte));
    }
    return values;
  }();
  return table;
}

}  // namespace

TensorView DecodedSource::scales_of(const std::string& name, const TensorView& codes) const {
  const std::string scale_name = name + kSuffix;
  PARITY_CHECK(stored_.contains(scale_name), not_found,
               "tensor {} contains 8-bit codes, but the scales {} are missing; copy the checkpoint again",
               one_line(name), one_line(scale_name));
  const TensorView scales = stored_.tensor(scale_name);
  PARITY_CHECK(scales.dtype == DType::u8 || scales.dtype == DType::f32, schema,
               "tensor {} is {}; scales are u8 exponents or f32 factors", one_line(scale_name),
               to_string(scales.dtype));
  const bool divides = codes.rank() == 2 && scales.rank() == 2 && scales.count() > 0 &&
                       codes.shape[0] % scales.shape[0] == 0 && codes.shape[1] % scales.shape[1] == 0;
  PARITY_CHECK(divides, schema,
               "tensor {} of shape {} cannot be divided into equal blocks, one for each scale in {} of shape {}",
               one_line(name), to_string(codes.shape), one_line(scale_name), to_string(scales.shape));
  return scales;
}

void DecodedSource::read(const std::string& name, double* target) const {
  const TensorView codes = stored_.tensor(name);
  if (codes.dtype != DType::e4m3fn) return stored_.read(name, target);
  const TensorView scales = scales_of(name, codes);
  const int64_t rows = codes.shape[0] / scales.shape[0];
  const int64_t columns = codes.shape[1] / scales.shape[1];
  const auto& values = code_values();
  for (int64_t n = 0; n < codes.shape[0]; ++n) {
    const std::byte* row = codes.data + n * codes.strides[0];
    for (int64_t block = 0; block < scales.shape[1]; ++block) {
      const float scale = scale_at(scales, (n / rows) * scales.shape[1] + block);
      for (int64_t k = block * columns; k < (block + 1) * columns; ++k)
        *target++ = static_cast<double>(values[static_cast<size_t>(row[k])] * scale);
    }
  }
}

std::vector<std::string> DecodedSource::problems() const {
  std::vector<std::string> found;
  for (const std::string& name : stored_.names()) {
    const TensorView tensor = stored_.tensor(name);
    if (tensor.dtype == DType::e4m3fn) {
      try {
        static_cast<void>(scales_of(name, tensor));
      } catch (const Error& error) {
        found.emplace_back(error.what());
      }
    }
    if (!name.ends_with(kSuffix)) continue;
    const std::string owner = name.substr(0, name.size() - std::string(kSuffix).size());
    if (!stored_.contains(owner))
      found.push_back(
          fmt::format("tensor {} contains scales, but their tensor {} is missing", one_line(name), one_line(owner)));
    int64_t broken = 0;
    for (int64_t i = 0, n = tensor.count(); i < n; ++i) broken += std::isfinite(scale_at(tensor, i)) ? 0 : 1;
    if (broken > 0)
      found.push_back(fmt::format("tensor {}: {} of {} scales are NaN or infinite; copy the checkpoint again",
                                  one_line(name), broken, tensor.count()));
  }
  return found;
}

}  // namespace parity::golden
