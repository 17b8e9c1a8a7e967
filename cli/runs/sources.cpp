// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/runs/sources.hpp"

#include <filesystem>
#include <map>

#include "core/error.hpp"

namespace parity::cli {
namespace {

namespace fs = std::filesystem;

/// Returns the file below optimized/<backend> that is named as the component; kernels of cuda-host are those of cuda.
std::string source_in_tree(const std::string& candidate, const std::string& component) {
  std::string backend = candidate.substr(0, candidate.find(':'));
  if (backend.starts_with("cuda")) backend = "cuda";
  std::error_code error;
  for (fs::directory_iterator topic(fs::path("optimized") / backend, error), end; !error && topic != end;
       topic.increment(error)) {
    for (const char* ending : {".cu", ".cpp"}) {
      const fs::path file = topic->path() / (component + ending);
      if (fs::is_regular_file(file)) return file.generic_string();
    }
  }
  return {};
}

}  // namespace

reports::SourceOf sources(const std::vector<std::string>& given) {
  std::map<std::string, std::string> files;
  for (const std::string& entry : given) {
    const size_t equals = entry.find('=');
    PARITY_CHECK(equals != std::string::npos && equals > 0 && equals + 1 < entry.size(), usage,
                 "--source '{}' is not of the form COMPONENT=FILE; write for example rms_norm=src/norm.cu", entry);
    files[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  return [files](const std::string& candidate, const std::string& component) -> std::string {
    if (const auto found = files.find(component); found != files.end()) return found->second;
    for (const std::string kind : {"cu:", "ptx:"}) {
      if (candidate.starts_with(kind)) return candidate.substr(kind.size());
    }
    return source_in_tree(candidate, component);
  };
}

}  // namespace parity::cli
