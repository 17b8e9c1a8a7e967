// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/error.hpp"

namespace parity {

const char* to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
      return "usage";
    case ErrorCode::not_found:
      return "not found";
    case ErrorCode::schema:
      return "schema";
    case ErrorCode::checksum:
      return "checksum";
    case ErrorCode::io:
      return "io";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::device:
      return "device";
    case ErrorCode::internal:
      return "internal";
  }
  return "unknown";
}

Error::Error(ErrorCode code, const std::string& message, std::source_location location)
    : std::runtime_error(message), code_(code), location_(location) {}

Error Error::within(const std::string& context) const { return {code_, context + ": " + what(), location_}; }

}  // namespace parity
