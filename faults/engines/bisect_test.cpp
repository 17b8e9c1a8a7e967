// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/engines/bisect.hpp"

#include <gtest/gtest.h>

#include "faults/catalogue.hpp"
#include "faults/studies/fixture.hpp"
#include "faults/testing/text_fixture.hpp"

namespace parity::faults {
namespace {

using tests::fixture;

Bisection bisected(Fault fault, const std::string& at, const std::string& end = {}) {
  fault.at = {at};
  const auto edited = applied(fault, fixture().plan());
  return bisect(*edited, fixture().plan(), fixture().golden().parameters(), fixture().recording(), end);
}

TEST(Bisect, NamesTheFaultyNodeFromTheEndAlone) {
  const std::string node = "steps/000/text/layers/01/moe";
  const Bisection found = bisected(find_fault("combine-shared-halved"), node, "steps/000/text/lm_head/out");

  EXPECT_EQ(found.prefix, node);
  EXPECT_EQ(found.component, "moe_combine");
  EXPECT_LE(found.probes.size(), 12U);  // log2 of the number of nodes, plus both ends
}

TEST(Bisect, NamesTheFirstOfSeveralFaultyNodes) {
  const Bisection found =
      bisected(find_fault("rms_norm-without-one"), "*post_attention_norm", "steps/000/text/lm_head/out");

  EXPECT_EQ(found.prefix, "steps/000/text/layers/00/post_attention_norm");
}

TEST(Bisect, ACorrectCandidateHasNoFaultyNode) {
  const Bisection found =
      bisect(unedited(fixture().plan()), fixture().plan(), fixture().golden().parameters(), fixture().recording());

  EXPECT_TRUE(found.prefix.empty());
  EXPECT_EQ(found.probes.size(), 1U);
}

TEST(Bisect, RefusesAnEndThatIsNotThere) {
  EXPECT_THROW(static_cast<void>(bisected(find_fault("rms_norm-without-one"), "*", "steps/000/nowhere")), Error);
}

}  // namespace
}  // namespace parity::faults
