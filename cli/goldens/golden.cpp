// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/terminal/terminal.hpp"
#include "core/plans/runtime_names.hpp"
#include "core/text.hpp"
#include "golden/checks/verify.hpp"
#include "reports/files/files.hpp"
#include "reports/text/format.hpp"
#include "reports/text/table.hpp"

namespace parity::cli {
namespace {

std::string facts_text(const golden::GoldenInfo& info) {
  std::string text = fmt::format("{}  ({})\n", reports::plain(info.name), reports::plain(info.folder.string()));
  for (const auto& [key, value] : info.attributes)
    text += fmt::format("  {:<16} {}\n", reports::plain(key), reports::plain(value));
  text += fmt::format("  {:<16} {} ({} more names by hard links), {} bytes stored\n", "datasets", info.datasets,
                      info.aliases, info.stored_bytes);
  text += fmt::format("  {:<16} {} tensors, {} bytes\n", "checkpoint", info.weights, info.weight_bytes);
  for (const golden::StepInfo& step : info.steps) {
    text += fmt::format("  step {}         {} B={} S={} K={}{}\n", step.id, to_string(step.kind), step.B, step.S,
                        step.K, step.has_labels ? " labels" : "");
  }
  for (const auto& [file, digest] : info.sha256) text += fmt::format("  sha256 {}  {}\n", digest, reports::plain(file));
  for (const std::string& warning : info.warnings) text += fmt::format("  warning: {}\n", reports::plain(warning));
  return text;
}

/// Returns where a runtime stores a weight: "model.layers.3.mlp.experts.gate_up_proj [7], rows 1 of 2".
std::string place_text(const RuntimePlace& place) {
  std::string text = place.name;
  if (place.member >= 0) text += fmt::format(" [{}]", place.member);
  if (place.parts > 1) text += fmt::format(", rows {} of {}", place.part + 1, place.parts);
  return text;
}

}  // namespace

int golden_verify(const GoldenOptions& options) {
  int code = holds;
  for (const std::string& path : options.paths) {
    const golden::VerifyReport report = golden::verify(path);
    for (const golden::Finding& finding : report.findings) {
      if (finding.severity == golden::Severity::info) continue;
      fmt::print("{} {}: {}\n", to_string(finding.severity),
                 reports::plain(finding.path.empty() ? path : path + "#" + finding.path),
                 reports::plain(finding.message));
    }
    fmt::print("{}: {} ({} datasets, {} bytes read)\n", reports::plain(path),
               verdict_word(report.ok ? "whole" : "DAMAGED"), report.datasets, report.bytes);
    if (!report.ok) code = golden_damaged;
  }
  return code;
}

int golden_info(const GoldenOptions& options) {
  for (const std::string& path : options.paths) fmt::print("{}", facts_text(golden::info(path)));
  return holds;
}

int golden_names(const GoldenOptions& options) {
  for (const std::string& path : options.paths) {
    const golden::Golden golden = golden::Golden::open(path);
    PARITY_CHECK(golden.facts().profile.starts_with("hf-"), unsupported,
                 "{}: parity golden names does not know the tensor names of profile {} (NeMo Automodel), only those of "
                 "transformers; use a golden of {} with a profile hf-…",
                 golden.name(), golden.facts().profile, golden.facts().system);
    const RuntimeNames names = RuntimeNames::of(golden.facts().system, golden.facts().model_class);
    fmt::print("{}  ({})\n", reports::plain(golden.name()), names.model_class());
    if (!golden.facts().quantisation.empty())
      fmt::print("  a loader that dequantises multiplies the scales (…_scale_inv) into their tensors\n");
    for (const std::string& published : golden.weights().names()) {
      if (!glob_match(options.select, published)) continue;
      const auto place = names.find(published);
      fmt::print("  {:<76} {}\n", reports::plain(published),
                 place ? place_text(*place) : "not a parameter of this model class");
    }
  }
  return holds;
}

int golden_ls(const GoldenOptions& options) {
  for (const std::string& path : options.paths) {
    const auto file = golden::ActivationFile::open(golden::activations_of(path));
    for (const golden::DatasetInfo& dataset : file.datasets()) {
      if (!glob_match(options.select, dataset.path)) continue;
      fmt::print("{:<72} {:<5} {:<20} {:<12} {}{}\n", dataset.path, dataset.text ? "text" : to_string(dataset.dtype),
                 to_string(dataset.shape), reports::plain(dataset.axes), reports::plain(dataset.component),
                 dataset.alias_of.empty() ? "" : " = " + dataset.alias_of);
    }
  }
  return holds;
}

}  // namespace parity::cli
