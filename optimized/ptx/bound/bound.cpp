// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/bound/bound.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace parity::ptx {
namespace {

double as_double(uint64_t count) { return static_cast<double>(count); }

/// All 8-bit formats have one rate, and all 4-bit formats have another.
std::string rate_of(const std::string& type) {
  if (type == "e5m2") return "e4m3";
  return type == "u8" ? "s8" : type;
}

void add_tensor(Bound& bound, const Cost& cost, const Gpu& gpu) {
  double seconds = 0;
  for (const auto& [shape, count] : cost.multiply_adds) {
    const std::string type = shape.substr(0, shape.find(' '));
    const auto rate = gpu.tensor.find(rate_of(type));
    if (rate == gpu.tensor.end()) {
      bound.left_out.push_back(fmt::format("tensor: no rate of {} is stated for {}", type, gpu.name));
      continue;
    }
    seconds += as_double(count) / rate->second;
  }
  bound.terms.push_back({Resource::tensor, seconds});
}

}  // namespace

const char* to_string(Resource resource) {
  static constexpr std::array kNames{"tensor", "dram", "l2", "shared", "issue"};
  return kNames.at(static_cast<size_t>(resource));
}

Bound bound_of(const Counters& counters, const Gpu& gpu, const std::optional<UniqueBytes>& stated) {
  Bound bound;
  const Cost cost = counters.total();
  add_tensor(bound, cost, gpu);
  const std::optional<UniqueBytes>& unique = counters.unique ? counters.unique : stated;
  if (unique) {
    bound.terms.push_back({Resource::dram, as_double(unique->read + unique->written) / gpu.dram});
  } else {
    bound.left_out.emplace_back("dram: bytes at different addresses of a sample do not add up; state them");
  }
  if (gpu.l2) {
    const uint64_t sectors = cost.all_global().sectors + cost.local.sectors;
    bound.terms.push_back({Resource::l2, as_double(sectors * kSectorBytes) / *gpu.l2});
  } else {
    bound.left_out.push_back(fmt::format("l2: {}", gpu.sources.at("l2_gb_s")));
  }
  const double clocks = gpu.sms * gpu.clock;
  const uint64_t shared = cost.shared.wavefronts * kWavefrontBytes;
  bound.terms.push_back({Resource::shared, as_double(shared) / (clocks * gpu.shared_per_clock)});
  bound.terms.push_back({Resource::issue, as_double(cost.instructions) / (clocks * gpu.per_clock)});
  std::stable_sort(bound.terms.begin(), bound.terms.end(),
                   [](const Bound::Term& a, const Bound::Term& b) { return a.seconds > b.seconds; });
  return bound;
}

std::string describe(const Bound& bound, const Gpu& gpu) {
  constexpr double kPercent = 100;
  const Bound::Term& largest = bound.largest();
  std::string text = fmt::format("bound by the model ({}): {}", gpu.name, to_string(largest.resource));
  const char* separator = "; ";
  for (const Bound::Term& term : bound.terms) {
    if (&term == &largest || term.seconds == 0) continue;
    text +=
        fmt::format("{}{} {:.0f} %", separator, to_string(term.resource), kPercent * term.seconds / largest.seconds);
    separator = ", ";
  }
  for (const std::string& reason : bound.left_out) text += fmt::format("\n  left out  {}", reason);
  return text;
}

}  // namespace parity::ptx
