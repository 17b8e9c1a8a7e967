// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Requests of `parity judge --jsonl`, which come from programs of others.
#pragma once

#include <istream>
#include <string>

#include <nlohmann/json.hpp>

#include "cases/plugin/fresh_verdict.hpp"

namespace parity::cli {

enum class LineRead : unsigned char { whole, too_long, end };
/// Reads a line without its end, but at most `most` bytes and one more of it: a stream may have no end.
[[nodiscard]] LineRead read_line(std::istream& stream, size_t most, std::string& line);

/// Parses a request. Error{schema} for nesting deeper than 64, Error{usage} for what is no object, Json::exception for
/// what is no JSON.
[[nodiscard]] nlohmann::ordered_json parse_request(const std::string& line);
/// What a request asks of the judge. Error{usage} for impossible counts, Json::exception for values of other types.
[[nodiscard]] cases::FreshOptions fresh_options(const nlohmann::ordered_json& request);

}  // namespace parity::cli
