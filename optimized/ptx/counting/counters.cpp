// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/counting/counters.hpp"

#include <cmath>

namespace parity::ptx {
namespace {

/// Lists every number of a cost once, for the functions that add and scale costs.
template <class Each>
void each_number(SectorCount& c, const SectorCount& other, const Each& each) {
  each(c.requests, other.requests);
  each(c.coalesced, other.coalesced);
  each(c.sectors, other.sectors);
  each(c.least, other.least);
  each(c.bytes, other.bytes);
}

template <class Each>
void each_number(WavefrontCount& c, const WavefrontCount& other, const Each& each) {
  each(c.requests, other.requests);
  each(c.wavefronts, other.wavefronts);
  each(c.least, other.least);
}

template <class Each>
void each_number(Cost& c, const Cost& other, const Each& each) {
  each(c.instructions, other.instructions);
  each(c.lanes, other.lanes);
  each(c.barriers, other.barriers);
  for (size_t i = 0; i < kTraffics; ++i) each_number(c.global.at(i), other.global.at(i), each);
  each_number(c.local, other.local, each);
  each_number(c.shared, other.shared, each);
  for (const auto& [shape, count] : other.multiply_adds) each(c.multiply_adds[shape], count);
}

void add(uint64_t& to, uint64_t what) { to += what; }

}  // namespace

const char* to_string(Traffic traffic) {
  static constexpr std::array kNames{"load", "store", "atomic", "async", "bulk load", "bulk store"};
  return traffic < Traffic::count ? kNames.at(static_cast<size_t>(traffic)) : "?";
}

SectorCount& SectorCount::operator+=(const SectorCount& other) {
  each_number(*this, other, add);
  return *this;
}

WavefrontCount& WavefrontCount::operator+=(const WavefrontCount& other) {
  each_number(*this, other, add);
  return *this;
}

Cost& Cost::operator+=(const Cost& other) {
  each_number(*this, other, add);
  return *this;
}

SectorCount Cost::all_global() const {
  SectorCount sum;
  for (const SectorCount& each : global) sum += each;
  return sum;
}

Cost Counters::counted() const {
  Cost sum;
  for (const LineCost& line : lines) sum += line.cost;
  return sum;
}

Cost Counters::total() const { return scaled(counted(), blocks, blocks_run()); }

Cost scaled(const Cost& cost, uint64_t to, uint64_t from) {
  if (to == from || from == 0) return cost;
  const double factor = static_cast<double>(to) / static_cast<double>(from);
  Cost result;
  each_number(result, cost, [&](uint64_t& c, uint64_t count) {
    c = static_cast<uint64_t>(std::llround(static_cast<double>(count) * factor));
  });
  return result;
}

}  // namespace parity::ptx
