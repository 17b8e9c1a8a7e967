// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Findings: each pair of instructions once, with where they stand in the source.
#include <algorithm>
#include <bit>

#include "optimized/ptx/machine/machine.hpp"

namespace parity::ptx {
namespace {

Thread thread_at(const Dim& block, const Dim& size, uint32_t thread) {
  return {block, {thread % size.x, thread / size.x % size.y, thread / size.x / size.y}};
}

std::string text_of(const Position& position) {
  if (position.line == 0) return fmt::format("PTX line {}", position.ptx_line);
  const auto at = [](const std::string& file, uint32_t line) {
    return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), line);
  };
  const std::string caller =
      position.caller_line == 0 ? "" : ", called from " + at(position.caller_file, position.caller_line);
  return fmt::format("{}{} (PTX line {})", at(position.file, position.line), caller, position.ptx_line);
}

std::string file_of(const Module& module, uint32_t number) {
  const auto file = module.files.find(number);
  return file == module.files.end() ? "" : file->second;
}

std::string text_of(const Thread& thread) {
  return fmt::format("block ({},{},{}) thread ({},{},{})", thread.block.x, thread.block.y, thread.block.z,
                     thread.thread.x, thread.thread.y, thread.thread.z);
}

}  // namespace

Position position_of(const Module& module, const Step& step) {
  Position position;
  position.ptx_line = step.line;
  const Location& location = module.locations.at(step.location);
  const bool inlined =
      location.line != 0 && (location.file != location.outer_file || location.line != location.outer_line);
  position.file = file_of(module, inlined ? location.file : location.outer_file);
  position.line = inlined ? location.line : location.outer_line;
  if (inlined) {
    position.caller_file = file_of(module, location.outer_file);
    position.caller_line = location.outer_line;
  }
  return position;
}

const char* to_string(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::out_of_bounds:
      return "out of bounds";
    case Finding::Kind::misaligned:
      return "misaligned";
    case Finding::Kind::use_after_free:
      return "use after free";
    case Finding::Kind::read_only:
      return "write to read-only memory";
    case Finding::Kind::barrier_divergence:
      return "barrier divergence";
    case Finding::Kind::early_exit:
      return "early exit";
    case Finding::Kind::warp_divergence:
      return "warp divergence";
    case Finding::Kind::deadlock:
      return "deadlock";
    case Finding::Kind::trap:
      return "trap";
    case Finding::Kind::assertion:
      return "assertion";
    case Finding::Kind::unwritten:
      return "unwritten";
    case Finding::Kind::race:
      return "race";
    case Finding::Kind::in_flight:
      return "in flight";
    case Finding::Kind::bad_barrier:
      return "bad barrier";
    case Finding::Kind::missing_fence:
      return "missing fence";
  }
  return "?";
}

std::string describe(const Finding& finding) {
  std::string text = fmt::format("{}: {}, {}: {}, at {}", to_string(finding.kind), finding.kernel,
                                 text_of(finding.thread), finding.message, text_of(finding.position));
  if (finding.other_position.ptx_line != 0)
    text += fmt::format("; the other is {}, at {}", text_of(finding.other_thread), text_of(finding.other_position));
  if (finding.times > 1) text += fmt::format(" ({} times)", finding.times);
  return text;
}

void Warp::find(Finding::Kind kind, const Step& step, uint32_t lane, std::string message) {
  find(kind, step, lane, std::move(message), {}, nullptr);
}

void Warp::find(Finding::Kind kind, const Step& step, uint32_t lane, std::string message, Thread other,
                const Step* where) {
  Machine& machine = worker->machine;
  const std::lock_guard lock(machine.mutex);
  const std::array<uint32_t, 3> key{static_cast<uint32_t>(kind), step.line, where == nullptr ? 0 : where->line};
  const auto [found, fresh] = machine.found.try_emplace(key, machine.findings.size());
  if (!fresh) {
    if (found->second < machine.findings.size()) ++machine.findings[found->second].times;
    return;
  }
  if (machine.findings.size() >= machine.options.most_findings) return;
  Finding finding;
  finding.kind = kind;
  finding.kernel = machine.entry.function->name;
  finding.message = std::move(message);
  finding.thread = thread_at(block->at, machine.launch.block, thread_of(lane));
  finding.position = position_of(machine.program.module(), step);
  if (where != nullptr) {
    finding.other_thread = other;
    finding.other_position = position_of(machine.program.module(), *where);
  }
  machine.findings.push_back(std::move(finding));
}

}  // namespace parity::ptx
