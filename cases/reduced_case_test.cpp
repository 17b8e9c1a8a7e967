// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A smaller case counts only if it shows what the larger one shows.
#include "cases/reduced_case.hpp"

#include <gtest/gtest.h>

namespace parity::cases {
namespace {

using compare::Positions;
using compare::Record;
using compare::Status;
using compare::ValueKind;
using compare::ValueMatch;

/// A record of 100 elements that are wrong along F at `first`..`last`.
Record failing(int64_t first, int64_t last) {
  Record record;
  record.tap = "out";
  record.status = Status::fail;
  record.elements = 100;
  record.failed = last - first + 1;
  Positions part;
  part.letter = "F";
  part.extent = 100;
  part.first = first;
  part.last = last;
  part.kind = record.failed == 100 ? Positions::Kind::every : Positions::Kind::range;
  record.region = {part};
  return record;
}

Record finding(const std::string& kind, const std::string& where) {
  Record record;
  record.status = Status::error;
  record.findings = {{kind + " in norm: 7 things (3 times)", "block (0,0,0) thread (1,0,0), at " + where}};
  return record;
}

FailurePattern of(const Record& record) { return pattern_of(record, std::nullopt); }

TEST(FailurePattern, OfATailIsShownByTailsAlone) {
  const FailurePattern tail = of(failing(90, 99));

  EXPECT_TRUE(of(failing(98, 99)).shows(tail));
  EXPECT_FALSE(of(failing(0, 99)).shows(tail)) << "everything is wrong";
  EXPECT_FALSE(of(failing(10, 19)).shows(tail)) << "in the middle";
  EXPECT_TRUE(tail.shows(of(failing(0, 99)))) << "a tail says more than everything";
}

TEST(FailurePattern, OfWrongValuesIsTheirKindAndAxis) {
  const auto with = [](ValueKind kind, const char* axis) {
    return pattern_of(failing(90, 99), ValueMatch{kind, axis, "", 1.0});
  };

  EXPECT_TRUE(with(ValueKind::unwritten, "F").shows(with(ValueKind::unwritten, "F")));
  EXPECT_FALSE(with(ValueKind::zero, "F").shows(with(ValueKind::unwritten, "F")));
  EXPECT_FALSE(with(ValueKind::unwritten, "S").shows(with(ValueKind::unwritten, "F")));
  EXPECT_FALSE(of(failing(90, 99)).shows(with(ValueKind::unwritten, "F")));
  EXPECT_TRUE(with(ValueKind::unwritten, "F").shows(of(failing(90, 99))));
}

TEST(FailurePattern, OfAFindingIsItsKindAndLine) {
  const FailurePattern race = of(finding("race", "norm.cu:7 (PTX line 30)"));

  EXPECT_TRUE(of(finding("race", "norm.cu:7 (PTX line 30)")).shows(race));
  EXPECT_FALSE(of(finding("race", "norm.cu:9 (PTX line 41)")).shows(race));
  EXPECT_FALSE(of(finding("out of bounds", "norm.cu:7 (PTX line 30)")).shows(race));
  EXPECT_FALSE(of(failing(90, 99)).shows(race));
}

TEST(FailurePattern, OfSeveralFindingsIsShownByOne) {
  Record both = finding("race", "norm.cu:7 (PTX line 30)");
  both.findings.push_back(finding("race", "norm.cu:9 (PTX line 41)").findings.front());

  EXPECT_TRUE(of(finding("race", "norm.cu:9 (PTX line 41)")).shows(of(both)));
  EXPECT_FALSE(of(finding("race", "norm.cu:8 (PTX line 35)")).shows(of(both)));
}

TEST(FailurePattern, OfRowsWithFactorsOfTheirOwnHasNoPlace) {
  const ValueMatch rows{ValueKind::scaled_rows, "F", "", 1.0};

  EXPECT_TRUE(pattern_of(failing(0, 99), rows).shows(pattern_of(failing(90, 99), rows)));
}

TEST(FailurePattern, OfAnErrorIsItsTextWithoutNumbers) {
  const auto error = [](const char* reason) {
    Record record;
    record.status = Status::error;
    record.reason = reason;
    return of(record);
  };

  EXPECT_TRUE(error("'block' is 2048 threads").shows(error("'block' is 4096 threads")));
  EXPECT_FALSE(error("'grid' is 2048 threads").shows(error("'block' is 4096 threads")));
}

TEST(MostTelling, IsTheFirstThatFailsInPartOfTheFirstFailingOutput) {
  Record other = failing(3, 4);
  other.tap = "weights";
  const std::optional<Record> right = Record{}, whole = failing(0, 99), tail = failing(90, 99);
  const auto none = [](size_t) { return false; };

  EXPECT_EQ(most_telling({right, whole, std::nullopt, other, tail}, none), 4);
  EXPECT_EQ(most_telling({right, whole, whole}, none), 1);
  EXPECT_EQ(most_telling({finding("race", "norm.cu:7"), tail}, none), 0) << "a finding names its lines";
}

TEST(MostTelling, IsElseTheFirstWhoseWrongValuesHaveADescription) {
  const std::optional<Record> right = Record{}, whole = failing(0, 99), tail = failing(90, 99);
  const auto second = [](size_t index) { return index == 2; };

  EXPECT_EQ(most_telling({right, whole, whole, whole}, second), 2);
  EXPECT_EQ(most_telling({right, whole, whole, tail}, second), 3);
}

}  // namespace
}  // namespace parity::cases
