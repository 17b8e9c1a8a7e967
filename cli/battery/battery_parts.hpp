// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What the files of `parity battery` share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "cases/battery.hpp"
#include "cases/beside.hpp"
#include "cli/battery/judged_kernel.hpp"

namespace parity::cli {

/// The components that the globs of the options choose. Error{usage} for a glob without any.
[[nodiscard]] std::vector<std::string> components_of(const BatteryOptions& options);
/// The lanes that the options name, or those that are usual for the kernel.
[[nodiscard]] std::vector<cases::Lane> lanes_of(const BatteryOptions& options);

/// Plants each fault of the catalogue in its component and counts how many fail a drawn case.
int battery_of_faults(const BatteryOptions& options);

/// One component of the document.
[[nodiscard]] nlohmann::ordered_json battery_json(const cases::BatteryResult& battery, const JudgedKernel& kernel);
/// The table and the last line, of the components of a document.
[[nodiscard]] std::string counts_text(const nlohmann::ordered_json& components, const std::string& kernel);
[[nodiscard]] std::string verdict_text(const nlohmann::ordered_json& components);

void print_failure(compare::Record record, const JudgedKernel& kernel, const cases::CaseSpec& spec);
/// Prints the table, the first failure of each component, and the last line.
void print(const std::vector<cases::BatteryResult>& batteries, const nlohmann::ordered_json& components,
           const std::string& name, const JudgedKernel& kernel);
/// Prints which components have no exact cases, with one line for each reason.
void print_inexact(const std::vector<std::string>& components, const JudgedKernel& kernel,
                   const cases::BatteryOptions& run);
/// Whether the exact lane alone is asked for, and what the kernel computes has no case there.
[[nodiscard]] bool computes_inexact_only(const std::vector<std::string>& components, const JudgedKernel& kernel,
                                         const cases::BatteryOptions& run);
/// Prints which components have no large cases, and which have large cases with fewer rows than usual.
void print_not_large(const std::vector<cases::BatteryResult>& batteries, const cases::BatteryOptions& run);
/// Returns why no case ran: the only lane asked for has no cases of these components, or the kernel is missing.
[[nodiscard]] std::string nothing_ran_because(const BatteryOptions& options, const cases::BatteryOptions& run,
                                              const JudgedKernel& kernel);

/// Joins the documents of all shards of one battery, each with the name of its file. Error{usage} in one line: a shard
/// is missing or given twice, a document is no shard, or two are of different commands or builds.
[[nodiscard]] nlohmann::ordered_json merged_batteries(
    std::vector<std::pair<std::string, nlohmann::ordered_json>> shards);

/// Whether the two backends agree wherever they must.
[[nodiscard]] bool same_bits(const cases::Differences& differences);
[[nodiscard]] nlohmann::ordered_json beside_json(const cases::Differences& differences);
void print_beside(const cases::Differences& differences, const std::string& kernel, const std::string& other);

}  // namespace parity::cli
