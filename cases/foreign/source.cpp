// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/foreign/source.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/text.hpp"
#include "golden/files/child.hpp"
#include "golden/files/one_line.hpp"
#include "golden/files/temporary_folder.hpp"
#include "optimized/ptx/text/source_name.hpp"

namespace parity::cases {
namespace {

namespace fs = std::filesystem;

void require_file(const fs::path& file) {
  std::error_code ignored;
  PARITY_CHECK(fs::is_regular_file(file, ignored), usage, "{}: no such file; name the source of a kernel",
               file.string());
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Where the build would look for it, too (cmake/ParityCuda.cmake).
std::string find_nvcc() {
  const std::string chosen = variable("PARITY_NVCC"), toolkit = variable("CUDA_PATH");
  std::vector<fs::path> places;
  if (!chosen.empty()) places = {chosen};
  const std::string path = chosen.empty() ? variable("PATH") : "";
  for (size_t at = 0; at < path.size();) {
    const size_t end = std::min(path.find(':', at), path.size());
    if (end > at) places.push_back(fs::path(path.substr(at, end - at)) / "nvcc");
    at = end + 1;
  }
  if (chosen.empty() && !toolkit.empty()) places.push_back(fs::path(toolkit) / "bin" / "nvcc");
  if (chosen.empty()) places.emplace_back("/usr/local/cuda/bin/nvcc");
  for (const fs::path& place : places) {
    if (access(place.c_str(), X_OK) == 0) return place.string();
  }
  throw Error(ErrorCode::device, chosen.empty() ? "no nvcc in PATH, CUDA_PATH or /usr/local/cuda; install it "
                                                  "(ci/setup.sh cuda), set PARITY_NVCC, or compile with nvcc -ptx "
                                                  "-lineinfo elsewhere and use ptx:FILE"
                                                : "PARITY_NVCC is " + chosen + ", which cannot be run");
}

/// The line that says why; without one, the first.
std::string first_error_in(const fs::path& messages) {
  std::ifstream file(messages);
  std::string first, line;
  while (std::getline(file, line)) {
    if (first.empty()) first = line;
    if (line.find("error") != std::string::npos || line.find("fatal") != std::string::npos)
      return golden::one_line(line);
  }
  return first.empty() ? "nvcc printed nothing" : golden::one_line(first);
}

/// All names under which a binding may know a kernel, the longest first.
std::vector<std::string> names_of(const std::string& mangled) {
  std::vector<std::string> names{mangled};
  const std::string whole = ptx::source_name(mangled);
  if (whole == mangled) return names;
  const size_t arguments = whole.find('<'), scope = whole.rfind("::", arguments);
  names.push_back(whole);
  names.push_back(scope == std::string::npos ? whole : whole.substr(scope + 2));
  names.push_back(whole.substr(0, arguments));
  names.push_back(names[2].substr(0, names[2].find('<')));
  return names;
}

}  // namespace

std::string ptx_of_cuda(const fs::path& file, double timeout_s) {
  require_file(file);
  const std::string nvcc = find_nvcc();
  const golden::TemporaryFolder folder;  // nvcc's own files are in it, too
  const std::string ptx = folder / "kernel.ptx", messages = folder / "messages";
  const auto status =
      golden::run_child({{"env", "TMPDIR=" + folder.path().string(), nvcc, "-ptx", "-arch=compute_90a", "-O3",
                          "-lineinfo", "-allow-unsupported-compiler", "-o", ptx, fs::absolute(file).string()},
                         timeout_s,
                         messages});
  PARITY_CHECK(status, unsupported,
               "{}: nvcc did not end within {} s; compile it with nvcc -ptx -lineinfo and use "
               "ptx:FILE",
               file.string(), timeout_s);
  PARITY_CHECK(WIFEXITED(*status) && WEXITSTATUS(*status) == 0, usage, "{}: nvcc cannot compile it: {}; fix the source",
               file.string(), first_error_in(messages));
  return read_ptx(ptx);
}

std::string read_ptx(const fs::path& file) {
  require_file(file);
  constexpr uintmax_t kMost = uintmax_t{64} << 20U;
  const uintmax_t bytes = fs::file_size(file);
  PARITY_CHECK(bytes <= kMost, usage, "{}: {} bytes of PTX; at most {} are allowed", file.string(), bytes, kMost);
  std::string text(bytes, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(text.data(), static_cast<std::streamsize>(bytes));
  PARITY_CHECK(stream, usage, "{}: cannot be read; check its permissions", file.string());
  return text;
}

const ptx::Function& find_kernel(const ptx::Module& module, const std::string& name) {
  std::vector<std::string> known, fitting;
  const ptx::Function* found = nullptr;
  for (const auto& [mangled, function] : module.functions) {
    if (!function.entry) continue;
    const auto names = names_of(mangled);
    known.push_back(names.size() > 1 ? names[1] : mangled);
    if (mangled == name) return function;
    if (std::find(names.begin(), names.end(), name) == names.end()) continue;
    fitting.push_back(known.back());
    found = &function;
  }
  PARITY_CHECK(!known.empty(), usage,
               "the source has no kernel; a kernel is a __global__ function, and a template has to be "
               "instantiated");
  PARITY_CHECK(found != nullptr, usage, "the source has no kernel '{}'{}; it has {}", name, did_you_mean(name, known),
               fmt::join(known, ", "));
  PARITY_CHECK(fitting.size() == 1, usage, "'{}' matches several kernels: {}; name one of them", name,
               fmt::join(fitting, ", "));
  return *found;
}

}  // namespace parity::cases
