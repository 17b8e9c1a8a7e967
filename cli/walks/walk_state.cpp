// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <filesystem>

#include "cli/walks/walk_parts.hpp"
#include "core/error.hpp"
#include "golden/files/activation_file.hpp"
#include "golden/files/activation_writer.hpp"
#include "golden/files/strict_json.hpp"
#include "reports/json/json.hpp"

namespace parity::cli {
namespace {

constexpr const char* kWalk = "walk";   // text: what is walked, the next stage, the reports
constexpr const char* kTaps = "taps/";  // datasets: taps that later layers read
constexpr const char* kOracle = "parity walk";

nlohmann::json json_of(const compare::GoldenReport& golden) {
  compare::RunReport report;
  report.goldens = {golden};
  return reports::to_json(report);
}

}  // namespace

WalkState::WalkState(std::string file, nlohmann::json walk) : file_(std::move(file)), walk_(std::move(walk)) {
  std::error_code error;
  if (file_.empty() || !std::filesystem::exists(file_, error)) return;
  with_context(file_, [&] {
    const auto stored = golden::ActivationFile::open(file_);
    PARITY_CHECK(stored.contains(kWalk), usage, "this is not a state file of parity walk; name another file");
    const nlohmann::json state = golden::parse_json(stored.read_text(kWalk));
    const std::string difference = golden::first_difference(state.at("walk"), walk_);
    PARITY_CHECK(difference.empty(), usage,
                 "this is the state file of another walk, which differs at {}; name another file, or remove this one",
                 difference);
    stage_ = state.at("stage").get<size_t>();
    for (const auto& [layer, report] : state.at("layers").items())
      reports_[std::stoi(layer)] = reports::from_json(report).goldens.at(0);
    for (const golden::DatasetInfo& tap : stored.datasets()) {
      if (tap.path.starts_with(kTaps)) taps_[tap.path.substr(std::string_view(kTaps).size())] = stored.read(tap.path);
    }
  });
}

void WalkState::save(size_t next_stage, const replay::LayerWalk& walk) {
  stage_ = next_stage;
  taps_ = walk.kept();
  if (file_.empty()) return;
  nlohmann::json state{{"walk", walk_}, {"stage", stage_}, {"layers", nlohmann::json::object()}};
  for (const auto& [layer, report] : reports_) state["layers"][std::to_string(layer)] = json_of(report);
  auto writer = golden::ActivationWriter::create(file_, {{"oracle", std::string(kOracle)}});
  writer.write_text(kWalk, state.dump());
  for (const auto& [tap, value] : taps_) writer.write(kTaps + tap, value.view(), {value.view().axes, "state", ""});
  writer.commit();
}

}  // namespace parity::cli
