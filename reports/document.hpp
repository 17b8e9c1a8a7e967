// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The JSON of every command except `run`: a frame and the command's results. Schema: schema/study.schema.json.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/environment.hpp"

namespace parity::reports {

/// The schema version of the JSON documents that all commands but `run` write. It grows with every change of the frame
/// or of its contents.
inline constexpr const char* kStudyVersion = "3.1";

struct Frame {
  std::string kind;     // kind of the document as in the schema: "guards", "battery", …
  std::string verdict;  // "pass" | "fail" | "not_run"
  std::string command;  // command line that made the document
};

/// Returns a document: the fields of the frame, the environment, and then fields of `body` that the frame lacks.
[[nodiscard]] nlohmann::ordered_json framed(const Frame& frame, const nlohmann::ordered_json& body);
/// Returns the text of that document. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string framed_text(const Frame& frame, const nlohmann::ordered_json& body);

}  // namespace parity::reports
