// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <filesystem>

#include <fmt/core.h>

#include "cli/commands.hpp"
#include "compare/captures/capture_init.hpp"
#include "core/shell.hpp"
#include "reports/text/format.hpp"

namespace parity::cli {

int capture_init(const CaptureOptions& options) {
  PARITY_CHECK(!std::filesystem::exists(options.out), usage,
               "{} exists and may contain values that a script wrote; name another file", options.out);
  const auto golden = golden::Golden::open(options.golden);
  const int64_t taps =
      compare::write_empty_capture(golden, {options.only, options.without, !options.no_padding}, options.out);
  fmt::print(
      "{}: {} taps to fill; set attribute computed = \"yes\" of each filled tap, then judge the file with\n"
      "  parity run {} --candidate {}\n",
      reports::plain(options.out), taps, shell_line({options.golden}), shell_line({"capture:" + options.out}));
  return holds;
}

}  // namespace parity::cli
