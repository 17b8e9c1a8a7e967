// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/checks/verify.hpp"

#include <limits>

#include <gmock/gmock.h>

#include "golden/files/sha256.hpp"
#include "golden/files/strict_json.hpp"
#include "golden/testing/test_support.hpp"

namespace parity::golden {
namespace {

using test::error_of;
using test::integers;
using test::SmallGolden;
using test::write_golden;
using ::testing::Contains;
using ::testing::HasSubstr;

/// Each finding as "error steps/000: message".
std::vector<std::string> lines(const VerifyReport& report) {
  std::vector<std::string> result;
  for (const Finding& finding : report.findings) {
    result.push_back(fmt::format("{} {}: {}", to_string(finding.severity), finding.path, finding.message));
  }
  return result;
}

class VerifyTest : public ::testing::Test {
 protected:
  std::vector<std::string> findings(const SmallGolden& options) {
    return lines(verify(write_golden(folder_ / "g", options)));
  }
  std::vector<std::string> findings_with(const std::function<void(ActivationWriter&)>& more) {
    SmallGolden options;
    options.more = more;
    return findings(options);
  }

  TemporaryFolder folder_;
};

TEST_F(VerifyTest, AGoodGoldenHasNoFindings) {
  const VerifyReport report = verify(write_golden(folder_ / "g"));

  EXPECT_TRUE(report.ok);
  EXPECT_THAT(lines(report), ::testing::IsEmpty());
  EXPECT_EQ(report.datasets, 16);  // 5 in each step, and the configuration; further names are not read again
}

TEST_F(VerifyTest, NonFiniteElementsAreCounted) {
  Tensor scores(DType::f32, {2, 3});
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values{1, -kInfinity, kInfinity, -kInfinity, std::nan(""), 0};
  for (size_t i = 0; i < values.size(); ++i) store_element(DType::f32, scores.view().data + 4 * i, values[i]);

  const auto found = findings_with([&](ActivationWriter& writer) {
    writer.write("steps/000/scores", scores.view(), {"B,S", "output", "index_block_scores"});
    writer.write("steps/000/narrow", convert(scores.view(), DType::bf16).view(), {"B,S", "output", "linear"});
    writer.write("steps/000/wide", convert(scores.view(), DType::f64).view(), {"B,S", "output", "linear"});
  });

  for (const char* name : {"scores", "narrow", "wide"}) {
    EXPECT_THAT(found, Contains(fmt::format("info steps/000/{}: 1 NaN, 1 +Inf and 2 -Inf among 6 elements", name)));
  }
}

TEST_F(VerifyTest, AxesMustFitTheShapeAndTheStep) {
  const auto found = findings_with([](ActivationWriter& writer) {
    writer.write("steps/001/a", integers({3, 1}).view(), {"B,S", "output", "linear"});
    writer.write("steps/001/b", integers({2, 5}).view(), {"B,K", "output", "linear"});
    writer.write("steps/001/c", integers({2}).view(), {"1", "output", "linear"});
    writer.write("steps/001/d", integers({2}).view(), {"Z", "output", "linear"});
    writer.write("steps/001/e", integers({2, 4, 9}).view(), {"N,2F,AD", "output", "linear"});
  });

  EXPECT_THAT(
      found,
      ::testing::UnorderedElementsAre(
          "error steps/001/a: axis B of the attribute axes 'B,S' has extent 3, expected 2; record the golden again",
          "error steps/001/b: axis K of the attribute axes 'B,K' has extent 5, expected 4; record the golden again",
          "error steps/001/c: axis 1 of the attribute axes '1' has extent 2, expected 1; record the golden again",
          "error steps/001/d: axis 'Z' is not one of the axis letters in docs/golden-format.md; record "
          "the golden again"));
}

TEST_F(VerifyTest, LabelsMustBeThere) {
  const std::filesystem::path golden = write_golden(folder_ / "g");
  test::write_with_libhdf5(golden / "activations.h5", H5F_LIBVER_V110, H5F_LIBVER_V110, [](hid_t file) {
    const auto space = libhdf5::checked(H5Screate(H5S_SCALAR), H5Sclose, "space");
    const auto dataset = libhdf5::checked(
        H5Dcreate2(file, "x", H5T_STD_I64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose, "dataset");
    const int64_t value = 1;
    libhdf5::check(H5Dwrite(dataset.get(), H5T_STD_I64LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value), "write");
  });

  const auto found = lines(verify(golden));

  for (const char* name : {"axes", "dtype", "role", "component"}) {
    EXPECT_THAT(found, Contains(fmt::format("error x: has no attribute {}; record the golden again", name)));
  }
  EXPECT_THAT(found, Contains(HasSubstr("format is '', not 'parity-golden'")));
  EXPECT_THAT(found, Contains(HasSubstr("steps/000/tokens/input_ids is missing")));
}

TEST_F(VerifyTest, TheCacheGrowsByTheTokensOfEachCall) {
  SmallGolden options{.without = {"steps/002/tokens/attention_mask"}};
  options.more = [](ActivationWriter& writer) {
    writer.write("steps/002/tokens/attention_mask", integers({2, 9}).view(), {"B,K", "input", "input"});
  };

  EXPECT_THAT(findings(options), Contains("error steps/002: K (cache slots) is 9, but 4 earlier slots and 2 new tokens "
                                          "make 6; record the golden again"));
}

TEST_F(VerifyTest, StepsHaveNoGaps) {
  const auto found = findings_with([](ActivationWriter& writer) {
    writer.group_attribute("steps/007", "kind", "decode");
    for (const char* name : {"input_ids", "position_ids", "attention_mask"}) {
      writer.write(std::string("steps/007/tokens/") + name, integers({2, 1}).view(), {"B,1", "input", "input"});
    }
  });

  EXPECT_THAT(found,
              Contains("error steps/003: this step is missing, although steps/007 exists; record the golden again"));
}

TEST_F(VerifyTest, TheInputOfALayerIsTheOutputBeforeIt) {
  SmallGolden options{.without = {"steps/000/text/layers/00/in", "steps/000/text/layers/01/in"}};
  options.more = [](ActivationWriter& writer) {
    writer.write("steps/000/text/layers/00/in", convert(integers({2, 3, 4}).view(), DType::bf16).view(),
                 {"B,S,H", "output", "token_embedding"});
    writer.write("steps/000/text/layers/01/in", convert(integers({2, 3, 4}).view(), DType::bf16).view(),
                 {"B,S,H", "output", "residual_add"});
  };

  EXPECT_THAT(findings(options),
              ::testing::UnorderedElementsAre(
                  "warning steps/000/text/layers/00/in: the tensor is stored twice; make this dataset a hard link of "
                  "steps/000/text/embed/out",
                  "error steps/000/text/layers/01/in: the values differ from those of steps/000/text/layers/00/out, "
                  "although both are the input "
                  "of this layer; "
                  "record the golden again"));
}

TEST_F(VerifyTest, TheCheckpointMustBeWhole) {
  const std::filesystem::path golden = write_golden(folder_ / "g");
  std::filesystem::resize_file(golden / "checkpoint/model.safetensors", 100);

  const VerifyReport damaged = verify(golden);
  std::filesystem::remove(golden / "checkpoint/model.safetensors");
  const VerifyReport missing = verify(golden);

  EXPECT_FALSE(damaged.ok);
  EXPECT_THAT(lines(damaged), ::testing::ElementsAre(::testing::StartsWith("error checkpoint: ")));
  EXPECT_THAT(lines(missing), ::testing::ElementsAre(HasSubstr("contains neither model.safetensors nor")));
}

TEST_F(VerifyTest, AMissingGoldenIsAFinding) {
  const VerifyReport report = verify(folder_ / "none");

  EXPECT_FALSE(report.ok);
  EXPECT_THAT(lines(report), ::testing::ElementsAre(HasSubstr("no such golden")));
}

TEST_F(VerifyTest, InfoCountsAndFingerprints) {
  const GoldenInfo found = info(write_golden(folder_ / "g"));

  EXPECT_EQ(found.name, "g");
  EXPECT_EQ(found.datasets, 16);
  EXPECT_EQ(found.aliases, 6);
  EXPECT_EQ(found.datasets_by_dtype, (std::map<std::string, int64_t>{{"bf16", 6}, {"i64", 9}, {"str", 1}}));
  EXPECT_EQ(found.weights, 2);
  EXPECT_EQ(found.weight_bytes, 32 + 12);
  EXPECT_EQ(found.sha256.at("checkpoint/config.json"), sha256_of_file(folder_ / "g/checkpoint/config.json"));
  EXPECT_EQ(found.sha256.size(), 3U);
}

TEST(Sha256, IsThatOfTheStandard) {
  const TemporaryFolder folder;
  test::write_bytes(folder / "abc", "abc");
  test::write_bytes(folder / "empty", "");
  test::write_bytes(folder / "long", std::string(1'000'000, 'a'));

  EXPECT_EQ(sha256_of_file(folder / "abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of_file(folder / "empty"), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_of_file(folder / "long"), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_THAT(error_of([&] { (void)sha256_of_file(folder.path()); }), HasSubstr("not a regular file"));
}

TEST(StrictJson, SaysWhereDocumentsDiffer) {
  const auto difference = [](const char* a, const char* b) { return first_difference(parse_json(a), parse_json(b)); };

  EXPECT_EQ(difference(R"({"a":1.0})", R"({"a":1})"), "");
  EXPECT_EQ(difference(R"({"a":{"b":[1,2]}})", R"({"a":{"b":[1,3]}})"), "/a/b: [1,2] and [1,3]");
  EXPECT_EQ(difference(R"({"a":1})", R"({"b":1})"), "/a: 1 and missing");
  EXPECT_EQ(difference("1", "2"), ": 1 and 2");
}

TEST(EmbeddedGoldens, AreWhole) {
  int found = 0;
  for (const char* root : {"golden/data", "golden/cut", "golden/processors"}) {
    for (const auto& entry : std::filesystem::directory_iterator(root)) {
      if (!std::filesystem::exists(entry.path() / "activations.h5")) continue;
      const VerifyReport report = verify(entry.path());
      EXPECT_TRUE(report.ok) << entry.path() << ": "
                             << (report.findings.empty() ? "" : report.findings.front().message);
      ++found;
    }
  }
  EXPECT_GT(found, 30);
}

}  // namespace
}  // namespace parity::golden
