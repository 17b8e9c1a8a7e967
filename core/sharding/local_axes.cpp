// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/sharding/local_axes.hpp"

namespace parity {
namespace {

constexpr char kUnnamed = 'Z';  // the letter of a range of channels across heads

}  // namespace

AxisSizes sizes_in(const AxisSizes& call, const std::string& axes, const Shape& shape) {
  AxisSizes sizes = call;
  const auto tokens = split_axes(axes);
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string& token = tokens[i];
    if (token.size() == 1 && token != "N" && token != "1") sizes[token.front()] = shape[i];
    if (token.size() == 2 && token.front() <= '9') sizes[token.back()] = shape[i] / (token.front() - '0');
  }
  return sizes;
}

AxisSizes local_sizes(AxisSizes sizes, const OwnRanges& ranges) {
  for (const auto& [unit, own] : ranges) sizes[unit.size() == 1 ? unit.front() : kUnnamed] = count_of(own);
  return sizes;
}

std::string local_axes(const std::string& axes, const Shares& shares) {
  auto tokens = split_axes(axes);
  for (std::string& token : tokens) {
    if (token.size() > 1 && find_share(shares, token) != nullptr) token = std::string(1, kUnnamed);
  }
  return fmt::format("{}", fmt::join(tokens, ","));
}

std::string gather_axes(const std::string& axes, const Unit& unit, bool ids) {
  auto tokens = split_axes(axes);
  auto at = static_cast<size_t>(find_unit(axes, unit));
  if (tokens[at] == "N" && unit == "S") {
    const auto joined = tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(at++));
    tokens.insert(joined, {"B", "S"});
  }
  std::string before, after;
  for (size_t i = 0; i < at; ++i) before += tokens[i] == "N" ? "BS" : tokens[i];
  for (size_t i = at + 1; i < tokens.size(); ++i) after += tokens[i] == "1" ? "" : tokens[i];
  for (const char letter : after)
    PARITY_CHECK(after.find(letter) == after.rfind(letter), unsupported,
                 "a tap with axes {} cannot be divided along {} and gathered", axes, unit);
  const auto or_one = [](const std::string& token) { return token.empty() ? "1" : token; };
  return fmt::format("{},{}{},{}", or_one(before == "BS" ? "N" : before), ids ? "" : "1,", tokens[at], or_one(after));
}

Shares within(Shares shares, const std::string& axes) {
  std::erase_if(shares, [&](const Share& share) { return find_unit(axes, share.unit) < 0; });
  return shares;
}

}  // namespace parity
