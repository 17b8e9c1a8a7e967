// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/text/table.hpp"

#include <gtest/gtest.h>

namespace parity::reports {
namespace {

Table sample() {
  Table table({"name", "pass", "fail", "error"}, 1);
  table.add({"rms_norm", "12", "-", "0.0012"});
  table.add({"linear", "3", "-", "0.5"});
  return table;
}

TEST(Table, ColumnsThatAreEmptyAreNotPrinted) {
  EXPECT_EQ(sample().text("  "),
            "  name      pass   error\n"
            "  rms_norm    12  0.0012\n"
            "  linear       3     0.5\n");
  EXPECT_EQ(sample().markdown().front(), "| name | pass | error |\n| --- | ---: | ---: |\n");
}

TEST(Table, SpareColumnsGoFirstAndAreNamed) {
  Table table = sample();
  table.spare({"error", "pass"});

  EXPECT_EQ(table.text("", 20),
            "name      pass\n"
            "rms_norm    12\n"
            "linear       3\n"
            "columns not shown:\n"
            "error\n");
  EXPECT_EQ(table.text("", 80).find("not shown"), std::string::npos);
}

TEST(Table, LongTapsGetALineOfTheirOwn) {
  Table table({"status", "tap", "elements"}, 2);
  table.add({"pass", "steps/000/loss", "1"});
  table.add({"fail", "steps/000/text/layers/07/input_norm/out", "128"});
  table.tall("tap");

  EXPECT_EQ(table.text("  ", 34),
            "  status  tap             elements\n"
            "  pass    steps/000/loss         1\n"
            "  fail    steps/000/text/layers/07/input_norm/out\n"
            "                               128\n");
}

TEST(Table, ALongLastCellLeavesNoEmptyLine) {
  Table table({"status", "tap"}, 2);
  table.add({"fail", "steps/000/text/layers/07/input_norm/out"});
  table.tall("tap");

  EXPECT_EQ(table.text("", 28),
            "status  tap\n"
            "fail    steps/000/text/layers/07/input_norm/out\n");
}

}  // namespace
}  // namespace parity::reports
