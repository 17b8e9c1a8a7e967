// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Requests that no sound client sends are answered, or end the program with a line; none ends it by a signal.
#include "cli/battery/judge_request.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands.hpp"
#include "cli/testing/program.hpp"
#include "core/error.hpp"

namespace parity::cli {
namespace {

using ::testing::HasSubstr;
using namespace tests;
using Json = nlohmann::ordered_json;

TEST(ReadLine, KeepsNoMoreThanItMay) {
  std::istringstream stream("one\n\ntwo and more");
  std::string line;

  EXPECT_EQ(read_line(stream, 3, line), LineRead::whole);
  EXPECT_EQ(line, "one");
  EXPECT_EQ(read_line(stream, 3, line), LineRead::whole);
  EXPECT_EQ(line, "");
  EXPECT_EQ(read_line(stream, 3, line), LineRead::too_long);
  EXPECT_EQ(line, "two");
  EXPECT_EQ(read_line(stream, 20, line), LineRead::whole) << "the last line has no end";
  EXPECT_EQ(read_line(stream, 20, line), LineRead::end);
}

TEST(JudgeRequest, AsksForCountsThatThereAre) {
  EXPECT_EQ(fresh_options(Json::parse(R"({"cases": 3, "timed": 0, "extents": {"N": 2}})")).cases, 3);
  for (const char* request :
       {R"({"cases": 0})", R"({"cases": 1e3})", R"({"timed": 9223372036854775807})", R"({"timed": -1})",
        R"({"cases": [[]]})", R"({"extents": {"N": 1e300}})", R"({"extents": {"N": 9223372036854775807}})",
        R"({"extents": {"N": -1}})", R"({"extents": {"NN": 1}})", R"({"extents": [1]})", R"({"extents": 1})",
        R"({"kernel": 5})", R"({"function": ["f"]})"})
    EXPECT_THROW(static_cast<void>(fresh_options(Json::parse(request))), Error) << request;
}

class Judge : public ::testing::Test {
 protected:
  Output answered(const std::string& requests) {
    write((scratch_ / "requests").string(), requests);
    const std::string limits = PARITY_SANITIZED ? "timeout 60" : "ulimit -v 2000000; timeout 60";
    return run_program({"judge", "--jsonl"}, "exec <" + quoted((scratch_ / "requests").string()) + ";" + limits);
  }

 private:
  TemporaryFolder scratch_;
};

TEST_F(Judge, AnswersTheRequestAfterAHostileOne) {
  const std::string nested = std::string(500000, '[') + std::string(500000, ']');

  const Output output = answered("{\"id\": " + nested + "}\n{\"id\": 7}\n\xff\xfe\n[]\n");

  EXPECT_EQ(output.exit_code, holds) << output.err;
  const auto answers = lines(output.out);
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_THAT(answers[0], HasSubstr("nested more than 64 levels deep"));
  EXPECT_EQ(Json::parse(answers[1])["id"], 7);
}

TEST_F(Judge, ReadsNoLineWithoutEnd) {
  const std::string limits = PARITY_SANITIZED ? "timeout 60" : "ulimit -v 2000000; timeout 60";

  const Output output = run_program({"judge", "--jsonl"}, "exec </dev/zero; " + limits);

  EXPECT_EQ(output.exit_code, usage);
  EXPECT_THAT(output.err, HasSubstr("a request has more than 16 MiB"));
}

}  // namespace
}  // namespace parity::cli
