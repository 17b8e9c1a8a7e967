// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/counters/assembled.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <sstream>

#include <fmt/format.h>

#include "core/shell.hpp"
#include "golden/files/temporary_folder.hpp"
#include "optimized/cuda/modules.hpp"

namespace parity::benches {
namespace {

uint32_t as_count(const std::ssub_match& digits) { return static_cast<uint32_t>(std::stoul(digits.str())); }

/// PTX that uses features of one architecture is assembled for that architecture alone: sm_90a.
std::string target_of(std::string_view text, const ptx::Gpu& gpu) {
  const bool own = text.find(fmt::format(".target sm_{}a", gpu.capability)) != std::string_view::npos;
  return fmt::format("sm_{}{}", gpu.capability, own ? "a" : "");
}

/// Returns nothing if ptxas refuses the module.
std::optional<std::string> log_of_ptxas(const std::string& program, std::string_view text, const std::string& target) {
  const golden::TemporaryFolder folder;
  std::ofstream(folder / "module.ptx", std::ios::binary) << text;
  const std::string log = (folder / "log").string();
  const std::string command = fmt::format("{} -v --gpu-name {} {} -o /dev/null >{} 2>&1", shell_quoted(program), target,
                                          shell_quoted((folder / "module.ptx").string()), shell_quoted(log));
  const int status = std::system(command.c_str());
  std::ostringstream said;
  said << std::ifstream(log).rdbuf();
  if (status != 0) return std::nullopt;
  return said.str();
}

}  // namespace

std::map<std::string, Assembled> parse_assembled(const std::string& log) {
  static const std::regex entry("Compiling entry function '(\\w+)'"), used("Used (\\d+) registers");
  static const std::regex spills("(\\d+) bytes spill stores, (\\d+) bytes spill loads"), shared("(\\d+) bytes smem");
  std::map<std::string, Assembled> found;
  Assembled* kernel = nullptr;
  std::istringstream lines(log);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, match, entry)) kernel = &found[match[1].str()];
    if (kernel == nullptr) continue;
    // Functions that a kernel calls have lines of their own below it.
    if (std::regex_search(line, match, spills))
      kernel->spilled_bytes = std::max(kernel->spilled_bytes, as_count(match[1]) + as_count(match[2]));
    if (std::regex_search(line, match, used)) kernel->registers = std::max(kernel->registers, as_count(match[1]));
    if (std::regex_search(line, match, shared)) kernel->shared_bytes = as_count(match[1]);
  }
  return found;
}

AssembledModule assembled_for(const std::string& module, const ptx::Gpu& gpu) {
  const std::string program = PARITY_PTXAS;
  if (program.empty() || !std::filesystem::exists(program))
    return {{}, "registers: there is no ptxas here; ci/setup.sh cuda installs it"};
  using optimized::cuda::module_text;
  const bool of_sm90 = module.ends_with("_sm90");
  if (of_sm90 && gpu.capability != 90) return {{}, fmt::format("registers: {}.cu is not for {}", module, gpu.name)};
  const std::string_view text = module_text(module, gpu.capability);
  const std::string target = target_of(text, gpu);
  const auto log = log_of_ptxas(program, text, target);
  if (!log)
    return {{}, fmt::format("registers: ptxas cannot assemble {}.cu for {}; run ctest -R cuda.spills", module, target)};
  return {parse_assembled(*log)};
}

}  // namespace parity::benches
