// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/counting/counting.hpp"

#include "optimized/ptx/machine/machine.hpp"

namespace parity::ptx {
namespace {

/// Fences and mbarriers are left out, because no thread waits at these instructions themselves.
bool waits(std::string_view opcode) { return opcode.starts_with("bar.") || opcode.starts_with("barrier."); }

LineCost line_of(const Program& program, const Code& code, size_t index, const Tally& tally, uint64_t instructions) {
  const Step& step = code.steps[index];
  const std::vector<Instruction>& body = code.function->body;
  LineCost line;
  line.position = position_of(program.module(), step);
  line.function = code.function->name;
  line.opcode = index < body.size() ? body[index].opcode : "ret";  // the end of a function returns
  line.kind = step.kind;
  line.cost.instructions = instructions;
  line.cost.lanes = tally.lanes;
  line.cost.barriers = waits(line.opcode) ? instructions : 0;
  line.cost.global.at(static_cast<size_t>(tally.traffic)) = tally.global;
  line.cost.local = tally.local;
  line.cost.shared = tally.shared;
  if (tally.multiply_adds != 0) line.cost.multiply_adds[tally.shape] = tally.multiply_adds;
  return line;
}

}  // namespace

Counting::Counting(const Program& program, const Device& device, bool touches) : device_(device), touches_(touches) {
  for (const Code& code : program.codes()) tallies_.emplace_back(code.steps.size());
}

void Counting::global(Tally& tally, Traffic traffic, std::span<const Sector> sectors, const SectorCount& count) {
  tally.traffic = traffic;
  tally.global += count;
  for (size_t i = 0; touches_ && i < sectors.size(); ++i) touched_.mark(device_, traffic, sectors[i]);
}

void Counting::add(const Counting& other) {
  for (size_t code = 0; code < tallies_.size(); ++code) {
    for (size_t i = 0; i < tallies_[code].size(); ++i) {
      Tally& to = tallies_[code][i];
      const Tally& from = other.tallies_[code][i];
      to.lanes += from.lanes;
      if (from.global.requests != 0) to.traffic = from.traffic;
      to.global += from.global;
      to.local += from.local;
      to.shared += from.shared;
      to.multiply_adds += from.multiply_adds;
      if (to.shape.empty()) to.shape = from.shape;
    }
  }
  touched_.add(other.touched_);
}

Counters Counting::result(const Program& program, const std::vector<std::vector<uint64_t>>& instructions) const {
  Counters counters;
  for (const Code& code : program.codes()) {
    for (size_t i = 0; i < code.steps.size(); ++i) {
      const uint64_t count = instructions[code.index][i];
      if (count > 0) counters.lines.push_back(line_of(program, code, i, tallies_[code.index][i], count));
    }
  }
  if (touches_) counters.unique = touched_.unique();
  return counters;
}

}  // namespace parity::ptx
