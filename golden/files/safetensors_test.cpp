// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/files/safetensors.hpp"

#include <random>

#include <gmock/gmock.h>

#include "golden/testing/test_support.hpp"

namespace parity::golden {
namespace {

using test::error_of;
using test::random_bits;
using test::same_bits;
using test::write_bytes;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string with_header(const std::string& json, size_t data_bytes) {
  const uint64_t length = json.size();
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof length);
  return bytes + json + std::string(data_bytes, '\1');
}

class SafetensorsTest : public ::testing::Test {
 protected:
  std::string refusal(const std::string& bytes) {
    write_bytes(folder_ / "x.safetensors", bytes);
    return error_of([&] { (void)SafetensorsSource::open(folder_ / "x.safetensors"); });
  }
  std::string refused_entry(const std::string& entry) { return refusal(with_header(R"({"w":)" + entry + "}", 16)); }

  TemporaryFolder folder_;
};

TEST_F(SafetensorsTest, EveryDtypeComesBackBitForBit) {
  const std::vector<DType> dtypes{DType::f64,  DType::f32, DType::f16, DType::bf16, DType::e4m3fn,
                                  DType::e5m2, DType::i64, DType::i32, DType::u8,   DType::boolean};
  std::vector<std::pair<std::string, TensorView>> tensors;
  std::vector<Tensor> owners;
  for (const DType dtype : dtypes) owners.push_back(random_bits(dtype, {3, 5}, 1));
  for (size_t i = 0; i < dtypes.size(); ++i) tensors.emplace_back(to_string(dtypes[i]), owners[i].view());
  const Tensor scalar = random_bits(DType::f32, {}, 2);
  const Tensor none = random_bits(DType::f32, {0, 4}, 2);
  tensors.emplace_back("scalar", scalar.view());
  tensors.emplace_back("none", none.view());

  write_safetensors(folder_ / "model.safetensors", tensors);
  const auto source = SafetensorsSource::open(folder_.path());

  EXPECT_EQ(source.names().size(), tensors.size());
  for (const auto& [name, view] : tensors) EXPECT_TRUE(same_bits(source.tensor(name), view)) << name;
}

TEST_F(SafetensorsTest, DataMayStartAtAnyByte) {
  write_bytes(
      folder_ / "x.safetensors",
      with_header(
          R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"F64","shape":[1],"data_offsets":[1,9]}})",
          9));

  const auto source = SafetensorsSource::open(folder_ / "x.safetensors");

  EXPECT_EQ(source.tensor("b").value(0), load_element(DType::f64, std::vector<std::byte>(8, std::byte{1}).data()));
}

TEST_F(SafetensorsTest, LengthsAreCheckedBeforeTheyAreUsed) {
  const auto length = [](uint64_t value) { return std::string(reinterpret_cast<const char*>(&value), 8); };

  EXPECT_THAT(refusal(""), HasSubstr("0 bytes are too few"));
  EXPECT_THAT(refusal("abc"), HasSubstr("3 bytes are too few"));
  EXPECT_THAT(refusal(length(0) + "{}"), HasSubstr("header has 0 bytes"));
  EXPECT_THAT(refusal(length(3) + "{}"), HasSubstr("claims 3 bytes"));
  EXPECT_THAT(refusal(length(100'000'001) + "{}"), HasSubstr("claims 100000001 bytes"));
  EXPECT_THAT(refusal(length(~uint64_t{0}) + "{}"), HasSubstr("claims 18446744073709551615 bytes"));
}

TEST_F(SafetensorsTest, HeadersAreCheckedBeforeTheyAreUsed) {
  EXPECT_THAT(refusal(with_header("[]", 0)), HasSubstr("not a JSON object"));
  EXPECT_THAT(refusal(with_header("{\"w\":", 0)), HasSubstr("not JSON"));
  EXPECT_THAT(refusal(with_header("{\"w\":NaN}", 0)), HasSubstr("NaN"));
  EXPECT_THAT(refusal(with_header(std::string(100000, '['), 0)), HasSubstr("nested more than 64 levels deep"));
  EXPECT_THAT(refusal(with_header(R"({"w":1,"w":1})", 0)), HasSubstr("key 'w' twice"));
  EXPECT_THAT(refused_entry("{}"), HasSubstr("tensor w: the entry lacks"));
  EXPECT_THAT(refused_entry(R"({"dtype":"F7","shape":[4],"data_offsets":[0,16]})"),
              HasSubstr("dtype 'F7' is not supported"));
  EXPECT_THAT(refused_entry(R"({"dtype":"f32","shape":[4],"data_offsets":[0,16]})"),
              HasSubstr("dtype 'f32' is not supported"));
  EXPECT_THAT(refused_entry(R"({"dtype":"F32","shape":[3],"data_offsets":[0,16]})"),
              HasSubstr("f32 of shape (3) does not fit into its 16 stored bytes"));
  EXPECT_THAT(refused_entry(R"({"dtype":"F32","shape":[-4],"data_offsets":[0,16]})"), HasSubstr("an extent is -4"));
  EXPECT_THAT(refused_entry(R"({"dtype":"F32","shape":[4.0],"data_offsets":[0,16]})"), HasSubstr("an extent is 4.0"));
  EXPECT_THAT(refused_entry(R"({"dtype":"F32","shape":[4],"data_offsets":[0,17]})"),
              HasSubstr("outside of the 16 data bytes"));
  EXPECT_THAT(refused_entry(R"({"dtype":"F32","shape":[4],"data_offsets":[16,0]})"),
              HasSubstr("outside of the 16 data bytes"));
  EXPECT_THAT(refused_entry(R"({"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,16]})"),
              HasSubstr("2^62"));
  EXPECT_THAT(refused_entry(R"({"dtype":"F64","shape":[4611686018427387904],"data_offsets":[0,0]})"),
              HasSubstr("does not fit into its"));
}

TEST_F(SafetensorsTest, OverlappingTensorsAreRefused) {
  EXPECT_THAT(
      refusal(with_header(
          R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[3,7]}})",
          8)),
      HasSubstr("tensors a and b share bytes"));
}

TEST_F(SafetensorsTest, RandomDamageEndsInAnErrorOrInTensorsSeed2) {
  const Tensor w = random_bits(DType::bf16, {7, 9}, 3);
  write_safetensors(folder_ / "x.safetensors", {{"a.weight", w.view()}, {"b.weight", w.view()}});
  const std::string bytes = test::bytes_of(folder_ / "x.safetensors");
  std::mt19937_64 random(2);
  for (int i = 0; i < 500; ++i) {
    std::string damaged = bytes;
    const size_t at = random() % 220;  // a position in the header
    damaged[at] = static_cast<char>(i % 2 == 0 ? damaged[at] ^ (1 << random() % 8) : static_cast<int>(random()));
    if (i % 5 == 0) damaged.resize(random() % bytes.size());
    write_bytes(folder_ / "d.safetensors", damaged);
    test::reset_largest_allocation();
    try {
      const auto source = SafetensorsSource::open(folder_ / "d.safetensors");
      for (const std::string& name : source.names()) (void)widen(source.tensor(name));
    } catch (const Error&) {}
    EXPECT_LT(test::largest_allocation(), 1U << 20);
  }
}

TEST_F(SafetensorsTest, AMissingTensorIsAnsweredWithTheNearest) {
  const Tensor w = random_bits(DType::f32, {2}, 4);
  write_safetensors(folder_ / "x.safetensors", {{"model.norm.weight", w.view()}, {"lm_head.weight", w.view()}});
  const auto source = SafetensorsSource::open(folder_ / "x.safetensors");

  EXPECT_FALSE(source.contains("model.norm.weigth"));
  EXPECT_THAT(error_of([&] { (void)source.tensor("model.norm.weigth"); }),
              HasSubstr("no tensor model.norm.weigth among its 2 tensors (did you mean 'model.norm.weight'?"));
}

TEST_F(SafetensorsTest, ShardsAreOneSource) {
  const Tensor a = random_bits(DType::f32, {2}, 5);
  const Tensor b = random_bits(DType::bf16, {3}, 6);
  write_safetensors(folder_ / "model-1.safetensors", {{"a", a.view()}});
  write_safetensors(folder_ / "model-2.safetensors", {{"b", b.view()}, {"unused", a.view()}});
  write_bytes(folder_ / "model.safetensors.index.json",
              R"({"metadata":{},"weight_map":{"a":"model-1.safetensors","b":"model-2.safetensors"}})");

  const auto source = SafetensorsSource::open(folder_.path());

  EXPECT_THAT(source.names(), ElementsAre("a", "b"));
  EXPECT_TRUE(same_bits(source.tensor("a"), a.view()));
  EXPECT_TRUE(same_bits(source.tensor("b"), b.view()));
  EXPECT_EQ(source.files().size(), 2U);
  EXPECT_EQ(source.bytes(), 8 + 6);
}

TEST_F(SafetensorsTest, AnIndexMayNotPointElsewhereOrToWhatIsMissing) {
  const Tensor a = random_bits(DType::f32, {2}, 5);
  write_safetensors(folder_ / "s.safetensors", {{"a", a.view()}});
  const auto refused = [&](const std::string& map) {
    write_bytes(folder_ / "model.safetensors.index.json", map);
    return error_of([&] { (void)SafetensorsSource::open(folder_.path()); });
  };

  EXPECT_THAT(refused("{}"), HasSubstr("no object 'weight_map'"));
  EXPECT_THAT(refused(R"({"weight_map":{"a":"../s.safetensors"}})"),
              HasSubstr("expected a file name in the same folder"));
  EXPECT_THAT(refused(R"({"weight_map":{"a":"/etc/passwd"}})"), HasSubstr("expected a file name in the same folder"));
  EXPECT_THAT(refused(R"({"weight_map":{"a":".."}})"), HasSubstr("expected a file name in the same folder"));
  EXPECT_THAT(refused(R"({"weight_map":{"b":"s.safetensors"}})"),
              HasSubstr("tensor b is not in its shard s.safetensors"));
  EXPECT_THAT(refused(R"({"weight_map":{"b":"t.safetensors"}})"),
              AllOf(HasSubstr("t.safetensors"), HasSubstr("No such file")));
}

TEST_F(SafetensorsTest, AFolderWithoutACheckpointIsNamed) {
  EXPECT_THAT(error_of([&] { (void)SafetensorsSource::open(folder_.path()); }),
              HasSubstr("contains neither model.safetensors nor"));
  EXPECT_THAT(error_of([&] { (void)SafetensorsSource::open(folder_ / "x"); }), HasSubstr("No such file"));
}

}  // namespace
}  // namespace parity::golden
