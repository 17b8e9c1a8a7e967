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

std::string file_of(const Module& module, uint32_t number) {
  const auto file = module.files.find(number);
  return file == module.files.end() ? "" : file->second;
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
