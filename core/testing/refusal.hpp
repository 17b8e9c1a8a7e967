// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// For tests: what a call refuses, and in which words.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace parity {

/// The text of the Error that `body` throws, which has to be of the expected code; "accepted" when it throws none.
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
