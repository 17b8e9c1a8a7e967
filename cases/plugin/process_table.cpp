// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/plugin/process_table.hpp"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include <fmt/format.h>

namespace parity::cases {
namespace {

namespace fs = std::filesystem;

struct Stat {
  char state = 0;
  pid_t parent = 0, group = 0;
};

/// Fields after the name, which may hold blanks and parentheses.
std::optional<Stat> stat_of(const fs::path& folder) {
  std::ifstream file(folder / "stat");
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  Stat stat;
  std::istringstream fields(text.substr(name_end + 1));
  if (!(fields >> stat.state >> stat.parent >> stat.group)) return std::nullopt;
  return stat;
}

}  // namespace

std::vector<char> thread_states(pid_t process) {
  std::vector<char> states;
  std::error_code gone;
  for (fs::directory_iterator task(fmt::format("/proc/{}/task", process), gone), end; !gone && task != end;
       task.increment(gone)) {
    const auto stat = stat_of(task->path());
    if (stat) states.push_back(stat->state);
  }
  return states;
}

int64_t processes_of_group(pid_t group) {
  int64_t count = 0;
  std::error_code failed;
  for (fs::directory_iterator process("/proc", failed), end; !failed && process != end; process.increment(failed)) {
    if (std::isdigit(static_cast<unsigned char>(process->path().filename().string().front())) == 0) continue;
    const auto stat = stat_of(process->path());
    if (stat && stat->group == group && stat->state != 'Z' && stat->state != 'X') ++count;
  }
  return count;
}

}  // namespace parity::cases
