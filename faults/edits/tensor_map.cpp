// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/edits/tensor_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

#include "core/text.hpp"

namespace parity::faults {
namespace {

using Kind = TensorMap::Kind;

constexpr std::array<std::pair<const char*, Kind>, 23> kKinds{{{"scale", Kind::scale},
                                                               {"offset", Kind::offset},
                                                               {"fill", Kind::fill},
                                                               {"at_least", Kind::at_least},
                                                               {"at_most", Kind::at_most},
                                                               {"modulo", Kind::modulo},
                                                               {"round", Kind::round},
                                                               {"truncate", Kind::truncate},
                                                               {"significand", Kind::significand},
                                                               {"copy", Kind::copy},
                                                               {"roll", Kind::roll},
                                                               {"late", Kind::late},
                                                               {"relative", Kind::relative},
                                                               {"reverse", Kind::reverse},
                                                               {"swap_halves", Kind::swap_halves},
                                                               {"interleave", Kind::interleave},
                                                               {"deinterleave", Kind::deinterleave},
                                                               {"regroup", Kind::regroup},
                                                               {"windowed", Kind::windowed},
                                                               {"ascending", Kind::ascending},
                                                               {"centre", Kind::centre},
                                                               {"softmax", Kind::softmax},
                                                               {"as_transposed", Kind::as_transposed}}};

/// One line of the tensor along the axis of the map.
struct Line {
  const double* x;
  double* out;
  int64_t extent, stride;

  [[nodiscard]] double at(int64_t p) const { return x[p * stride]; }
};

/// Rounds x to `bits` significant bits, to nearest even.
double shortened(double x, double bits) {
  if (x == 0.0 || !std::isfinite(x)) return x;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  const int places = static_cast<int>(bits);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, places)), exponent - places);
}

/// Rounds x to `dtype` toward zero.
double truncated(DType dtype, double x) {
  const double rounded = round_to(dtype, x);
  if (!std::isfinite(rounded) || std::abs(rounded) <= std::abs(x)) return rounded;
  int exponent = 0;
  std::frexp(rounded, &exponent);
  const int least = format_of(dtype).min_exponent + 1;  // frexp's exponent of the smallest normal number
  const double ulp = std::ldexp(1.0, std::max(exponent, least) - format_of(dtype).significand_bits);
  const double power = std::ldexp(1.0, exponent - 1);  // numbers are twice as dense below a power of two
  const bool denser = std::abs(rounded) == power && exponent > least;
  return rounded - std::copysign(denser ? ulp / 2.0 : ulp, rounded);
}

double changed(const PlacedMap& map, double x) {
  switch (map.kind) {
    case Kind::scale:
      return std::isinf(x) ? x : x * map.number;  // an infinity marks a masked element
    case Kind::offset:
      return x + map.number;
    case Kind::fill:
      return map.number;
    case Kind::at_least:
      return std::max(x, map.number);
    case Kind::at_most:
      return std::min(x, map.number);
    case Kind::modulo:
      return x - map.number * std::floor(x / map.number);
    case Kind::round:
      return round_to(map.dtype, x);
    case Kind::truncate:
      return truncated(map.dtype, x);
    case Kind::significand:
      return shortened(x, map.number);
    default:
      return x;
  }
}

/// Returns the position from which position p is read.
int64_t source_of(const PlacedMap& map, int64_t p, int64_t n) {
  const int64_t half = n / 2;
  switch (map.kind) {
    case Kind::copy:
      return map.by < n ? (map.by < 0 ? std::max<int64_t>(n + map.by, 0) : map.by) : p;
    case Kind::roll:
      return ((p - map.by % n) % n + n) % n;
    case Kind::late:
      return std::clamp<int64_t>(p - map.by, 0, n - 1);
    case Kind::reverse:
      return n - 1 - p;
    case Kind::swap_halves:
      return (p + half) % n;
    case Kind::interleave:
      return n % 2 == 0 ? p % 2 * half + p / 2 : p;
    case Kind::deinterleave:
      if (n % 2 != 0) return p;
      return p < half ? 2 * p : 2 * (p - half) + 1;
    case Kind::windowed:
      return n % (map.by * map.by) == 0 ? p - p % (map.by * map.by) + p % map.by * map.by + p / map.by % map.by : p;
    case Kind::regroup:
      return n % map.by == 0 ? p % map.by * (n / map.by) + p / map.by : p;
    default:
      return p;
  }
}

void ascend(const Line& line) {
  std::vector<double> values;
  for (int64_t p = 0; p < line.extent; ++p) values.push_back(line.at(p));
  std::sort(values.begin(), values.end(),
            [](double a, double b) { return std::pair(a < 0.0, a) < std::pair(b < 0.0, b); });
  for (int64_t p = 0; p < line.extent; ++p) line.out[p * line.stride] = values[static_cast<size_t>(p)];
}

void softmax(const Line& line) {
  double largest = line.at(0), total = 0.0;
  for (int64_t p = 0; p < line.extent; ++p) largest = std::max(largest, line.at(p));
  for (int64_t p = 0; p < line.extent; ++p) total += std::exp(line.at(p) - largest);
  for (int64_t p = 0; p < line.extent; ++p) line.out[p * line.stride] = std::exp(line.at(p) - largest) / total;
}

void map_line(const PlacedMap& map, const Line& line) {
  if (map.kind == Kind::softmax) return softmax(line);
  if (map.kind == Kind::ascending) {
    ascend(line);
    return;
  }
  double mean = map.kind == Kind::relative ? line.at(0) : 0.0;
  for (int64_t p = 0; p < line.extent && map.kind == Kind::centre; ++p)
    mean += line.at(p) / static_cast<double>(line.extent);
  for (int64_t p = 0; p < line.extent; ++p) {
    const bool chosen = p >= map.first && p < map.last && (p - map.first) % map.every == 0;
    const int64_t from = chosen ? source_of(map, p, line.extent) : p;
    const double value = line.at(from) - mean;
    line.out[p * line.stride] = chosen ? changed(map, value) : value;
  }
}

/// Reads x as memory that a kernel wrote with the two axes exchanged.
void as_transposed(const PlacedMap& map, const Shape& shape, const double* x, double* out) {
  Shape exchanged = shape;
  std::swap(exchanged[static_cast<size_t>(map.axis)], exchanged[static_cast<size_t>(map.by)]);
  const int64_t count = element_count(shape);
  const auto rank = static_cast<int64_t>(shape.size());
  for (int64_t flat = 0; flat < count; ++flat) {
    std::vector<int64_t> index(shape.size());
    for (int64_t axis = rank - 1, rest = flat; axis >= 0; --axis) {
      const int64_t extent = exchanged[static_cast<size_t>(axis)];
      index[static_cast<size_t>(axis)] = rest % extent;
      rest /= extent;
    }
    std::swap(index[static_cast<size_t>(map.axis)], index[static_cast<size_t>(map.by)]);
    int64_t from = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis) from = from * shape[axis] + index[axis];
    out[flat] = x[from];
  }
}

}  // namespace

TensorMap::Kind tensor_map_kind(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [known, kind] : kKinds) {
    if (name == known) return kind;
    names.emplace_back(known);
  }
  throw Error(ErrorCode::usage, fmt::format("unknown map '{}'{}", name, did_you_mean(name, names)));
}

const char* kind_name(TensorMap::Kind kind) {
  const auto found =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& known) { return known.second == kind; });
  return found->first;
}

double value_of_expression(const std::string& expression, const std::map<std::string, double>& names) {
  std::string text = expression;
  const double sign = text.starts_with('-') ? -1.0 : 1.0;
  if (sign < 0.0) text.erase(0, 1);
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == '\0') return sign * number;
  const size_t open = text.find('(');
  const std::string function = open == std::string::npos ? "" : text.substr(0, open);
  const std::string name = open == std::string::npos ? text : text.substr(open + 1, text.size() - open - 2);
  const auto found = names.find(name);
  PARITY_CHECK(found != names.end(), usage, "'{}' is neither a number nor an axis or a parameter", expression);
  if (function.empty()) return sign * found->second;
  PARITY_CHECK(function == "sqrt" || function == "rsqrt", usage, "'{}': only sqrt and rsqrt are known", expression);
  return sign * (function == "sqrt" ? std::sqrt(found->second) : 1.0 / std::sqrt(found->second));
}

void require_counts(const TensorMap& map, ErrorCode code, const std::string& text) {
  const bool by = map.kind == TensorMap::Kind::regroup || map.kind == TensorMap::Kind::windowed;
  if (map.every > 0 && (!by || map.by > 0)) return;
  throw Error(code, fmt::format("map {}: 'every', and 'by' of regroup and windowed, must be 1 or more", text));
}

bool is_elementwise(TensorMap::Kind kind) {
  static const std::set<Kind> kinds{Kind::scale,  Kind::offset, Kind::fill,     Kind::at_least,   Kind::at_most,
                                    Kind::modulo, Kind::round,  Kind::truncate, Kind::significand};
  return kinds.contains(kind);
}

PlacedMap placed(const TensorMap& map, const std::string& axes, const Shape& shape, const AxisSizes& sizes,
                 const std::map<std::string, double>& names) {
  const double number = value_of_expression(map.number, names);
  require_counts(map, ErrorCode::usage, kind_name(map.kind));
  PARITY_CHECK(!map.axis.empty() || is_elementwise(map.kind), usage, "map {} names no axis", kind_name(map.kind));
  PlacedMap result{map.kind, number, map.dtype, -1, map.by, 0, 0, map.every, shape};
  if (map.axis.empty()) {
    result.last = 1;
    return result;
  }
  const auto tokens = split_axes(axes);
  const auto found = std::find(tokens.begin(), tokens.end(), map.axis);
  PARITY_CHECK(found != tokens.end(), usage, "axis {} is not one of {}", map.axis, axes);
  PARITY_CHECK(tokens.size() == shape.size(), usage, "shape {} does not have the axes {}", to_string(shape), axes);
  result.axis = found - tokens.begin();
  PARITY_CHECK(map.kind != TensorMap::Kind::as_transposed || (map.by >= 0 && map.by < std::ssize(tokens)), usage,
               "'by' is {}, but the axes {} are numbered 0 to {}", map.by, axes, std::ssize(tokens) - 1);
  const int64_t extent = shape[static_cast<size_t>(result.axis)];
  const int64_t origin = map.from_fresh ? sizes.at('K') - sizes.at('S') : 0;
  const auto first = static_cast<int64_t>(value_of_expression(map.first, names));
  result.first = first < 0 ? std::max<int64_t>(extent + first, 0) : origin + first;
  result.last = std::min(result.first + map.count, extent);
  if (map.from_fresh && map.count < 0) {  // only earlier slots than this call's
    result.first = 0;
    result.last = origin;
  }
  return result;
}

Shape applied_shape(const PlacedMap& map, const Shape& seen) {
  if (map.axis < 0 || seen.size() == map.shape.size()) return seen;
  PARITY_CHECK(element_count(seen) == element_count(map.shape), unsupported,
               "a map for the shape {} is applied to a tensor of shape {}", to_string(map.shape), to_string(seen));
  return map.shape;
}

void apply(const PlacedMap& map, const Shape& shape, const double* x, double* out) {
  PARITY_CHECK(map.axis < static_cast<int64_t>(shape.size()), unsupported,
               "a map along axis number {} is applied to a tensor of shape {}", map.axis, to_string(shape));
  const int64_t count = element_count(shape);
  if (map.axis < 0) {
    for (int64_t i = 0; i < count; ++i) out[i] = changed(map, x[i]);
    return;
  }
  if (map.kind == Kind::as_transposed) {
    as_transposed(map, shape, x, out);
    return;
  }
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > static_cast<size_t>(map.axis) + 1;) stride *= shape[axis];
  const int64_t extent = shape[static_cast<size_t>(map.axis)];
  for (int64_t first = 0; first < count; first += extent * stride) {
    for (int64_t inner = 0; inner < stride; ++inner)
      map_line(map, {x + first + inner, out + first + inner, extent, stride});
  }
}

}  // namespace parity::faults
