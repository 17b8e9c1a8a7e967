// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Visible pairs by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

/// Slots 0 and 1 are one document, 2 and 3 another; the tokens are in slots 3 and 0.
TestCall pairs() {
  TestCall call("document_pairs");
  call.ids("documents", {1, 4}, {7, 7, 8, 8}).ids("positions", {1, 2}, {3, 0}).out("out", {1, 2, 4});
  return call;
}

TEST(DocumentPairs, TokensSeeTheirDocument) {
  EXPECT_THAT(pairs().exact().ids("out"), ElementsAre(0, 0, 1, 1, 1, 1, 0, 0));
}

TEST(DocumentPairs, PaddingIsSeenByNobody) {
  EXPECT_THAT(pairs().ids("valid", {1, 4}, {0, 1, 1, 0}).exact().ids("out"), ElementsAre(0, 0, 1, 0, 0, 1, 0, 0));
}

}  // namespace
}  // namespace parity::reference
