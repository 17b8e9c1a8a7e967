// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/files/activation_file.hpp"

#include <chrono>
#include <thread>

#include <gmock/gmock.h>

#include "golden/testing/test_support.hpp"

namespace parity::golden {
namespace {

using test::error_of;
using test::integers;
using test::random_bits;
using test::same_bits;
using ::testing::HasSubstr;

class ActivationFileTest : public ::testing::Test {
 protected:
  ActivationFile written(const std::function<void(ActivationWriter&)>& body) {
    ActivationWriter writer = ActivationWriter::create(folder_ / "a.h5", test::root_attributes());
    body(writer);
    writer.commit();
    return ActivationFile::open(folder_ / "a.h5");
  }

  TemporaryFolder folder_;
};

TEST_F(ActivationFileTest, EveryDtypeComesBackBitForBitContiguousAndInChunks) {
  const std::vector<DType> dtypes{DType::bf16, DType::f16, DType::f32, DType::f64,
                                  DType::i64,  DType::i32, DType::u8,  DType::boolean};
  const std::vector<Shape> shapes{{}, {1}, {3, 5}, {2, 0, 4}, {7, 33, 65}};
  const auto name = [](DType dtype, size_t i) { return fmt::format("t/{}/{}", to_string(dtype), i); };
  const auto axes = [](const Shape& shape) {
    return std::string("B,S,H").substr(0, shape.empty() ? 0 : shape.size() * 2 - 1);
  };

  const ActivationFile file = written([&](ActivationWriter& writer) {
    for (const DType dtype : dtypes) {
      for (size_t i = 0; i < shapes.size(); ++i) {
        writer.write(name(dtype, i), random_bits(dtype, shapes[i], i).view(), {axes(shapes[i]), "output", "linear"});
      }
    }
  });

  for (const DType dtype : dtypes) {
    for (size_t i = 0; i < shapes.size(); ++i) {
      const Tensor tensor = file.read(name(dtype, i));
      EXPECT_TRUE(same_bits(tensor.view(), random_bits(dtype, shapes[i], i).view())) << name(dtype, i);
      EXPECT_EQ(tensor.view().axes, axes(shapes[i]));
    }
  }
}

TEST_F(ActivationFileTest, EveryBf16PatternSurvives) {
  Tensor all(DType::bf16, {256, 256});
  for (int i = 0; i < 65536; ++i) {
    all.view().data[2 * i] = std::byte(i & 0xFF);
    all.view().data[2 * i + 1] = std::byte(i >> 8);
  }

  const ActivationFile file = written([&](ActivationWriter& writer) {
    writer.write("x", all.view(), {"B,S", "output", "linear"});
  });

  EXPECT_TRUE(same_bits(file.read("x").view(), all.view()));
}

TEST_F(ActivationFileTest, ListsNamesInOrderWithTheirLabels) {
  const ActivationFile file = written([&](ActivationWriter& writer) {
    writer.write("steps/000/b", integers({2, 3}).view(), {"B,S", "input", "input"});
    writer.write("steps/000/a", Tensor(DType::boolean, {2}).view(), {"N", "state", "cache_append"});
    writer.dataset_attribute("steps/000/a", "hf_name", "model.x");
    writer.write_text("config", "{}");
  });

  ASSERT_EQ(file.datasets().size(), 3U);
  EXPECT_TRUE(file.at("config").text);
  const DatasetInfo& a = file.datasets()[1];
  EXPECT_EQ(a.path, "steps/000/a");
  EXPECT_EQ(a.dtype, DType::boolean);
  EXPECT_EQ(a.shape, (Shape{2}));
  EXPECT_EQ(a.axes, "N");
  EXPECT_EQ(a.role, "state");
  EXPECT_EQ(a.component, "cache_append");
  EXPECT_EQ(a.attributes.at("hf_name"), "model.x");
  EXPECT_EQ(file.find("/steps/000/b"), &file.datasets()[2]);
  EXPECT_EQ(file.find("steps/000"), nullptr);
}

TEST_F(ActivationFileTest, AttributesOfTheFileAndOfGroupsAreText) {
  const ActivationFile file = written([&](ActivationWriter& writer) {
    writer.group_attribute("steps/000", "kind", "prefill");
    writer.group_attribute("steps/000", "independent", int64_t{1});
    writer.group_attribute("steps/000", "factor", 0.1);
    for (int i = 0; i < 30; ++i)
      writer.group_attribute("many", fmt::format("a{}", i), std::string(static_cast<size_t>(i), 'x'));
  });

  EXPECT_EQ(file.attributes().at("format"), "parity-golden");
  EXPECT_EQ(file.attributes().at("seed"), "7");
  EXPECT_EQ(file.group_attributes("steps/000"),
            (Attributes{{"kind", "prefill"}, {"independent", "1"}, {"factor", "0.1"}}));
  EXPECT_EQ(file.group_attributes("many").at("a29"), std::string(29, 'x'));
  EXPECT_TRUE(file.group_attributes("nowhere").empty());
}

TEST_F(ActivationFileTest, TheInputOfALayerIsTheAlias) {
  const ActivationFile file = written([&](ActivationWriter& writer) {
    writer.write("text/layers/00/in", integers({2}).view(), {"N", "output", "residual_add"});
    writer.link("text/layers/00/zz_out", "text/layers/00/in");
    writer.link("text/layers/00/zz_too", "text/layers/00/in");
  });

  EXPECT_EQ(file.at("text/layers/00/in").alias_of, "text/layers/00/zz_out");
  EXPECT_EQ(file.at("text/layers/00/zz_out").alias_of, "");
  EXPECT_EQ(file.at("text/layers/00/zz_too").alias_of, "text/layers/00/zz_out");
  EXPECT_TRUE(same_bits(file.read("text/layers/00/in").view(), integers({2}).view()));
}

TEST_F(ActivationFileTest, RowsAndBlocksAreTheSameElements) {
  const Tensor whole =
      random_bits(DType::f32, {37, 11, 130}, 5);  // 7 chunks, whose borders are not those of the blocks
  const ActivationFile file = written([&](ActivationWriter& writer) {
    writer.write("x", whole.view(), {"B,S,H", "output", "linear"});
  });
  Tensor blocks(DType::f32, whole.shape());

  const Tensor rows = file.read_rows("x", 5, 20);
  int64_t seen = 0;
  file.for_each_block("x", 600, [&](const TensorView& block) {
    std::copy_n(block.data, block.count() * 4, blocks.view().data + seen);
    seen += block.count() * 4;
    EXPECT_LE(block.count() * 4, 600);
  });

  EXPECT_EQ(rows.shape(), (Shape{20, 11, 130}));
  EXPECT_TRUE(std::equal(rows.view().data, rows.view().data + rows.bytes(), whole.view().data + 5 * 11 * 130 * 4));
  EXPECT_TRUE(same_bits(blocks.view(), whole.view()));
  EXPECT_THAT(error_of([&] { (void)file.read_rows("x", 30, 8); }),
              HasSubstr("from row 30 on, 8 rows are outside of dataset x of shape (37, 11, 130)"));
}

TEST_F(ActivationFileTest, AnUnknownNameIsAnsweredWithTheNearest) {
  const ActivationFile file = written([](ActivationWriter& writer) {
    writer.write("steps/000/text/embed/out", integers({2}).view(), {"N", "output", "token_embedding"});
  });

  EXPECT_THAT(
      error_of([&] { (void)file.read("steps/000/text/embed/ou"); }),
      HasSubstr("no dataset steps/000/text/embed/ou among its 1 datasets (did you mean 'steps/000/text/embed/out'?"));
}

TEST_F(ActivationFileTest, TextAndNumbersAreNotConfused) {
  const ActivationFile file = written([](ActivationWriter& writer) {
    writer.write_text("config", "{\"ä\": 1}");
    writer.write_text("nothing", "");
    writer.write("x", integers({2}).view(), {"N", "output", "linear"});
  });

  EXPECT_EQ(file.read_text("config"), "{\"ä\": 1}");
  EXPECT_EQ(file.read_text("nothing"), "");
  EXPECT_THAT(error_of([&] { (void)file.read_text("x"); }), HasSubstr("holds numbers, not text"));
  EXPECT_THAT(error_of([&] { (void)file.read("config"); }), HasSubstr("holds text, not numbers"));
}

TEST_F(ActivationFileTest, ThreadsReadAtTheSameTime) {
  const Tensor whole = random_bits(DType::f64, {40, 1000}, 6);
  const ActivationFile file = written([&](ActivationWriter& writer) {
    writer.write("x", whole.view(), {"B,S", "output", "linear"});
  });
  std::vector<int> equal(4, 0);

  std::vector<std::thread> threads;
  for (size_t i = 0; i < equal.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int repeat = 0; repeat < 20; ++repeat) equal[i] += same_bits(file.read("x").view(), whole.view()) ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(equal, std::vector<int>(4, 20));
}

TEST_F(ActivationFileTest, TwoThousandDatasetsAreListedInLessThanHalfASecond) {
  const ActivationFile first = written([](ActivationWriter& writer) {
    for (int i = 0; i < 2000; ++i) {
      writer.write(fmt::format("steps/000/text/layers/{:02}/tap{:03}", i % 60, i), integers({1}).view(),
                   {"N", "output", "linear"});
    }
  });

  const auto start = std::chrono::steady_clock::now();
  const ActivationFile file = ActivationFile::open(folder_ / "a.h5");
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;

  EXPECT_EQ(file.datasets().size(), 2000U);
  EXPECT_LT(seconds.count(), 0.5);
}

}  // namespace
}  // namespace parity::golden
