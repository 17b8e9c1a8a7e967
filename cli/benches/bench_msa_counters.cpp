// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity bench --table sdpa-msa --counters`: dense attention and MSA as counted without a GPU.
#include <cmath>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "benches/msa/msa_counters.hpp"
#include "cli/benches/bench_parts.hpp"
#include "cli/exit_codes.hpp"
#include "cli/reports/document.hpp"
#include "cli/terminal/progress.hpp"
#include "reports/files/files.hpp"

namespace parity::cli {
namespace {

benches::CountedTableOptions counted_options(const BenchOptions& options) {
  benches::CountedTableOptions wanted;
  PARITY_CHECK(options.table == "sdpa-msa", usage, "--counters cannot count --table {}; use --table sdpa-msa",
               options.table);
  PARITY_CHECK(options.markdown.empty() && options.svg.empty(), usage,
               "--table with --counters cannot write --markdown or --svg; use --json");
  PARITY_CHECK(
      options.phases.empty() || options.phases == std::vector<std::string>{"prefill"}, usage,
      "--table with --counters counts only prefill; to count decode, replace --table by 'attention_*/decode-*'");
  PARITY_CHECK(options.batches == std::vector<int64_t>{1}, usage,
               "--table with --counters counts only a batch of one sequence; use --batch 1");
  PARITY_CHECK(std::isfinite(options.seconds) && options.seconds > 0.0, usage,
               "--seconds {} leaves no time; use a number above 0", options.seconds);
  PARITY_CHECK(options.most >= 256, usage, "--most {} (tokens of context) is less than two key blocks; use 256 or more",
               options.most);
  wanted.most = options.most;
  wanted.least = std::min(wanted.least, options.most);
  wanted.seconds = options.seconds;
  if (!options.heads.empty()) {
    PARITY_CHECK(options.heads.size() == 3, usage, "--heads takes three numbers: query, key and index heads");
    wanted.heads = {options.heads[0], options.heads[1], options.heads[2]};
    benches::check_heads(wanted.heads);
  }
  PARITY_CHECK(options.dtype == "bf16" || options.dtype == "f32", usage,
               "--counters cannot count --dtype '{}'; use bf16 or f32", options.dtype);
  wanted.type = *parse_dtype(options.dtype);
  wanted.selection = benches::parse_selection(options.selection.empty() ? "sticky" : options.selection);
  if (options.seed != 0) wanted.seed = options.seed;
  if (options.sample != 0) wanted.sample = options.sample;
  wanted.gpu = &gpu_named(options.gpu);
  return wanted;
}

}  // namespace

int bench_msa_counters(const BenchOptions& options) {
  benches::CountedTableOptions wanted = counted_options(options);
  if (!options.json.empty()) reports::check_writable(options.json);
  ProgressBar bar("counting", options.quiet);
  wanted.progress = [&bar](const std::string& what) { bar.note(what); };
  const benches::CountedTable made = benches::count_table(wanted);
  bar.pause();
  if (options.json != "-") fmt::print("{}", benches::counted_table_text(made));
  if (wants_document(options.json)) write_document(options.json, "counters", holds, benches::counted_table_json(made));
  return holds;
}

}  // namespace parity::cli
