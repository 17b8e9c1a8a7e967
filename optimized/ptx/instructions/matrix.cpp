// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/instructions/matrix.hpp"

#include <bit>
#include <charconv>

namespace parity::ptx {

bool whole_warp(Warp& warp, const Step& step) {
  if (warp.mask != kAllLanes && !warp.meet(step, kAllLanes)) return false;
  if (warp.mask == kAllLanes) return true;
  for (const Party& party : warp.parties) {
    if (party.registers == warp.registers && party.step == &step) {
      warp.mask |= party.mask;
    } else {
      warp.find(Finding::Kind::warp_divergence, step, static_cast<uint32_t>(std::countr_zero(party.mask)),
                "lanes of the warp stand at another instruction; '.aligned' wants all of them at this one");
    }
  }
  if (const Mask missing = ~warp.mask & ~warp.live; missing != 0) {
    warp.find(Finding::Kind::warp_divergence, step, static_cast<uint32_t>(std::countr_zero(warp.mask)),
              fmt::format("lanes {:08x} have exited or never were; a matrix instruction needs all 32", missing));
  }
  return true;
}

namespace {

const std::vector<Operand>& parts_of(const Operand& operand, std::vector<Operand>& alone) {
  if (operand.kind == Operand::Kind::vector) return operand.parts;
  alone.push_back(operand);
  return alone;
}

}  // namespace

size_t matrix_sources(Decoder& d, const Operand& operand, Type type, std::vector<uint32_t>& words) {
  std::vector<Operand> alone;
  const auto& parts = parts_of(operand, alone);
  for (const Operand& part : parts) words.push_back(d.source(part, type));
  return parts.size();
}

size_t matrix_destinations(Decoder& d, const Operand& operand, Type type, std::vector<uint32_t>& words) {
  std::vector<Operand> alone;
  const auto& parts = parts_of(operand, alone);
  for (const Operand& part : parts) words.push_back(d.destination(part, type));
  return parts.size();
}

void take_aligned(Decoder& d) {
  if (!d.take("sync") || !d.take("aligned")) d.refuse("'.sync.aligned' is expected");
}

MmaShape take_shape(Decoder& d) {
  for (const std::string_view part : d.parts()) {
    const size_t n_at = part.find('n'), k_at = part.find('k');
    if (!part.starts_with('m') || n_at == std::string_view::npos || k_at == std::string_view::npos) continue;
    MmaShape shape;
    const auto number = [](std::string_view text, int& to) {
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
      return error == std::errc{} && end == text.data() + text.size();
    };
    if (!number(part.substr(1, n_at - 1), shape.m) || !number(part.substr(n_at + 1, k_at - n_at - 1), shape.n) ||
        !number(part.substr(k_at + 1), shape.k))
      continue;
    d.take(part);
    return shape;
  }
  d.refuse("a shape, as in .m16n8k16, is expected");
}

}  // namespace parity::ptx
