// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/execution/parameters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/files/safetensors.hpp"
#include "golden/files/temporary_folder.hpp"
#include "replay/testing/golden_copy.hpp"

namespace parity::replay {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Tensor filled(DType dtype, const Shape& shape, double first) {
  Tensor result(dtype, shape);
  for (int64_t i = 0; i < result.view().count(); ++i) {
    store_element(dtype, result.view().data + i * size_of(dtype), first + static_cast<double>(i));
  }
  return result;
}

std::vector<double> values(const Tensor& tensor) { return {tensor.f64(), tensor.f64() + tensor.view().count()}; }

/// Fixture of a plan with a weight of two parts, "gate+up" (2 x 2), and a bank of three experts.
class ParametersOf : public ::testing::Test {
 protected:
  void SetUp() override {
    plan.working = DType::bf16;
    plan.weights["gate+up"] = {{"mlp.gate", "mlp.up"}, {2, 2}, 0};
    plan.weights["experts"] = {{"experts.{}.w1", "experts.{}.w3"}, {2, 1}, 3};
    tensors["mlp.gate"] = filled(DType::f32, {1, 2}, 1);
    tensors["mlp.up"] = filled(DType::f32, {1, 2}, 11);
    for (int e = 0; e < 3; ++e) {
      tensors[fmt::format("experts.{}.w1", e)] = filled(DType::bf16, {1, 1}, 10 * e);
      tensors[fmt::format("experts.{}.w3", e)] = filled(DType::bf16, {1, 1}, 10 * e + 5);
    }
  }
  golden::SafetensorsSource source() const {
    std::vector<std::pair<std::string, TensorView>> list;
    for (const auto& [name, tensor] : tensors) list.emplace_back(name, tensor.view());
    golden::write_safetensors(scratch / "model.safetensors", list);
    return golden::SafetensorsSource::open(scratch.path());
  }
  template <class Body>
  std::string refusal(ErrorCode code, const Body& body) const {
    const auto checkpoint = source();
    try {
      body(Parameters(plan, checkpoint));
      return "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      return error.what();
    }
  }

  golden::TemporaryFolder scratch;
  Plan plan;
  std::map<std::string, Tensor> tensors;
};

TEST_F(ParametersOf, StackGateRowsAboveUpRows) {
  const auto checkpoint = source();
  const Tensor stacked = Parameters(plan, checkpoint).tensor("gate+up");

  EXPECT_EQ(stacked.shape(), (Shape{2, 2}));
  EXPECT_THAT(values(stacked), ElementsAre(1, 2, 11, 12));
}

TEST_F(ParametersOf, HandOutTheMembersOfABank) {
  const auto checkpoint = source();
  const Parameters parameters(plan, checkpoint);
  const auto bank = parameters.bank("experts");

  EXPECT_EQ(bank->size(), 3);
  EXPECT_THAT(values(bank->member(0)), ElementsAre(0, 5));
  EXPECT_THAT(values(bank->member(2)), ElementsAre(20, 25));
}

TEST_F(ParametersOf, RoundToTheWorkingTypeWhileLoading) {
  tensors["mlp.gate"].view().data[0] = std::byte{1};  // 1 + 2^-23

  const auto checkpoint = source();
  EXPECT_EQ(Parameters(plan, checkpoint).tensor("gate+up").f64()[0], 1.0);
  plan.working = DType::f32;
  EXPECT_EQ(Parameters(plan, checkpoint).tensor("gate+up").f64()[0], 1.0 + 0x1p-23);
}

TEST_F(ParametersOf, StayAsPublishedWhereNothingIsToBeRounded) {
  tensors["mlp.gate"].view().data[0] = std::byte{1};  // 1 + 2^-23

  const auto checkpoint = source();
  Parameters parameters(plan, checkpoint);
  EXPECT_TRUE(parameters.rounds("gate+up"));
  parameters.hold_published();
  EXPECT_EQ(parameters.tensor("gate+up").f64()[0], 1.0 + 0x1p-23);
}

TEST_F(ParametersOf, NameTheMissingTensor) {
  tensors.erase("mlp.up");
  tensors.erase("experts.1.w3");

  EXPECT_THAT(refusal(ErrorCode::not_found, [](const Parameters& p) { (void)p.tensor("gate+up"); }),
              HasSubstr("no tensor mlp.up"));
  EXPECT_THAT(refusal(ErrorCode::not_found, [](const Parameters& p) { (void)p.bank("experts")->member(1); }),
              HasSubstr("experts.1.w3"));
}

TEST_F(ParametersOf, NameTheMisshapenTensorWithFoundAndExpected) {
  tensors["mlp.up"] = filled(DType::f32, {2, 1}, 0);

  EXPECT_THAT(refusal(ErrorCode::schema, [](const Parameters& p) { (void)p.tensor("gate+up"); }),
              AllOf(HasSubstr("mlp.up"), HasSubstr("(2, 1)"), HasSubstr("(1, 2)")));
}

TEST_F(ParametersOf, RefuseIntegers) {
  tensors["mlp.gate"] = Tensor(DType::i64, {1, 2});

  EXPECT_THAT(refusal(ErrorCode::schema, [](const Parameters& p) { (void)p.tensor("gate+up"); }),
              AllOf(HasSubstr("mlp.gate"), HasSubstr("i64")));
}

TEST_F(ParametersOf, CompareShapesBeforeTheyTakeMemory) {
  plan.weights["gate+up"].shape = {int64_t{1} << 32, int64_t{1} << 20};  // 32 PiB in binary64

  EXPECT_THAT(refusal(ErrorCode::schema, [](const Parameters& p) { (void)p.tensor("gate+up"); }),
              AllOf(HasSubstr("mlp.gate"), HasSubstr("(1, 2)"), HasSubstr("(2147483648, 1048576)")));
}

TEST_F(ParametersOf, ListWhatIsMissingAndWhatNothingReads) {
  tensors.erase("experts.1.w3");
  tensors["vision.proj"] = filled(DType::f32, {1}, 0);

  const auto checkpoint = source();
  const Parameters parameters(plan, checkpoint);

  EXPECT_THAT(parameters.missing(), ElementsAre("experts.1.w3"));
  EXPECT_THAT(parameters.unread(), ElementsAre("vision.proj"));
}

TEST_F(ParametersOf, ListNothingWhenNamesMatch) {
  const auto checkpoint = source();
  const Parameters parameters(plan, checkpoint);

  EXPECT_THAT(parameters.missing(), IsEmpty());
  EXPECT_THAT(parameters.unread(), IsEmpty());
}

}  // namespace
}  // namespace parity::replay
