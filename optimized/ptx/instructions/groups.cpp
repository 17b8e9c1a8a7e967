// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/machine/machine.hpp"

namespace parity::ptx {

const char* to_string(Kind kind) {
  static constexpr std::array kNames{"integer", "logic",  "compare", "move", "convert", "real",  "half",
                                     "memory",  "atomic", "control", "warp", "barrier", "async", "matrix"};
  return kind < Kind::count ? kNames.at(static_cast<size_t>(kind)) : "?";
}

const std::vector<NamedGroup>& groups() {
  static const std::vector<NamedGroup> all{
      {Kind::integer, &integer_group},    {Kind::integer, &product_group}, {Kind::integer, &bits_group},
      {Kind::integer, &carry_group},      {Kind::integer, &dot_group},     {Kind::integer, &pair_group},
      {Kind::integer, &video_group},      {Kind::logic, &logic_group},     {Kind::compare, &compare_group},
      {Kind::compare, &set_group},        {Kind::move, &move_group},       {Kind::convert, &convert_group},
      {Kind::real, &exact_group},         {Kind::real, &real_group},       {Kind::half, &half_group},
      {Kind::memory, &memory_group},      {Kind::atomic, &atomic_group},   {Kind::control, &control_group},
      {Kind::warp, &warp_group},          {Kind::barrier, &barrier_group}, {Kind::barrier, &arrival_group},
      {Kind::barrier, &cluster_group},    {Kind::async, &async_group},     {Kind::async, &bulk_group},
      {Kind::matrix, &load_matrix_group}, {Kind::matrix, &mma_group},      {Kind::matrix, &wgmma_group},
      {Kind::matrix, &wmma_group},
  };
  return all;
}

namespace {

void give_back_step(Warp& warp, const Step&) { warp.give_back(); }

/// The error of an instruction that is not known, when it is reached.
void refuse_step(Warp& warp, const Step& step) {
  const Program& program = warp.worker->machine.program;
  const auto found = std::find_if(program.unknown().begin(), program.unknown().end(),
                                  [&](const Unknown& u) { return u.line == step.line; });
  throw Error(ErrorCode::unsupported, found == program.unknown().end()
                                          ? fmt::format("PTX line {}: this instruction is not executed", step.line)
                                          : found->message);
}

uint32_t granule_of(const std::vector<Code>& codes) {
  uint32_t least = 4;
  for (const Code& code : codes) {
    for (const Step& step : code.steps) {
      const bool memory = step.kind == Kind::memory || step.kind == Kind::atomic || step.kind == Kind::matrix;
      const bool tracked = step.space != Space::param && step.space != Space::local;
      if (memory && tracked && step.width > 0) least = std::min<uint32_t>(least, step.width);
    }
  }
  return static_cast<uint32_t>(__builtin_ctz(least));
}

Code decoded(const Module& module, const Function& function, std::vector<Unknown>& unknown) {
  Code code;
  code.function = &function;
  Decoder decoder(module, function, code);
  for (const Instruction& instruction : function.body) {
    try {
      code.steps.push_back(decoder.decode(instruction));
    } catch (const Error& error) {
      unknown.push_back({function.name, instruction.opcode, error.what(), instruction.line});
      Step step = decoder.begin(instruction);
      step.run = &refuse_step;
      step.kind = Kind::control;
      code.steps.push_back(step);
    }
  }
  code.has_wgmma = std::any_of(code.steps.begin(), code.steps.end(), [](const Step& step) { return step.holds; });
  Step last;  // the end of a function returns
  last.run = &give_back_step;
  last.kind = Kind::control;
  last.line = function.body.empty() ? 0 : function.body.back().line;
  code.steps.push_back(last);
  decoder.finish();
  return code;
}

}  // namespace

Program::Program(Module module) : module_(std::move(module)) {
  for (const auto& [name, function] : module_.functions) {
    if (function.defined) codes_.push_back(decoded(module_, function, unknown_));
  }
  uint32_t first = 0;
  for (uint32_t i = 0; i < codes_.size(); ++i) {
    codes_[i].index = i;
    codes_[i].first = first;
    first += static_cast<uint32_t>(codes_[i].steps.size());
    for (const Step& step : codes_[i].steps) {
      if (step.run == nullptr) throw Error(ErrorCode::internal, fmt::format("PTX line {}: no handler", step.line));
    }
  }
  for (Code& code : codes_) {
    for (const auto& [name, number] : code.callee_names) {
      const Code* callee = find(name);
      if (callee != nullptr) code.callees[number] = callee->index;
    }
  }
  granule_ = granule_of(codes_);
}

const Code* Program::find(std::string_view name) const {
  const auto found = std::lower_bound(codes_.begin(), codes_.end(), name,
                                      [](const Code& code, std::string_view n) { return code.function->name < n; });
  return found != codes_.end() && found->function->name == name ? &*found : nullptr;
}

const Code& Program::entry(std::string_view name) const {
  const Code* code = find(name);
  if (code != nullptr && code->function->entry) return *code;
  std::string names;
  for (const Code& other : codes_) {
    if (other.function->entry) names += (names.empty() ? "" : ", ") + other.function->name;
  }
  throw Error(ErrorCode::not_found, fmt::format("no kernel {} in the module; it has {}", name, names));
}

const Code& Program::code_of(uint32_t step) const {
  const auto after =
      std::upper_bound(codes_.begin(), codes_.end(), step, [](uint32_t s, const Code& code) { return s < code.first; });
  return *std::prev(after);
}

const Step& Program::step(uint32_t number) const {
  const Code& code = code_of(number);
  return code.steps[number - code.first];
}

}  // namespace parity::ptx
