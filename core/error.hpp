// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Errors: what failed, where, what to do. A mismatch is a verdict, never an Error.
#pragma once

#include <cstdint>
#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace parity {

enum class ErrorCode : uint8_t { usage, not_found, schema, checksum, io, unsupported, device, internal };

[[nodiscard]] const char* to_string(ErrorCode code);

/// An error in one line: "<context>: <what failed>; <what to do>". `location` is used only for `internal` errors.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message, std::source_location location = std::source_location::current());

  [[nodiscard]] ErrorCode code() const { return code_; }
  [[nodiscard]] const std::source_location& location() const { return location_; }

  /// A copy of this error with the prefix "<context>: ", by which each layer states what it was doing.
  [[nodiscard]] Error within(const std::string& context) const;

 private:
  ErrorCode code_;
  std::source_location location_;
};

/// Returns body(). An Error that `body` throws gains the prefix "<context>: ".
template <class Body>
decltype(auto) with_context(const std::string& context, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const Error& error) {
    throw error.within(context);
  }
}

}  // namespace parity

/// Throws Error{code} with the formatted message unless the condition is true; also in release builds.
#define PARITY_CHECK(condition, code, ...)                                                        \
  do {                                                                                            \
    if (!(condition)) throw ::parity::Error(::parity::ErrorCode::code, fmt::format(__VA_ARGS__)); \
  } while (false)
