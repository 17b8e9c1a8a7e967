// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What `parity battery` writes about one component.

#include <nlohmann/json.hpp>

#include "cli/battery/battery_parts.hpp"
#include "reports/json/json.hpp"

namespace parity::cli {

nlohmann::ordered_json battery_json(const cases::BatteryResult& battery, const JudgedKernel& kernel) {
  nlohmann::ordered_json json{{"component", battery.component}, {"cases", battery.cases},
                              {"failed", battery.failed},       {"mistrusted", battery.mistrusted},
                              {"tiles", battery.tiles},         {"changed", battery.changed},
                              {"skipped", battery.skipped}};
  for (const cases::Lane lane : cases::kLanes) {
    json["cases_in"][to_string(lane)] = battery.cases_in[static_cast<size_t>(lane)];
    json["failed_in"][to_string(lane)] = battery.failed_in[static_cast<size_t>(lane)];
  }
  if (battery.first)
    json["first"] = {{"found", battery.first->found.text()},      {"found_where", battery.first->found_where},
                     {"reduced", battery.first->spec.text()},     {"case", battery.first->text},
                     {"tap", battery.first->record.tap},          {"reason", battery.first->record.reason},
                     {"repro", kernel.repro(battery.first->spec)}};
  if (battery.first && !battery.first->record.findings.empty())
    json["first"]["findings"] = battery.first->record.findings;
  if (battery.first && battery.first->record.nan)
    json["first"]["nan"] = {{"never_written", battery.first->record.nan->never_written},
                            {"computed", battery.first->record.nan->computed}};
  if (battery.first && battery.first->values)
    json["first"]["values"] = {{"kind", to_string(battery.first->values->kind)},
                               {"axis", battery.first->values->axis},
                               {"detail", battery.first->values->detail}};
  return json;
}

}  // namespace parity::cli
