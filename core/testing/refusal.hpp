// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// For tests of calls that must be refused, and of the text of the refusal.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace parity {

/// The text of the Error that `body` throws, whose code must be `expected`; "accepted" if nothing is thrown.
template <class Body>
std::string refusal_of(ErrorCode expected, const Body& body) {
  try {
    static_cast<void>(body());
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), expected) << error.what();
    return error.what();
  }
  return "accepted";
}

}  // namespace parity
