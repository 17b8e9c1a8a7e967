// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The JSON of every command but `run`: one frame, in which each puts what it found. Schema: schema/study.schema.json.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/environment.hpp"

namespace parity::reports {

/// Of the family; grows with every change of the frame or of what stands in it.
inline constexpr const char* kStudyVersion = "3.1";

struct Frame {
  std::string kind;     // "guards", "battery", …, as the schema lists them
  std::string verdict;  // "pass" | "fail" | "not_run"
  std::string command;  // that made it
};

/// The frame's fields first, with the environment; then those of `body` that it does not have.
[[nodiscard]] nlohmann::ordered_json framed(const Frame& frame, const nlohmann::ordered_json& body);
/// The text of the file; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string framed_text(const Frame& frame, const nlohmann::ordered_json& body);

}  // namespace parity::reports
