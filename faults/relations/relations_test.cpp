// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/relations/relations.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "faults/catalogue.hpp"

namespace parity::faults {
namespace {

TEST(Relations, AllHoldForTheReference) {
  std::set<std::string> names;
  for (const uint64_t seed : {1, 2}) {
    for (const RelationResult& result : run_relations(Tried{}, seed)) {
      EXPECT_TRUE(result.holds()) << result.subject << " " << result.relation << ": " << result.deviation;
      names.insert(result.relation);
    }
  }
  EXPECT_GE(names.size(), 45U);
}

/// A catalogued fault that breaks the relation, for each relation that such a fault can break.
struct Broken {
  const char* fault;
  const char* relation;
};

class Breaks : public ::testing::TestWithParam<Broken> {};

TEST_P(Breaks, ItsRelation) {
  const auto results = run_relations(planted(find_fault(GetParam().fault)), 1);
  const bool broken = std::any_of(results.begin(), results.end(), [](const RelationResult& result) {
    return result.relation == GetParam().relation && !result.holds();
  });

  EXPECT_TRUE(broken);
}

void PrintTo(const Broken& c, std::ostream* stream) { *stream << c.fault << " breaks " << c.relation; }

const std::vector<Broken> kCases{// tokens, calls and weights of a decoder
                                 {"rotary_tables-decode-minus-one", "decode"},
                                 {"cache-index-history-lost", "chunks"},
                                 {"lightning-state-lost", "decode"},
                                 {"dense-no-mask-in-later-calls", "chunks-of-one"},
                                 {"embedding-one-token", "words"},
                                 {"embedding-ids-one-late", "effect"},
                                 {"experts-capacity", "alone"},
                                 {"experts-capacity", "order"},
                                 {"dense-not-masked", "padding"},
                                 {"dense-one-future-key", "causal"},
                                 {"dense-not-masked", "holes"},
                                 {"router-grouped", "experts"},
                                 {"dense-head-0-zero", "heads"},
                                 {"sparse-last-of-list-lost", "budget"},
                                 {"sparse-is-dense", "tight-budget"},
                                 {"rotary_tables-wrapped-positions", "shift"},
                                 {"tables-query-decay-off-by-one", "blocks"},
                                 {"tables-key-decay-off-by-one", "whole"},
                                 // caches
                                 {"cache_edit-rows-ignored", "reorder"},
                                 {"cache_edit-rows-ignored", "beams"},
                                 {"cache_edit-rows-ignored", "reorder-back"},
                                 {"cache_edit-rows-reversed", "select"},
                                 {"cache_edit-rows-reversed", "repeat"},
                                 {"cache_edit-slots-rolled", "crop"},
                                 {"cache_edit-index-zero", "crop-from-the-end"},
                                 {"linear-last-token-lost", "rejected"},
                                 {"cache_write-history-lost", "static"},
                                 {"cache_edit-slots-rolled", "static-crop"},
                                 {"dense-not-masked", "slots"},
                                 {"cache_edit-rows-ignored", "static-beams"},
                                 {"paged_view-row-of-another", "pages"},
                                 {"paged_view-partial-page-lost", "pages"},
                                 {"page_write-one-late", "pages"},
                                 {"page_write-history-lost", "pages"},
                                 {"page_write-pages-exchanged", "page-size"},
                                 {"paged_view-table-ignored", "pages"},
                                 {"paged_view-page-zero", "page-order"},
                                 {"paged_view-nothing-read", "page-table"},
                                 // the vision tower
                                 {"vision_rotary-of-other-medium", "media-order"},
                                 {"vision_attention-lengths-reversed", "media-alone"},
                                 {"vision_rotary-of-other-medium", "media-twins"},
                                 {"vision_attention-per-image", "media-company"},
                                 {"splice-one-off", "media-kinds"},
                                 {"patch_embed-channels-reversed", "patch-colours"},
                                 {"patch_embed-one-frame", "patch-frames"},
                                 {"vision_rotary-rows-are-columns", "upside-down"},
                                 {"vision_rotary-two-axes", "mirrored"},
                                 {"vision_rotary-halves-interleaved", "backwards"},
                                 {"vision_rotary-grid-exchanged", "transposed"},
                                 {"patch_merge-by-columns", "windows"},
                                 {"patch_merge-order", "windows"},
                                 {"vision_attention-head-zero", "heads"},
                                 // images among the tokens
                                 {"splice-reversed", "causal"},
                                 {"splice-first-everywhere", "effect"},
                                 {"splice-one-off", "media-mixed"},
                                 // several processes
                                 {"all_reduce-twice", "experts-of-two"},
                                 {"preweighted-first-rank", "experts-of-four"},
                                 {"gather-halved", "sequence-of-two"},
                                 {"gather-chunks-exchanged", "sequence-of-four"},
                                 {"sparse-is-dense", "documents"}};

INSTANTIATE_TEST_SUITE_P(Relations, Breaks, ::testing::ValuesIn(kCases));

/// The exception is repeating a run: no fault is random, and `parity selftest --guards` runs every kernel twice.
TEST(Relations, AllButOneAreBrokenByAFault) {
  std::set<std::string> unbroken;
  for (const RelationResult& result : run_relations(Tried{}, 1)) unbroken.insert(result.relation);
  for (const Broken& one : kCases) unbroken.erase(one.relation);

  EXPECT_EQ(unbroken, std::set<std::string>{"again"});
}

TEST(Relations, BreakForEveryFaultThatNoRecordingShows) {
  for (const Fault& fault : catalogue()) {
    const bool shown =
        std::any_of(kCases.begin(), kCases.end(), [&](const Broken& one) { return fault.id == one.fault; });
    EXPECT_TRUE(shown || !fault.by_relations) << fault.id;
  }
}

TEST(Relations, AFaultThatStopsTheModelBreaksThem) {
  const auto results = run_relations(planted(find_fault("select-ids-plus-one")), 1);

  EXPECT_FALSE(all_hold(results));
}

TEST(Relations, StudyTellsFaultsWithoutAPlaceFromThoseThatBreakNothing) {
  const std::vector<Fault> faults{find_fault("patchify-mean"), find_fault("swiglu-plain"),
                                  find_fault("patch_merge-order")};
  const auto study = study_relations(faults, 1);

  EXPECT_FALSE(study[0].has_place);
  EXPECT_TRUE(study[1].has_place);
  EXPECT_TRUE(study[1].broken.empty());
  EXPECT_FALSE(study[2].broken.empty());
  EXPECT_EQ(study[2].broken.front().second, "minimax_m3_vl tower");
}

TEST(Relations, RefuseAFaultWithoutAPlace) {
  EXPECT_THROW(static_cast<void>(run_relations(planted(find_fault("patchify-mean")), 1)), Error);
}

}  // namespace
}  // namespace parity::faults
