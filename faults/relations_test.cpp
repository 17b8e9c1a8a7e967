// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/relations.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "faults/catalogue.hpp"

namespace parity::faults {
namespace {

TEST(Relations, AllHoldForTheReference) {
  std::set<std::string> names;
  for (const uint64_t seed : {1, 2}) {
    for (const RelationResult& result : run_relations(nullptr, seed)) {
      EXPECT_TRUE(result.holds()) << result.system << " " << result.relation << ": " << result.deviation;
      names.insert(result.relation);
    }
  }
  EXPECT_GE(names.size(), 12U);
}

/// A fault that breaks the relation, for every one that a catalogued fault can break.
struct Case {
  const char* fault;
  const char* relation;
};

class Breaks : public testing::TestWithParam<Case> {};

TEST_P(Breaks, ItsRelation) {
  const auto results = run_relations(&find_fault(GetParam().fault), 1);
  const bool broken = std::any_of(results.begin(), results.end(), [](const RelationResult& result) {
    return result.relation == GetParam().relation && !result.holds();
  });

  EXPECT_TRUE(broken);
}

void PrintTo(const Case& c, std::ostream* stream) { *stream << c.fault << " breaks " << c.relation; }

INSTANTIATE_TEST_SUITE_P(
    Relations, Breaks,
    testing::Values(Case{"rotary_tables-decode-minus-one", "decode"}, Case{"cache-index-history-lost", "chunks"},
                    Case{"lightning-state-lost", "decode"}, Case{"dense-no-mask-in-later-calls", "chunks-of-one"},
                    Case{"embedding-one-token", "words"}, Case{"experts-capacity", "alone"},
                    Case{"dense-not-masked", "padding"}, Case{"dense-one-future-key", "causal"},
                    Case{"router-grouped", "experts"}, Case{"dense-head-0-zero", "heads"},
                    Case{"sparse-last-of-list-lost", "budget"}, Case{"sparse-is-dense", "tight-budget"},
                    Case{"rotary_tables-wrapped-positions", "shift"}, Case{"tables-query-decay-off-by-one", "blocks"},
                    Case{"tables-key-decay-off-by-one", "whole"}, Case{"experts-capacity", "order"}));

TEST(Relations, RefuseAFaultWithoutAPlace) {
  EXPECT_THROW(static_cast<void>(run_relations(&find_fault("patchify-mean"), 1)), Error);
}

}  // namespace
}  // namespace parity::faults
