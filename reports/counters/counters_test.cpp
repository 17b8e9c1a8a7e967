// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "optimized/ptx/machine/launch.hpp"
#include "reports/counters/counters_growth.hpp"
#include "reports/counters/counters_json.hpp"
#include "reports/counters/counters_text.hpp"
#include "reports/document.hpp"
#include "reports/files/schema_check.hpp"

namespace parity::reports {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ptx::LineCost line_of(uint32_t line, const std::string& opcode, uint64_t instructions) {
  ptx::LineCost cost;
  cost.position = {10 * line, "/src/norm.cu", line};
  cost.function = "norm";
  cost.opcode = opcode;
  cost.kind = ptx::Kind::memory;
  cost.cost.instructions = instructions;
  cost.cost.lanes = 32 * instructions;
  return cost;
}

ptx::Counters example() {
  ptx::Counters counters;
  counters.kernel = "norm";
  counters.blocks = 4;
  counters.lines = {line_of(3, "ld.global.f32", 100), line_of(4, "st.shared.f32", 100), line_of(5, "mma.sync", 10)};
  counters.lines[0].cost.global[0] = {100, 100, 400, 400, 12800};
  counters.lines[1].cost.shared = {100, 3200, 100};
  counters.lines[2].cost.multiply_adds["bf16 m16n8k16"] = 20480;
  counters.unique = ptx::UniqueBytes{{12800}, 12800, 0};
  return counters;
}

nlohmann::ordered_json body_of(const ptx::Counters& counters) {
  nlohmann::ordered_json one{{"name", "norm/tokens-1/f32/cuda-host"}, {"why", ""}};
  one["ideal"] = {{"flops", 0.0}, {"read", 16.0}, {"written", 16.0}};
  one["launches"] = nlohmann::ordered_json::array({to_json(counters)});
  nlohmann::ordered_json body{{"seed", 1}, {"sample", 0}};
  body["cases"].push_back(one);
  return body;
}

TEST(CountersJson, TheSchemaRefusesALaunchWithoutLines) {
  nlohmann::ordered_json body = body_of(example());
  body["cases"][0]["launches"][0].erase("lines");
  const nlohmann::json document = nlohmann::json::parse(framed_text({"counters", "pass", "bench"}, body));

  EXPECT_THAT(schema_violations(document, study_schema()),
              ElementsAre(HasSubstr("/cases/0/launches/0: 'lines' is missing")));
}

TEST(CountersJson, ComesBackAsItWas) {
  const ptx::Counters counters = example();
  const nlohmann::json document = nlohmann::json::parse(framed_text({"counters", "pass", "bench"}, body_of(counters)));
  const ptx::Counters back = counters_from_json(document.at("cases").at(0).at("launches").at(0));

  EXPECT_THAT(schema_violations(document, study_schema()), IsEmpty());
  EXPECT_EQ(back.counted(), counters.counted());
  EXPECT_EQ(back.unique, counters.unique);
  ASSERT_EQ(back.lines.size(), 3U);
  EXPECT_EQ(back.lines[1].position, counters.lines[1].position);
  EXPECT_EQ(back.lines[1].opcode, "st.shared.f32");
  EXPECT_EQ(to_json(back), to_json(counters));
}

TEST(CountersJson, ASampleSaysWhichBlocksRanAndHasNoUniqueBytes) {
  ptx::Counters counters = example();
  counters.run = {1, 3};
  counters.unique.reset();
  const nlohmann::json document = to_json(counters);

  EXPECT_EQ(document.at("blocks_run"), nlohmann::json::parse("[1, 3]"));
  EXPECT_EQ(document.at("total").at("instructions"), 420) << "twice what was counted";
  EXPECT_EQ(document.at("lines").at(0).at("instructions"), 100);
  EXPECT_FALSE(document.contains("unique_bytes"));
  EXPECT_EQ(counters_from_json(document).run, counters.run);
}

TEST(CountersJson, WhatIsNoCountIsNamedWithItsPlace) {
  const auto message = [](const char* at, const nlohmann::json& value) -> std::string {
    nlohmann::json document = to_json(example());
    document[nlohmann::json::json_pointer(at)] = value;
    try {
      static_cast<void>(counters_from_json(document));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };

  EXPECT_THAT(message("/lines/0/global/load/sectors", -1), HasSubstr("/lines/0/global/load/sectors: a whole number"));
  EXPECT_THAT(message("/lines/1", 7), HasSubstr("/lines/1/function is missing"));
  EXPECT_THAT(message("/kernel", 7), HasSubstr("/kernel: a string"));
  EXPECT_THAT(message("/lines/0/kind", "odd"), HasSubstr("/lines/0/kind: 'odd' is not a kind"));
  EXPECT_THAT(message("/lines/0/global/load/coalesced", 101U),
              HasSubstr("/lines/0/global/load: there are more coalesced requests"));
  EXPECT_THAT(message("/lines/1/shared/least_wavefronts", 3201U), HasSubstr("/lines/1/shared: fewer wavefronts"));
}

TEST(CountersGrowth, OfNothingIsNone) { EXPECT_THAT(grown(example(), example()), IsEmpty()); }

TEST(CountersGrowth, NamesTheCounterAndTheLine) {
  ptx::Counters after = example();
  after.lines[0].cost.global[0].sectors = 3200;
  after.lines[0].cost.global[0].coalesced = 0;
  std::vector<std::string> words;
  for (const Growth& growth : grown(example(), after)) words.push_back(describe(growth));

  EXPECT_THAT(words,
              ElementsAre("load requests that are not coalesced grew from 0 to 100; most of it at norm.cu:3, from 0 "
                          "to 100",
                          "load sectors grew from 400 to 3200; most of it at norm.cu:3, from 400 to 3200"));
  EXPECT_THAT(grown(after, example()), IsEmpty()) << "less is no growth";
}

/// A warp that stores `times` times one after another, 128 bytes each, at line 7 of loop.cu.
ptx::Counters stores(const std::string& times) {
  const ptx::Program program(R"(.version 9.0
.target sm_90
.address_size 64
.file 1 "/src/loop.cu"
.visible .entry loop(.param .u64 p0) {
.reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<3>;
.loc 1 5 0
ld.param.u64 %rd0, [p0];
mov.u32 %r0, %tid.x;
mul.wide.u32 %rd1, %r0, 4;
add.s64 %rd2, %rd0, %rd1;
mov.u32 %r1, 0;
AGAIN:
.loc 1 7 0
st.global.u32 [%rd2], %r1;
.loc 1 8 0
add.s32 %r1, %r1, 1;
setp.lt.u32 %p1, %r1, )" + times +
                             R"(;
@%p1 bra AGAIN;
ret;
})");
  ptx::Device device;
  ptx::Launch launch;
  launch.kernel = "loop";
  launch.block = {32, 1, 1};
  launch.parameters.add(device.allocate(128));
  ptx::Options options;
  options.counters = true;
  return ptx::run(program, device, launch, options).counters.value();
}

TEST(CountersGrowth, OfAKernelsTextIsFoundAtItsLine) {
  std::vector<std::string> words;
  for (const Growth& growth : grown(stores("100"), stores("102"))) words.push_back(describe(growth));

  EXPECT_THAT(words, Contains("store sectors grew from 400 to 408; most of it at loop.cu:7, from 400 to 408"));
  EXPECT_THAT(grown(stores("100"), stores("101")), IsEmpty()) << "1 % is allowed";
}

TEST(CountersGrowth, AShareOfItIsAllowed) {
  ptx::Counters after = example();
  after.lines[1].cost.instructions += 2;  // of 210

  EXPECT_THAT(grown(example(), after), IsEmpty());
  EXPECT_EQ(grown(example(), after, 0.005).size(), 1U);
  EXPECT_EQ(grown(example(), after, 0).front().line, "norm.cu:4");
}

TEST(CountersGrowth, UniqueBytesGrowToo) {
  ptx::Counters after = example();
  after.unique->read *= 2;

  ASSERT_EQ(grown(example(), after).size(), 1U);
  EXPECT_EQ(describe(grown(example(), after).front()), "unique bytes read grew from 12800 to 25600");
}

TEST(CountersGrowth, OtherLaunchesDoNotCompare) {
  ptx::Counters kernel = example(), sample = example(), grid = example();
  kernel.kernel = "other";
  sample.run = {1};
  grid.blocks = 8;

  EXPECT_THROW(static_cast<void>(grown(example(), kernel)), Error);
  EXPECT_THROW(static_cast<void>(grown(example(), sample)), Error);
  EXPECT_THAT(grown(example(), grid), IsEmpty()) << "all blocks of a grid do the same work as those of another";
}

TEST(CountersText, TheHeaviestLineComesFirst) {
  const std::string text = counters_text(example(), &ptx::gpu("h200"), 2);

  EXPECT_THAT(text, HasSubstr("load          100 requests, 4.00 sectors each, 100.0 % coalesced"));
  EXPECT_THAT(text, HasSubstr("3200 wavefronts, 3100 of them conflicts"));
  EXPECT_THAT(text, HasSubstr("bound by the model (H200 SXM): "));
  EXPECT_THAT(text, HasSubstr("most sectors           norm.cu:3, 100.0 %"));
  EXPECT_THAT(text, HasSubstr("most conflicts         norm.cu:4, 100.0 %"));
  const std::string table = text.substr(text.find("accesses"));
  EXPECT_LT(table.find("norm.cu:4"), table.find("norm.cu:3"));
  EXPECT_EQ(table.find("norm.cu:5"), std::string::npos);
  EXPECT_THAT(text, HasSubstr("… and 1 more lines"));
}

TEST(CountersText, InstructionsOfNoLineAreOneRow) {
  ptx::Counters counters = example();
  for (const uint32_t ptx_line : {91U, 92U}) {
    counters.lines.push_back(line_of(0, "ld.param.u64", 5));
    counters.lines.back().position.ptx_line = ptx_line;
  }
  const std::string text = counters_text(counters);

  EXPECT_THAT(text, HasSubstr("no line"));
  EXPECT_EQ(text.find("PTX line 91"), std::string::npos);
}

}  // namespace
}  // namespace parity::reports
