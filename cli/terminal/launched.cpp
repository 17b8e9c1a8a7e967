// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/terminal/launched.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include <fmt/core.h>
#include <unistd.h>

#include "cli/battery/spread.hpp"
#include "cli/reports/report_file.hpp"
#include "cli/runs/run_parts.hpp"
#include "compare/judging/verdict.hpp"
#include "golden/files/leftovers.hpp"
#include "reports/files/files.hpp"
#include "reports/files/merge.hpp"
#include "reports/json/json.hpp"

namespace parity::cli {
namespace {

namespace fs = std::filesystem;

std::optional<int64_t> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  int64_t number = 0;
  const char* end = text + std::string_view(text).size();
  const auto read = std::from_chars(text, end, number);
  return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}

/// Names the launch: by the launcher's own name for it, else by the process that started this one, and when.
std::string job_name() {
  std::string name;
  for (const char* variable : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "SLURM_JOB_ID", "SLURM_STEP_ID"}) {
    if (const char* value = std::getenv(variable)) name += std::string("-") + value;
  }
  if (name.empty()) {
    const pid_t parent = getppid();
    std::ifstream file(fmt::format("/proc/{}/stat", parent));
    std::stringstream stat;
    stat << file.rdbuf();
    constexpr int kStart = 20;  // field 22, counted behind the name in parentheses
    std::istringstream fields(stat.str().substr(std::min(stat.str().rfind(')') + 1, stat.str().size())));
    std::string field;
    for (int i = 0; i < kStart && fields >> field; ++i) {}
    name = fmt::format("-{}-{}", parent, field);
  }
  for (char& letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '-';
  }
  return fmt::format("parity-{}{}", getuid(), name);
}

fs::path report_of(const fs::path& folder, int64_t rank) { return folder / fmt::format("{}.json", rank); }
fs::path failure_of(const fs::path& folder, int64_t rank) { return folder / fmt::format("{}.failed", rank); }

/// Waits until a rank has left its report. Throws what it left instead.
compare::RunReport wait_for(const fs::path& folder, int64_t rank, int64_t size) {
  constexpr std::chrono::milliseconds kPause{20};
  for (std::error_code error; !fs::exists(report_of(folder, rank), error); std::this_thread::sleep_for(kPause)) {
    std::ifstream failure(failure_of(folder, rank));
    std::string why;
    if (std::getline(failure, why))
      throw Error(ErrorCode::usage, fmt::format("rank {} of {} failed: {}", rank, size, why));
  }
  return reports::from_json(read_report_file(report_of(folder, rank).string()));
}

/// Judges one shard. Its report is complete but for what concerns all goldens.
compare::RunReport judged_shard(RunOptions options, const ShardNumber& shard) {
  options.shard = shard.text();
  options.manifest.clear();
  options.quiet = options.quiet || shard.index > 1;
  int damage = holds;
  compare::RunOptions judged = judged_options(options);
  compare::RunReport report = judged_report(options, judged, damage);
  compare::conclude(report);
  report.exit_code = exit_code_of(report, damage);
  return report;
}

/// The folder of the exchange, without which nobody waits for a report any more.
class Exchange {
 public:
  explicit Exchange(fs::path folder) : folder_(std::move(folder)), unfinished_(folder_) {
    fs::create_directories(folder_);
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange() {
    std::error_code error;
    fs::remove_all(folder_, error);
  }

 private:
  fs::path folder_;
  golden::UnfinishedPath unfinished_;
};

/// Leaves the report of a shard for rank 0, or why there is none. What is wrong with the options says rank 0.
void follow(const RunOptions& options, const Launched& self, const ShardNumber& shard, const fs::path& folder) {
  std::error_code gone;
  fs::create_directories(folder, gone);
  fs::path file = report_of(folder, self.rank);
  std::string text;
  try {
    text = reports::json_text(judged_shard(options, shard));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::usage) return static_cast<void>(fs::remove_all(folder, gone));
    file = failure_of(folder, self.rank);
    text = error.what();
  } catch (const std::exception& error) {
    file = failure_of(folder, self.rank);
    text = error.what();
  }
  if (fs::exists(folder, gone)) reports::write_text_atomically(file.string(), text);
}

}  // namespace

std::optional<Launched> launched() {
  constexpr std::array<std::pair<const char*, const char*>, 3> kVariables{{
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
      {"PMI_RANK", "PMI_SIZE"},
      {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},  // the latter is not set outside of srun
  }};
  for (const auto& [rank, size] : kVariables) {
    const auto own = number_in(rank), all = number_in(size);
    if (own && all && *own >= 0 && *own < *all) return Launched{*own, *all, job_name()};
  }
  return std::nullopt;
}

int run_launched(const RunOptions& options, const Launched& self) {
  const int64_t shards = std::min<int64_t>(self.size, static_cast<int64_t>(options.goldens.size()));
  if (self.rank >= shards) return holds;
  const ShardNumber own{self.rank + 1, shards};
  const fs::path folder = fs::temp_directory_path() / self.job;
  if (self.rank > 0) return follow(options, self, own, folder), holds;
  const Exchange exchange(folder);
  std::vector<reports::ShardReport> all{{"rank 0", judged_shard(options, own)}};
  for (int64_t rank = 1; rank < shards; ++rank)
    all.push_back({fmt::format("rank {}", rank), wait_for(folder, rank, self.size)});
  return finish_merged(std::move(all), options);
}

}  // namespace parity::cli
