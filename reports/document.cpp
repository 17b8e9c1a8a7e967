// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/document.hpp"

#include "reports/json/json.hpp"

namespace parity::reports {

using nlohmann::ordered_json;

ordered_json framed(const Frame& frame, const ordered_json& body) {
  ordered_json document{{"schema_version", kStudyVersion},
                        {"kind", frame.kind},
                        {"verdict", frame.verdict},
                        {"command", frame.command},
                        {"environment", environment_json(capture_environment())}};
  for (const auto& [name, value] : body.items()) {
    if (!document.contains(name)) document[name] = value;
  }
  return document;
}

std::string framed_text(const Frame& frame, const ordered_json& body) {
  return printable_json(framed(frame, body), 2) + "\n";
}

}  // namespace parity::reports
