// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Findings in words: in one line, and as a block of lines.
#include <fmt/format.h>

#include "optimized/ptx/machine/launch.hpp"
#include "optimized/ptx/text/source_name.hpp"

namespace parity::ptx {
namespace {

std::string line_text(const std::string& file, uint32_t line) {
  return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), line);
}

std::string folder_of(const std::string& file) { return file.substr(0, file.rfind('/') + 1); }

/// The kernel's author comes first: a line of another folder, as of a header of the toolkit, is where that line led.
std::string text_of(const Position& position) {
  if (position.line == 0) return fmt::format("PTX line {}", position.ptx_line);
  const std::string inner = line_text(position.file, position.line);
  if (position.caller_line == 0) return fmt::format("{} (PTX line {})", inner, position.ptx_line);
  const std::string caller = line_text(position.caller_file, position.caller_line);
  const bool own = position.file.starts_with(folder_of(position.caller_file));
  return own ? fmt::format("{}, called from {} (PTX line {})", inner, caller, position.ptx_line)
             : fmt::format("{}, in {} (PTX line {})", caller, inner, position.ptx_line);
}

std::string text_of(const Thread& thread) {
  return fmt::format("block ({},{},{}) thread ({},{},{})", thread.block.x, thread.block.y, thread.block.z,
                     thread.thread.x, thread.thread.y, thread.thread.z);
}

std::string times_text(const Finding& finding) {
  return finding.times > 1 ? fmt::format(" ({} times)", finding.times) : "";
}

}  // namespace

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
  std::string text = fmt::format("{}: {}, {}: {}, at {}", to_string(finding.kind), source_name(finding.kernel),
                                 text_of(finding.thread), finding.message, text_of(finding.position));
  if (finding.other_position.ptx_line != 0)
    text += fmt::format("; the other is {}, at {}", text_of(finding.other_thread), text_of(finding.other_position));
  return text + times_text(finding);
}

std::vector<std::string> lines_of(const Finding& finding) {
  std::vector<std::string> lines{fmt::format("{} in {}: {}{}", to_string(finding.kind), source_name(finding.kernel),
                                             finding.message, times_text(finding)),
                                 fmt::format("{}, at {}", text_of(finding.thread), text_of(finding.position))};
  if (finding.other_position.ptx_line != 0)
    lines.push_back(fmt::format("{}, at {}", text_of(finding.other_thread), text_of(finding.other_position)));
  return lines;
}

}  // namespace parity::ptx
