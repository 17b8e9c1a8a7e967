// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/files/merge.hpp"

#include <algorithm>
#include <map>

#include "core/error.hpp"
#include "reports/text/format.hpp"

namespace parity::reports {
namespace {

using compare::Shard;
using Facts = std::map<std::string, std::string>;

std::string name_of(const Shard& shard) { return fmt::format("shard {}/{}", shard.index, shard.of); }

/// What the reports of one run agree in. Machines may differ.
Facts build_of(const Environment& environment) {
  Facts facts{{"version", environment.version},
              {"build type", environment.build_type},
              {"compiler", environment.compiler},
              {"flags", environment.flags}};
  for (const auto& [library, version] : environment.libraries) facts[library] = version;
  return facts;
}

Facts facts_of(const compare::RunReport& report) {
  Facts facts = report.shard->options;
  facts.merge(build_of(report.environment));
  facts["number of goldens"] = std::to_string(report.shard->total);
  facts["number of shards"] = std::to_string(report.shard->of);
  return facts;
}

std::string shown(const Facts& facts, const std::string& key) {
  const auto found = facts.find(key);
  return found == facts.end() ? "not given" : "'" + plain(found->second) + "'";
}

void require_same_run(const ShardReport& one, const ShardReport& other) {
  const Facts a = facts_of(one.report), b = facts_of(other.report);
  for (const Facts* facts : {&a, &b}) {
    for (const auto& [key, value] : *facts) {
      PARITY_CHECK(
          shown(a, key) == shown(b, key), usage,
          "{} and {} are shards of different runs: {} is {} in the first, {} in the second; merge shards of one run",
          one.file, other.file, plain(key), shown(a, key), shown(b, key));
    }
  }
}

void require_shards(const std::vector<ShardReport>& shards) {
  PARITY_CHECK(!shards.empty(), usage, "no report is given; name the reports of all shards");
  std::map<int64_t, std::string> files;
  for (const ShardReport& each : shards) {
    PARITY_CHECK(each.report.shard.has_value(), usage,
                 "{} is the report of a whole run, not of a shard; merge reports of parity run --shard", each.file);
    const Shard& shard = *each.report.shard;
    PARITY_CHECK(shard.goldens.size() == each.report.goldens.size() && shard.index >= 1 && shard.index <= shard.of,
                 schema,
                 "{} lists {} goldens of {}, but has results of {}; the report is incomplete, run this shard again",
                 each.file, shard.goldens.size(), name_of(shard), each.report.goldens.size());
    require_same_run(shards.front(), each);
    const auto [known, fresh] = files.emplace(shard.index, each.file);
    PARITY_CHECK(fresh, usage, "{} and {} are both {}; give each shard once", known->second, each.file, name_of(shard));
  }
  const int64_t count = shards.front().report.shard->of;
  for (int64_t index = 1; index <= count; ++index)
    PARITY_CHECK(files.contains(index), usage, "shard {}/{} is missing; give the reports of all {} shards", index,
                 count, count);
}

}  // namespace

compare::RunReport merged(std::vector<ShardReport> shards) {
  require_shards(shards);
  std::sort(shards.begin(), shards.end(),
            [](const ShardReport& a, const ShardReport& b) { return a.report.shard->index < b.report.shard->index; });
  const int64_t total = shards.front().report.shard->total;
  compare::RunReport whole;
  whole.command = shards.front().report.shard->command;
  whole.environment = shards.front().report.environment;
  std::map<int64_t, const ShardReport*> from;
  for (const ShardReport& each : shards) {
    for (const int64_t position : each.report.shard->goldens) {
      PARITY_CHECK(position >= 0 && position < total, schema,
                   "{} contains golden number {} of {}, which is impossible; run this shard again", each.file,
                   position + 1, total);
      const auto [known, fresh] = from.emplace(position, &each);
      PARITY_CHECK(fresh, usage,
                   "golden number {} is in {} and in {}, so the machines had different goldens; run both shards again",
                   position + 1, known->second->file, each.file);
    }
  }
  PARITY_CHECK(static_cast<int64_t>(from.size()) == total, usage,
               "only {} of {} goldens are in the reports, so the machines had different goldens; run all shards again",
               from.size(), total);
  whole.goldens.resize(from.size());
  for (ShardReport& each : shards) {
    for (size_t i = 0; i < each.report.goldens.size(); ++i)
      whole.goldens[static_cast<size_t>(each.report.shard->goldens[i])] = std::move(each.report.goldens[i]);
    whole.peak_rss_bytes = std::max(whole.peak_rss_bytes, each.report.peak_rss_bytes);
  }
  for (const compare::GoldenReport& golden : whole.goldens) whole.seconds += golden.seconds;
  return whole;
}

}  // namespace parity::reports
