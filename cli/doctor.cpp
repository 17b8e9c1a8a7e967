// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cases/backends.hpp"
#include "cli/commands.hpp"
#include "core/environment.hpp"
#include "core/shipped.hpp"
#include "ranks/mpi_transport.hpp"
#include "ranks/nccl_library.hpp"

namespace parity::cli {
namespace {

/// Returns the first folder of PATH that holds the program, or an empty string.
std::string found_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const auto candidate = std::filesystem::path(folder) / name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(candidate, ignored)) return candidate.string();
  }
  return {};
}

void line(const std::string& what, const std::string& value) { fmt::print("{:<18} {}\n", what, value); }

}  // namespace

int doctor() {
  const Environment environment = capture_environment();
  line("parity", environment.version + " (" + environment.build_type + ")");
  line("compiler", environment.compiler);
  line("system", environment.os);
  line("processor", fmt::format("{}, {} threads", environment.cpu, environment.threads));
  line("memory", fmt::format("{:.1f} GiB", static_cast<double>(environment.memory_bytes) / (1 << 30)));
  for (const auto& [name, version] : environment.libraries) line(name, version);
  std::vector<std::string> kernels = cases::backends();
  kernels.insert(kernels.begin(), "reference (exact, rounded, with error bounds)");
  line("backends", fmt::format("{}", fmt::join(kernels, ", ")));
  for (const optimized::Backend& backend : optimized::backends()) line("  " + backend.name, backend.version());
  line("mpi", ranks::mpi_description());
  line("nccl", ranks::nccl_description());
  const bool gpu = std::filesystem::exists("/dev/nvidia0");
  line("gpu", gpu ? "present" : "none");
  for (const char* tool : {"nvcc", "compute-sanitizer", "cuobjdump", "ncu", "nsys", "valgrind", "mpirun"}) {
    const std::string path = found_program(tool);
    line(tool, path.empty() ? "absent (optional)" : path);
  }
  const std::filesystem::path goldens = shipped("golden/data");
  line("embedded goldens", std::filesystem::is_directory(goldens)
                               ? goldens.string()
                               : "not in this folder; run from the repository root, or name goldens by path");
  return holds;
}

}  // namespace parity::cli
