// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "cli/studies/fault_study.hpp"
#include "reports/text/format.hpp"

namespace parity::cli {

namespace {

using Json = nlohmann::ordered_json;
using faults::FaultRow;
using faults::Matrix;
using faults::Planting;

}  // namespace

const char* status_of(const Matrix& matrix, const FaultRow& row) {
  if (matrix.rounds_differently(row)) return "rounds differently";
  if (row.best() == nullptr) return "not planted";
  if (row.equivalent()) return row.killed() ? "not equivalent" : "equivalent";
  return row.killed() ? "killed" : "survived";
}

namespace {

Json row_json(const Matrix& matrix, const FaultRow& row) {
  Json json{{"id", row.fault->id},
            {"title", row.fault->title},
            {"component", row.fault->component},
            {"shipped", !row.fault->seen.empty()},
            {"status", status_of(matrix, row)}};
  if (const Planting* best = row.best()) {
    json["fixture"] = best->fixture;
    json["named_tap"] = best->named;
    json["named_component"] = best->named_component;
    json["distance"] = best->distance ? Json(*best->distance) : Json();
    json["signal_over_threshold"] = reports::json_number(best->signal);
    json["effect"] = reports::json_number(best->effect);
    json["reason"] = best->reason;
  }
  json["fixtures"] = Json::array();
  for (const Planting& planting : row.plantings) {
    json["fixtures"].push_back({{"fixture", planting.fixture},
                                {"verdict", to_string(planting.verdict)},
                                {"changed_taps", planting.changed},
                                {"signal_over_threshold", reports::json_number(planting.signal)}});
  }
  return json;
}

}  // namespace

Json fault_study_json(const Matrix& matrix) {
  Json document{{"summary",
                 {{"candidate", matrix.backend.empty() ? "reference" : matrix.backend},
                  {"faults", matrix.rows.size()},
                  {"counted", matrix.counted()},
                  {"shipped", std::count_if(matrix.rows.begin(), matrix.rows.end(),
                                            [](const auto& row) { return !row.fault->seen.empty(); })},
                  {"equivalent", matrix.equivalents()},
                  {"killed", matrix.count(&FaultRow::killed)},
                  {"kill_rate", matrix.share(&FaultRow::killed)},
                  {"named_exact", matrix.count(&FaultRow::component_named)},
                  {"named_rate", matrix.share(&FaultRow::component_named)},
                  {"within_one_tap_rate", matrix.share(&FaultRow::within_one_tap)},
                  {"observable_rate", matrix.share(&FaultRow::observable)},
                  {"fixtures", matrix.fixtures},
                  {"false_alarms", matrix.false_alarms.size()}}},
                {"false_alarms", matrix.false_alarms},
                {"faults", Json::array()}};
  for (const FaultRow& row : matrix.rows) document["faults"].push_back(row_json(matrix, row));
  document["not_held"] = Json::array();
  for (const faults::Fault* fault : matrix.not_held) document["not_held"].push_back(fault->id);
  return document;
}

}  // namespace parity::cli
