// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Branches, calls, ends and traps. Source: PTX ISA 9.0, section 9.7.12.
#include <algorithm>
#include <bit>

#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/instructions/lanes.hpp"
#include "optimized/ptx/instructions/library.hpp"

namespace parity::ptx {
namespace {

void branch(Warp& warp, const Step& step) { warp.branch(static_cast<uint32_t>(step.immediate)); }

/// brx.idx: each lane its target of a list. Beyond it, the behaviour is undefined: a finding, and the lane ends.
void branch_by_index(Warp& warp, const Step& step) {
  const uint32_t* targets = warp.frame->code->lists.data() + step.list;
  const auto* index = warp.at<uint32_t>(step.a);
  if (const Mask rest = warp.current & ~warp.mask; rest != 0) warp.fragments.push_back({warp.frame, warp.pc + 1, rest});
  warp.parked = true;
  Mask left = warp.mask, lost = 0;
  while (left != 0) {
    const uint32_t chosen = index[std::countr_zero(left)];
    Mask together = 0;
    for (uint32_t l = 0; l < kLanes; ++l) together |= Mask{has_lane(left, l) && index[l] == chosen} << l;
    left &= ~together;
    if (chosen < static_cast<uint32_t>(step.immediate)) {
      warp.fragments.push_back({warp.frame, targets[chosen], together});
    } else {
      warp.find(Finding::Kind::out_of_bounds, step, static_cast<uint32_t>(std::countr_zero(together)),
                fmt::format("target {} of {}", chosen, step.immediate));
      lost |= together;
    }
  }
  if (lost != 0) warp.leave(lost);
}

void give_back(Warp& warp, const Step&) { warp.give_back(); }
void leave(Warp& warp, const Step&) { warp.leave(warp.mask); }

void trap(Warp& warp, const Step& step) {
  warp.find(Finding::Kind::trap, step, warp.first_lane(), "a trap is executed");
  warp.worker->machine.stop = true;
  warp.polling = true;
}

void nap(Warp& warp, const Step&) { warp.poll_in_vain(); }

/// The other lanes of the fragment continue after the call; the calling lanes return there.
void call(Warp& warp, const Step& step) {
  const uint32_t index = warp.frame->code->callees[static_cast<size_t>(step.immediate)];
  if (index == kNoFunction) {
    call_library(warp, step);
    return;
  }
  if (const Mask rest = warp.current & ~warp.mask; rest != 0) warp.fragments.push_back({warp.frame, warp.pc + 1, rest});
  warp.call(warp.worker->machine.program.codes()[index], warp.mask, step);
  warp.parked = true;
}

void call_by_address(Warp& warp, const Step& step) {
  const auto* address = warp.at<uint64_t>(step.a);
  const auto& codes = warp.worker->machine.program.codes();
  if (const Mask rest = warp.current & ~warp.mask; rest != 0) warp.fragments.push_back({warp.frame, warp.pc + 1, rest});
  warp.parked = true;
  Mask left = warp.mask, lost = 0;
  while (left != 0) {
    const uint64_t chosen = address[std::countr_zero(left)];
    Mask together = 0;
    for (uint32_t l = 0; l < kLanes; ++l) together |= Mask{has_lane(left, l) && address[l] == chosen} << l;
    left &= ~together;
    const uint64_t index = chosen - kFunctionWindow;
    const bool fits = index < codes.size() && !codes[index].function->entry &&
                      codes[index].function->results.size() == step.mode &&
                      codes[index].function->parameters.size() == step.mode2;
    if (fits) {
      warp.call(codes[index], together, step);
      continue;
    }
    warp.find(Finding::Kind::out_of_bounds, step, static_cast<uint32_t>(std::countr_zero(together)),
              fmt::format("a call of 0x{:x}, which is no function of this signature", chosen));
    lost |= together;
  }
  if (lost != 0) warp.leave(lost);
}

void add_params(Decoder& d, const Operand& list, std::vector<uint32_t>& offsets) {
  for (const Operand& part : list.parts) {
    const auto found = d.code().params.find(part.name);
    if (found == d.code().params.end()) d.refuse(fmt::format("'{}' is no .param variable of this function", part.name));
    offsets.push_back(found->second.offset);
  }
}

/// call (results), function, (arguments)[, prototype]
Handler calls(Decoder& d, Step& step) {
  d.take("uni");
  std::vector<uint32_t> offsets;
  size_t at = 0;
  if (d.operand(at).kind == Operand::Kind::list) add_params(d, d.operand(at++), offsets);
  const size_t results = offsets.size();
  const Operand& callee = d.operand(at++);
  if (at < d.operands() && d.operand(at).kind == Operand::Kind::list) add_params(d, d.operand(at++), offsets);
  step.list = d.list(offsets);
  step.count = static_cast<uint8_t>(offsets.size());
  step.mode = static_cast<uint8_t>(results);
  step.mode2 = static_cast<uint8_t>(offsets.size() - results);
  if (d.register_bytes(callee) == 8) {
    step.a = d.source(callee, Type::b64);
    return &call_by_address;
  }
  const auto found = d.module().functions.find(callee.name);
  if (found == d.module().functions.end()) d.refuse(fmt::format("a function is expected, not '{}'", callee.name));
  const Function& function = found->second;
  if (function.results.size() != results || function.parameters.size() != offsets.size() - results)
    d.refuse(fmt::format("{} takes {} arguments and gives {} results", callee.name, function.parameters.size(),
                         function.results.size()));
  if (!function.defined && !is_library(callee.name))
    d.refuse(fmt::format("{} has no body in this module", callee.name));
  const auto [number, fresh] =
      d.code().callee_names.try_emplace(callee.name, static_cast<uint32_t>(d.code().callees.size()));
  if (fresh) d.code().callees.push_back(kNoFunction);
  step.immediate = number->second;
  return &call;
}

}  // namespace

Handler control_group(Decoder& d, Step& step) {
  if (d.is("call")) return calls(d, step);
  if (d.is("bra")) {
    d.take("uni");
    d.need(1);
    step.immediate = d.label(d.operand(0));
    return &branch;
  }
  if (d.is("brx")) {
    d.need(2);
    d.take("idx");
    d.take("uni");
    const auto found = d.function().targets.find(d.operand(1).name);
    if (found == d.function().targets.end()) d.refuse("a list of .branchtargets is expected");
    std::vector<uint32_t> targets;
    for (const std::string& name : found->second) {
      const auto label = d.function().labels.find(name);
      if (label == d.function().labels.end()) d.refuse(fmt::format("there is no label {} of the .branchtargets", name));
      targets.push_back(label->second);
    }
    step.a = d.source(0, Type::u32);
    step.list = d.list(targets);
    step.immediate = static_cast<int64_t>(targets.size());
    return &branch_by_index;
  }
  if (d.is("ret")) return d.take("uni"), &give_back;
  if (d.is("exit")) return &leave;
  if (d.is("trap") || d.is("brkpt")) return &trap;
  if (d.is("nanosleep")) {
    d.take_type();
    return &nap;
  }
  if (d.is("pmevent")) return d.take("mask"), &do_nothing;
  if (d.is("griddepcontrol")) return d.take_one({"launch_dependents", "wait"}), &do_nothing;
  if (d.is("setmaxnreg")) {
    d.take_one({"inc", "dec"});
    d.take("sync");
    d.take("aligned");
    d.take_type();
    return &do_nothing;
  }
  return nullptr;
}

}  // namespace parity::ptx
