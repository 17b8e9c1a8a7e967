// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Calls of kernels: their operands and outputs, also at a place whose memory the host may not access.
#include "core/call.hpp"

#include <gtest/gtest.h>

#include "core/testing/closed_place.hpp"

namespace parity {
namespace {

using testing_support::ClosedPlace;

/// out[i] = the sum of x[i] and the first element of every member, computed through scratch memory.
struct Sum {
  struct Inputs {
    TensorView x;
    const WeightBank* terms = nullptr;
  };
  struct Outputs {
    TensorView out;
  };
  struct Params {};
  struct Points {};
  static constexpr ComponentText text{"sum", "out = x + terms", "none"};
  static constexpr auto inputs() {
    return std::tuple(field("x", &Inputs::x, "N,H"), field("terms", &Inputs::terms, "H"));
  }
  static constexpr auto outputs() { return std::tuple(field("out", &Outputs::out, "N,H")); }
  static constexpr auto params() { return std::tuple(); }
  static constexpr auto points() { return std::tuple(); }
};

void sum(const Sum::Inputs& in, const Sum::Params&, const Sum::Outputs& out, Context& context) {
  const auto x = in.x.as<float, 2>(), result = out.out.as<float, 2>();
  auto* total = context.workspace->take_elements<float>(1);
  total[0] = 0.0F;
  for (int64_t i = 0; i < in.terms->size(); ++i) total[0] += *reinterpret_cast<float*>(in.terms->member(i).view().data);
  for (int64_t n = 0; n < x.extent[0]; ++n) {
    for (int64_t h = 0; h < x.extent[1]; ++h) result(n, h) = x(n, h) + total[0];
  }
}

Tensor floats(const Shape& shape, std::vector<float> values) {
  Tensor tensor(DType::f32, shape, "N,H");
  std::copy(values.begin(), values.end(), reinterpret_cast<float*>(tensor.view().data));
  return tensor;
}

class Calls : public ::testing::Test {
 protected:
  Calls() : call_(registry().component("sum")) {
    call_.input("x", floats({2, 2}, {1, 2, 3, 4}));
    call_.bank("terms", {floats({1, 1}, {10}), floats({1, 1}, {20})});
    call_.output("out", {DType::f32, {2, 2}, "N,H"});
  }

  static const Registry& registry() {
    static const Registry instance = [] {
      Registry built;
      built.add<Sum>("host", "f32", &sum);
      return built;
    }();
    return instance;
  }
  static const ErasedKernel& kernel() { return registry().kernel("sum", "host", "f32").run; }
  static std::vector<double> values(const Tensor& tensor) {
    std::vector<double> all;
    for (int64_t i = 0; i < tensor.view().count(); ++i) all.push_back(tensor.view().value(i));
    return all;
  }

  KernelCall call_;
};

TEST_F(Calls, GiveTheKernelEveryOperand) {
  const PlacedCall placed(call_);
  placed.run(kernel());

  EXPECT_EQ(values(placed.output("out")), (std::vector<double>{31, 32, 33, 34}));
  EXPECT_TRUE(placed.copies().empty());
  EXPECT_THROW(call_.input("y", Tensor()), Error) << "a field that the component lacks";
  EXPECT_THROW(call_.output("y", {}), Error);
}

TEST_F(Calls, OfAPlaceThatIsNotTheHostNeverTouchItsMemory) {
  ClosedPlace place;
  const PlacedCall placed(call_, place);
  placed.poison(Poison::nan);
  EXPECT_TRUE(std::isnan(placed.output("out").on_host().view().value(3)));

  placed.run(ClosedPlace::here(kernel()));

  EXPECT_EQ(values(placed.output("out").on_host()), (std::vector<double>{31, 32, 33, 34}));
  EXPECT_EQ(placed.overrun(), std::nullopt);
  EXPECT_EQ(placed.copies().size(), 3U);  // x and two members
}

TEST_F(Calls, OnAClosedPlaceAKernelOfTheHostEndsWithSigsegv) {
  ClosedPlace place;
  const PlacedCall placed(call_, place);

  EXPECT_EXIT(placed.run(kernel()), ::testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(Calls, SayBesideWhichOutputTheKernelWrote) {
  const PlacedCall placed(call_);
  placed.run([](const Arguments&, const ParamMap&, const Arguments& out, Context&) {
    reinterpret_cast<float*>(out.front().tensors.front().data)[4] = 1.0F;
  });

  EXPECT_EQ(placed.overrun(), "out");
  EXPECT_THROW(placed.require_guards(), Error);
}

TEST_F(Calls, CopyInputsWithTheirStridesAndTheBytesBetween) {
  const Tensor wide = floats({2, 4}, {1, 2, -1, -1, 3, 4, -1, -1});
  const Tensor backwards = floats({4, 1}, {4, 3, 2, 1});
  TensorView view = wide.view(), reversed = backwards.view();
  view.shape = {2, 2};
  reversed.shape = {2, 2};
  reversed.strides = {-2, -1};
  reversed.data += 3 * sizeof(float);
  for (const TensorView& x : {view, reversed}) {
    KernelCall call(registry().component("sum"));
    call.input("x", x);
    call.bank("terms", {floats({1, 1}, {0})});
    call.output("out", {DType::f32, {2, 2}, "N,H"});
    ClosedPlace place;
    const PlacedCall placed(call, place, PlacedCall::Inputs::copied);

    placed.run(ClosedPlace::here(kernel()));

    EXPECT_EQ(values(placed.output("out").on_host()), (std::vector<double>{1, 2, 3, 4}));
    EXPECT_EQ(placed.copies().front().view.strides, x.strides);
  }
}

TEST_F(Calls, WriteUnderOtherAxesOrIntoATensorThatIsGiven) {
  const Tensor given(DType::f32, {4}, "NH");
  call_.output("out", {DType::f32, {4}, "NH", "N,H", {{'N', 2}, {'H', 2}}, given});
  const PlacedCall placed(call_);
  placed.run(kernel());

  EXPECT_EQ(values(given), (std::vector<double>{31, 32, 33, 34}));
}

TEST(PoisonBits, AreNoNumberThatAKernelWritesByChance) {
  for (const DType type : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
    for (const Poison poison : {Poison::nan, Poison::first}) {
      const Tensor tensor(type, {3});
      fill_with(poison, tensor);
      EXPECT_TRUE(std::isnan(tensor.view().value(2))) << to_string(type);
    }
    EXPECT_NE(poison_bits(Poison::first, type), poison_bits(Poison::other, type));
  }
  for (const DType type : {DType::u8, DType::e4m3fn, DType::e5m2, DType::boolean})
    EXPECT_NE(poison_bits(Poison::first, type), poison_bits(Poison::other, type)) << to_string(type);
  const Tensor ids(DType::i64, {2});
  fill_with(Poison::nan, ids);
  EXPECT_EQ(ids.i64()[1], std::numeric_limits<int64_t>::min());
}

}  // namespace
}  // namespace parity
