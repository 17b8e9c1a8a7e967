// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Registers that a wgmma under way holds, and those that no wgmma.fence follows. Source: PTX ISA 9.0, sections
// 9.7.15.1 and 9.7.15.7.1.
#include <algorithm>

#include "optimized/ptx/machine/machine.hpp"

namespace parity::ptx {
namespace {

enum Held : uint8_t { free, operand, accumulator };

struct Names {
  const uint32_t *operands, *accumulators;
  uint32_t operand_count, accumulator_count;
};

/// Registers of A come first of what a wgmma reads, after its guard; Step::count says how many there are.
Names names_of(const Code& code, const Step& step) {
  const uint32_t* const lists = code.lists.data();
  const uint32_t guard = step.guarded ? 1 : 0;
  return {lists + step.reads + guard, lists + step.writes, step.count, step.write_count};
}

/// Sums of the same shape may follow each other without a fence or a wait.
bool follows(const PendingMatrix& pending, const Step& step) {
  return pending.step->run == step.run && pending.step->write_count == step.write_count;
}

}  // namespace

void Warp::hold(const PendingMatrix& pending) {
  const Names names = names_of(*pending.frame->code, *pending.step);
  auto& held = pending.frame->held;
  for (uint32_t i = 0; i < names.operand_count; ++i)
    held[names.operands[i]] = std::max(held[names.operands[i]], uint8_t{operand});
  for (uint32_t i = 0; i < names.accumulator_count; ++i) held[names.accumulators[i]] = accumulator;
}

void Warp::hold_again() {
  for (const auto& of : frames_) std::fill(of->held.begin(), of->held.end(), uint8_t{free});
  for (const PendingMatrix& pending : matrices) hold(pending);
}

void Warp::find_held(const Step& step, uint32_t name, bool writes) {
  const bool sum = frame->held[name] == accumulator;
  find(Finding::Kind::in_flight, step, first_lane(),
       fmt::format("register {} is {} while a wgmma that {} it is not waited for; wgmma.wait_group comes first",
                   frame->code->register_names[name], writes ? "written" : "read", sum ? "adds to" : "reads"));
  frame->held[name] = free;  // once is enough
}

/// Of an instruction that is no wgmma.
void Warp::check_held(const Step& step) {
  const uint32_t* const lists = frame->code->lists.data();
  for (uint32_t i = 0; i < step.read_count; ++i) {
    const uint32_t name = lists[step.reads + i];
    if (frame->held[name] != free) find_held(step, name, false);
    frame->epochs[name] = fence_epoch;
  }
  for (uint32_t i = 0; i < step.write_count; ++i) {
    const uint32_t name = lists[step.writes + i];
    if (frame->held[name] != free) find_held(step, name, true);
    frame->epochs[name] = fence_epoch;
  }
}

/// Of a wgmma, before it counts as writing its accumulators.
void Warp::check_product(const Step& step) {
  if (step.write_count == 0) return;  // a fence, a commit, a wait
  const bool adds = (((step.mode != 0 ? ~Mask{0} : 0) ^ *at<Mask>(step.c)) & mask) != 0;
  const Names names = names_of(*frame->code, step);
  const bool chained =
      std::all_of(matrices.begin(), matrices.end(), [&](const PendingMatrix& p) { return follows(p, step); });
  const auto fenced = [&](uint32_t name) {
    if (frame->epochs[name] != fence_epoch) return;
    find(Finding::Kind::missing_fence, step, first_lane(),
         fmt::format("no wgmma.fence since register {} was accessed", frame->code->register_names[name]));
    frame->epochs[name] = 0;
  };
  for (uint32_t i = 0; i < names.operand_count; ++i) {
    if (frame->held[names.operands[i]] == accumulator) find_held(step, names.operands[i], false);
    fenced(names.operands[i]);
  }
  for (uint32_t i = 0; i < names.accumulator_count; ++i) {
    const uint32_t name = names.accumulators[i];
    if (frame->held[name] == operand || (frame->held[name] == accumulator && !chained)) find_held(step, name, true);
    fenced(name);
    if (const Mask missing = mask & ~frame->written[name]; adds && missing != 0) {
      find(Finding::Kind::unwritten, step, first_lane(),
           fmt::format("accumulator {} is added to and was never written", frame->code->register_names[name]));
      frame->written[name] |= missing;
    }
  }
}

}  // namespace parity::ptx
