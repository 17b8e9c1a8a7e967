// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/sources/declaration.hpp"

#include <gmock/gmock.h>

#include "core/random.hpp"
#include "golden/testing/test_support.hpp"

namespace parity::golden {
namespace {

using test::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DeclarationTest : public ::testing::Test {
 protected:
  ActivationFile with(const std::map<std::string, AttributeValue>& attributes) {
    auto root = test::root_attributes();
    for (const auto& [name, value] : attributes) root[name] = value;
    ActivationWriter writer = ActivationWriter::create(folder_ / "a.h5", root);
    writer.write("steps/000/text/embed/out", test::integers({2}).view(), {"B", "output", "token_embedding"});
    writer.commit();
    return ActivationFile::open(folder_ / "a.h5");
  }
  Declaration of(const std::map<std::string, AttributeValue>& attributes) { return declaration_of(with(attributes)); }
  std::string refusal(const std::string& name, const std::string& value) {
    return error_of([&] { (void)of({{name, value}}); });
  }

  TemporaryFolder folder_;
};

TEST_F(DeclarationTest, OfAGoldenSaysNothing) {
  const Declaration declared = of({});

  EXPECT_FALSE(declared.marked);
  EXPECT_THAT(declared.text(), IsEmpty());
  EXPECT_FALSE(declared.leaves_out("steps/000/text/embed/out", ""));
}

TEST_F(DeclarationTest, ReadsWhatWasNotComputed) {
  const Declaration declared = of({{"capture", "declared"},
                                   {"not_computed_taps", " */loss, */cache/* "},
                                   {"not_computed_calls", "002 003"},
                                   {"not_computed_rows", int64_t{1}},
                                   {"not_computed_padding", "yes"},
                                   {"ids_order", "set"},
                                   {"nothing", "-3.4e38"}});

  EXPECT_TRUE(declared.marked);
  EXPECT_THAT(declared.taps, ElementsAre("*/loss", "*/cache/*"));
  EXPECT_THAT(declared.calls, ElementsAre("002", "003"));
  EXPECT_THAT(declared.rows, ElementsAre(1));
  EXPECT_TRUE(declared.padding);
  EXPECT_EQ(declared.ids_order, IdsOrder::set);
  EXPECT_EQ(declared.nothing, -3.4e38);
  EXPECT_THAT(declared.text(), ElementsAre("taps */loss */cache/*", "calls 002 003", "sequences 1", "padding"));
  EXPECT_TRUE(declared.leaves_out("steps/000/loss", ""));
  EXPECT_TRUE(declared.leaves_out("steps/003/text/embed/out", ""));
  EXPECT_FALSE(declared.leaves_out("steps/001/text/embed/out", ""));
}

TEST_F(DeclarationTest, StatesHowComponentsCompute) {
  const Statements stated = of({{"rounding", "oracle, moe_*=own"}, {"function_ulps", "swiglu=64 gelu=2.5"}}).stated;

  EXPECT_EQ(stated.rounds_its_own_way("rms_norm"), false);
  EXPECT_EQ(stated.rounds_its_own_way("moe_experts"), true);
  EXPECT_EQ(stated.function_ulps("swiglu"), 64.0);
  EXPECT_EQ(stated.function_ulps("router"), std::nullopt);
  EXPECT_THAT(stated.text(), ElementsAre("rounding *=oracle moe_*=own", "function_ulps swiglu=64 gelu=2.5"));
  EXPECT_EQ(of({}).stated.rounds_its_own_way("rms_norm"), std::nullopt) << "unstated";
  EXPECT_EQ(of({{"rounding", "own *=oracle"}}).stated.rounds_its_own_way("silu"), false) << "the last that meets it";
}

// A tap marked YES was not judged, and the stated reason was that it had not been filled.
TEST_F(DeclarationTest, OfAnUnknownMarkOfATapListsTheKnownOnes) {
  for (const char* mark : {"YES", "1", ""}) {
    ActivationWriter writer = ActivationWriter::create(folder_ / "marked.h5", test::root_attributes());
    writer.write("steps/000/loss", test::integers({2}).view(), {"B", "output", "cross_entropy"});
    writer.dataset_attribute("steps/000/loss", kComputed, mark);
    writer.commit();
    const std::string said = error_of([&] { (void)declaration_of(ActivationFile::open(folder_ / "marked.h5")); });
    EXPECT_THAT(said, ::testing::AllOf(HasSubstr("marked.h5: dataset steps/000/loss"),
                                       HasSubstr(std::string("computed is '") + mark + "'; use yes (filled), no")));
  }
}

TEST_F(DeclarationTest, OfSomeTapsLeavesOutTheOthers) {
  const Declaration declared = of({{"computed_taps", "*_norm/out"}});

  EXPECT_FALSE(declared.leaves_out("steps/000/text/final_norm/out", ""));
  EXPECT_FALSE(declared.leaves_out("steps/000/text/embed/out", "steps/000/alias_norm/out")) << "under a further name";
  EXPECT_TRUE(declared.leaves_out("steps/000/text/embed/out", ""));
}

TEST_F(DeclarationTest, RefusesSlipsOfThePen) {
  EXPECT_THAT(refusal("capture", "declard"), HasSubstr("attribute capture is 'declard'; use 'declared'"));
  EXPECT_THAT(refusal("not_computed_tap", "*/loss"), HasSubstr("did you mean 'not_computed_taps'?"));
  EXPECT_THAT(refusal("not_computed_calls", "3"), HasSubstr("attribute not_computed_calls is '3'"));
  EXPECT_THAT(refusal("not_computed_rows", "0 -1"), HasSubstr("attribute not_computed_rows is '-1'"));
  EXPECT_THAT(refusal("not_computed_padding", "true"), HasSubstr("use yes or no"));
  EXPECT_THAT(refusal("ids_order", "sorted"), HasSubstr("use list (descending score) or set (any order)"));
  EXPECT_THAT(refusal("rounding", "moe_*=mine"), HasSubstr("attribute rounding is 'moe_*=mine'; use own, oracle"));
  EXPECT_THAT(refusal("roundings", "own"), HasSubstr("did you mean 'rounding'?"));
  EXPECT_THAT(refusal("function_ulp", "4"), HasSubstr("did you mean 'function_ulps'?"));
  for (const char* value : {"0", "-1", "nan", "inf", "65537", "4x", "=4", "swiglu="})
    EXPECT_THAT(refusal("function_ulps", value), HasSubstr("attribute function_ulps is '" + std::string(value)));
  for (const char* value : {"3.4e38", "nan", "0", "-1e30x", "-"})
    EXPECT_THAT(refusal("nothing", value), HasSubstr(value));
}

/// Any text is either read or refused, in one line that names the attribute.
TEST_F(DeclarationTest, OfAnyTextIsReadOrRefused) {
  const std::vector<std::string> names{
      "capture",           "computed_taps",        "not_computed_taps", "not_computed_calls",
      "not_computed_rows", "not_computed_padding", "ids_order",         "nothing",
      "rounding",          "function_ulps"};
  const std::string letters = "0123 -,.e\t\n*?/setlistyno\xc3\xa9";
  const Random random(7, "declarations");
  for (uint64_t round = 0; round < 300; ++round) {
    const std::string& name = names[random.below(2 * round, names.size())];
    std::string value;
    for (uint64_t i = 0, length = random.below(2 * round + 1, 24); i < length; ++i)
      value += letters[random.below(1000 * round + i, letters.size())];
    try {
      const Declaration declared = of({{name, value}});
      for (const std::string& glob : declared.taps) EXPECT_EQ(glob.find_first_of(" ,\t\n"), std::string::npos);
      for (const std::string& call : declared.calls) EXPECT_EQ(call.size(), 3U);
      for (const int64_t row : declared.rows) EXPECT_GE(row, 0);
      EXPECT_LT(declared.nothing.value_or(-1.0), 0.0);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::schema);
      EXPECT_THAT(error.what(), HasSubstr("attribute " + name));
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
}

TEST_F(DeclarationTest, OfADatasetSaysWhetherItWasFilledAndWhatStandsForNothing) {
  DatasetInfo info;
  Declaration file;
  file.nothing = -1e30;
  EXPECT_TRUE(is_computed(info));
  EXPECT_EQ(nothing_of(info, file), -1e30);

  info.attributes = {{"computed", "no"}, {"nothing", "-3.4e38"}};
  EXPECT_FALSE(is_computed(info));
  EXPECT_EQ(nothing_of(info, file), -3.4e38);
  info.attributes["computed"] = "perhaps";
  EXPECT_FALSE(is_computed(info)) << "only yes is";
  info.attributes["computed"] = "yes";
  EXPECT_TRUE(is_computed(info));
  EXPECT_FALSE(is_lent(info));
  info.attributes["computed"] = "lent";
  EXPECT_TRUE(is_computed(info)) << "by another";
  EXPECT_TRUE(is_lent(info));
}

TEST(CallOf, NamesTheCall) {
  EXPECT_EQ(call_of("steps/012/text/embed/out"), "012");
  EXPECT_EQ(call_of("steps/012"), "012");
  EXPECT_EQ(call_of("processor/images/00/in"), "");
}

TEST(TapOfEveryPlace, PoolsCallsAndLayers) {
  EXPECT_EQ(tap_of_every_place("steps/000/text/layers/03/q_norm/out"), "steps/*/text/layers/*/q_norm/out");
  EXPECT_EQ(tap_of_every_place("steps/000/vision/image/linear_1/out"), "steps/*/vision/image/linear_1/out");
}

}  // namespace
}  // namespace parity::golden
