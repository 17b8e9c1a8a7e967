// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// parity_ptx: runs compiled kernels as a JSON file describes, or lists the opcodes of PTX files.
#include <cstdio>
#include <fstream>

#include <fmt/core.h>

#include "core/error.hpp"
#include "optimized/ptx/driver/session.hpp"

namespace {

constexpr const char* kUsage =
    "usage: parity_ptx LAUNCHES.json      runs its launches, prints their outcome as JSON\n"
    "       parity_ptx --opcodes PTX...   prints the opcodes of the files, and those that are refused\n"
    "Exit codes: 0 no findings; 1 findings, or a kernel that the machine refuses; 2 usage; 3 a file that is damaged or "
    "missing; 70 internal.\n";

int exit_code_of(parity::ErrorCode code) {
  switch (code) {
    case parity::ErrorCode::usage:
      return 2;
    case parity::ErrorCode::unsupported:
    case parity::ErrorCode::device:
      return 1;
    case parity::ErrorCode::internal:
      return 70;
    default:
      return 3;
  }
}

int run_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  PARITY_CHECK(file.good(), io, "{} cannot be read; check the path", path.string());
  const nlohmann::json description = nlohmann::json::parse(file, nullptr, false);
  PARITY_CHECK(!description.is_discarded(), schema, "{} is not JSON; see optimized/ptx/driver/session.hpp",
               path.string());
  const nlohmann::json outcome = parity::ptx::run_session(description, path.parent_path());
  fmt::print("{}\n", outcome.dump());
  for (const nlohmann::json& launch : outcome.at("launches")) {
    if (!launch.at("findings").empty()) return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    if (arguments.size() >= 2 && arguments[0] == "--opcodes") {
      fmt::print("{}\n", parity::ptx::list_opcodes({arguments.begin() + 1, arguments.end()}).dump());
      return 0;
    }
    if (arguments.size() == 1 && !arguments[0].starts_with("-")) return run_file(arguments[0]);
    const bool help = !arguments.empty() && arguments[0] == "--help";
    fmt::print(help ? stdout : stderr, "{}", kUsage);
    return help ? 0 : 2;
  } catch (const parity::Error& error) {
    fmt::print(stderr, "parity_ptx: {}: {}\n", to_string(error.code()), error.what());
    return exit_code_of(error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "parity_ptx: internal: {}\n", error.what());
    return 70;
  }
}
