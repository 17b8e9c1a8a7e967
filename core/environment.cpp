// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/environment.hpp"

#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <thread>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifndef PARITY_VERSION
#define PARITY_VERSION "unknown"
#endif
#ifndef PARITY_BUILD_TYPE
#define PARITY_BUILD_TYPE "unknown"
#endif
#ifndef PARITY_FLAGS
#define PARITY_FLAGS ""
#endif

namespace parity {
namespace {

/// Variables that put other kernels, or another schedule, in the place of the usual ones: no report may hide them.
constexpr std::array kReplacing{"PARITY_CUDA_MODULES", "PARITY_PTX_SEED"};

/// Value of the first line whose key starts with `key`, in a file of "key : value" lines like those in /proc.
std::string value_in(const char* path, const std::string& key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const size_t at = line.find(separator);
    if (line.rfind(key, 0) != 0 || at == std::string::npos) continue;
    const size_t first = line.find_first_not_of(" \t\"", at + 1);
    const size_t last = line.find_last_not_of(" \t\"");
    return first == std::string::npos ? "" : line.substr(first, last - first + 1);
  }
  return "unknown";
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

}  // namespace

Environment capture_environment() {
  Environment result;
  result.version = PARITY_VERSION;
  result.build_type = PARITY_BUILD_TYPE;
  result.compiler = "g++ " __VERSION__;
  result.flags = PARITY_FLAGS;
  utsname kernel{};
  uname(&kernel);
  result.os =
      fmt::format("{} ({} {})", value_in("/etc/os-release", "PRETTY_NAME", '='), kernel.sysname, kernel.release);
  result.cpu = value_in("/proc/cpuinfo", "model name", ':');
  result.threads = static_cast<int64_t>(std::thread::hardware_concurrency());
  result.memory_bytes = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<int64_t>(sysconf(_SC_PAGE_SIZE));
  result.libraries = {{"fmt", std::to_string(FMT_VERSION)},
                      {"nlohmann_json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR,
                                                    NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)}};
  for (const char* name : kReplacing) {
    if (const char* value = std::getenv(name)) result.libraries.emplace_back(name, value);
  }
  result.when = utc_now();
  return result;
}

int64_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<int64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace parity
