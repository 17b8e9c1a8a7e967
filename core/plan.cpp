// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan.hpp"

#include <cctype>

#include "core/text.hpp"

namespace parity {

const TapInfo& Plan::tap(const std::string& name) const {
  const auto found = taps.find(name);
  if (found != taps.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, info] : taps) names.push_back(known);
  throw Error(ErrorCode::not_found, fmt::format("the model has no tap '{}'{}", name, did_you_mean(name, names)));
}

DType Plan::dtype_of(TapType type) const {
  switch (type) {
    case TapType::working:
      return working;
    case TapType::single:
      return working == DType::f64 ? DType::f64 : DType::f32;
    case TapType::index:
    case TapType::count:
      return DType::i64;
    case TapType::byte:
    case TapType::text:
      return DType::u8;
    case TapType::flag:
      return DType::boolean;
    case TapType::wide:
      return DType::f64;
  }
  return working;
}

AxisSizes Plan::sizes_of(const Node& node) const {
  AxisSizes result = node.sizes;
  const auto call = sizes.find(node.step);
  if (call != sizes.end()) result.insert(call->second.begin(), call->second.end());
  return result;
}

Shape shape_of(const std::string& axes, const AxisSizes& sizes) {
  Shape shape;
  for (const std::string& token : split_axes(axes)) {
    int64_t extent = 1;
    for (const char letter : token == "N" ? std::string("BS") : token) {
      if (std::isdigit(static_cast<unsigned char>(letter)) != 0) {
        extent *= letter - '0';
        continue;
      }
      const auto found = sizes.find(letter);
      PARITY_CHECK(found != sizes.end(), internal, "axis {} of the axes '{}' has no known size", letter, axes);
      extent *= found->second;
    }
    shape.push_back(extent);
  }
  return shape;
}

}  // namespace parity
