// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The registry: definitions from a component's field lists, and the operands of a kernel that is run by name.
#include "core/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/testing/refusal.hpp"

namespace parity {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Toy {
  static constexpr ComponentText text{"toy", "out = a", "Toy.forward"};
  struct Params {
    bool flag = true;
    int64_t count = 3;
    double gain = 0.5;
  };
  struct Inputs {
    TensorView a;
    TensorView b;
    std::vector<TensorView> list;
    const WeightBank* bank{};
  };
  struct Outputs {
    TensorView out;
    TensorView extra;
  };
  struct Points {
    Round inner, out;
  };
  static constexpr auto params() {
    return std::tuple{param("flag", &Params::flag), param("count", &Params::count, extent('T')),
                      param("gain", &Params::gain, among(0.5, 2.0))};
  }
  static constexpr auto inputs() {
    return std::tuple{field("a", &Inputs::a, "N,H"), field("b", &Inputs::b, "H", Presence::optional),
                      field("list", &Inputs::list, "N"), field("bank", &Inputs::bank, "F,H")};
  }
  static constexpr auto outputs() {
    return std::tuple{field("out", &Outputs::out, "N,H"),
                      field("extra", &Outputs::extra, "N,T", Presence::optional, Judge::expert_set)};
  }
  static constexpr auto points() {
    return std::tuple{point("inner", &Points::inner, Precision::single),
                      point("out", &Points::out, Precision::working)};
  }
  static double flops(const AxisSizes& sizes, const ParamMap&) { return 2.0 * elements(sizes, "NHH"); }
};

struct Other {
  static constexpr ComponentText text{"router", "", ""};
  struct Params {};
  struct Inputs {};
  struct Outputs {};
  struct Points {};
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() { return std::tuple{}; }
  static constexpr auto outputs() { return std::tuple{}; }
  static constexpr auto points() { return std::tuple{}; }
};

struct EmptyBank final : WeightBank {
  [[nodiscard]] int64_t size() const override { return 0; }
  [[nodiscard]] Tensor member(int64_t) const override { return {}; }
};

/// The operands of the last call of `record`.
struct Received {
  Toy::Inputs inputs;
  Toy::Params params;
  Toy::Outputs outputs;
  int calls = 0;
};
Received received;  // global, because a kernel is a plain function

void record(const Toy::Inputs& inputs, const Toy::Params& params, const Toy::Outputs& outputs, Context&) {
  received = {inputs, params, outputs, received.calls + 1};
}
void refuse(const Toy::Inputs&, const Toy::Params&, const Toy::Outputs&, Context&) {
  throw Error(ErrorCode::device, "refused");
}
void nothing(const Other::Inputs&, const Other::Params&, const Other::Outputs&, Context&) {}

class RegistryOfToys : public ::testing::Test {
 protected:
  RegistryOfToys() {
    received = {};
    registry.add<Toy>("reference", "rounded", &record);
    inputs[0].tensors = {first.view()};
    inputs[2].tensors = {first.view(), second.view()};
    inputs[3].bank = &bank;
    outputs[0].tensors = {second.view()};
  }
  void run(const ParamMap& params = {}) {
    Context context;
    registry.kernel("toy", "reference", "rounded").run(inputs, params, outputs, context);
  }
  const Tensor first{DType::f64, {2, 3}, "N,H"};
  const Tensor second{DType::f64, {2, 3}, "N,H"};
  const EmptyBank bank;
  Registry registry;
  Arguments inputs{4};
  Arguments outputs{2};
};

TEST_F(RegistryOfToys, DescribesTheComponentFromItsFieldLists) {
  const Definition& toy = registry.component("toy");

  EXPECT_EQ(toy.formula, "out = a");
  EXPECT_EQ(toy.source, "Toy.forward");
  EXPECT_EQ(toy.inputs.size(), 4U);
  EXPECT_EQ(toy.inputs[1].name, "b");
  EXPECT_TRUE(toy.inputs[1].optional);
  EXPECT_FALSE(toy.inputs[0].optional);
  EXPECT_EQ(toy.inputs[0].axes, "N,H");
  EXPECT_EQ(toy.outputs[1].judge, Judge::expert_set);
  EXPECT_EQ(toy.outputs[0].judge, Judge::value);
  EXPECT_EQ(toy.defaults, (ParamMap{{"flag", true}, {"count", int64_t{3}}, {"gain", 0.5}}));
  EXPECT_EQ(toy.extents, (std::map<std::string, char>{{"count", 'T'}}));
  EXPECT_EQ(toy.among, (std::map<std::string, std::vector<ParamValue>>{{"gain", {0.5, 2.0}}}));
  EXPECT_EQ(toy.flops({{'N', 3}, {'H', 5}}, {}), 150.0);
  EXPECT_EQ(toy.points, (std::map<std::string, Precision>{{"inner", Precision::single}, {"out", Precision::working}}));
}

TEST_F(RegistryOfToys, FindsOperandsByName) {
  EXPECT_EQ(registry.component("toy").input_index("list"), 2);
  EXPECT_EQ(registry.component("toy").output_index("extra"), 1);
  EXPECT_THAT(refusal_of(ErrorCode::internal, [&] { return registry.component("toy").input_index("c"); }),
              HasSubstr("component toy has no operand 'c'"));
}

TEST_F(RegistryOfToys, NamesTheNearestComponentWhenThereIsNone) {
  registry.add<Other>("reference", "rounded", &nothing);

  EXPECT_THAT(registry.components(), ElementsAre("router", "toy"));
  EXPECT_THAT(refusal_of(ErrorCode::not_found, [&] { return registry.component("ruoter"); }),
              HasSubstr("did you mean 'router'?"));
  EXPECT_THAT(refusal_of(ErrorCode::not_found, [&] { return registry.component("attention"); }),
              ::testing::Not(HasSubstr("did you mean")));
}

TEST_F(RegistryOfToys, RefusesTheSameKernelTwice) {
  EXPECT_THAT(refusal_of(ErrorCode::internal, [&] { registry.add<Toy>("reference", "rounded", &refuse); }),
              HasSubstr("kernel toy reference:rounded is registered twice"));
  EXPECT_EQ(registry.kernels().size(), 1U);
}

TEST_F(RegistryOfToys, TellsKernelsApartByBackendAndVariant) {
  registry.add<Toy>("reference", "bounded", &refuse);
  registry.add<Toy>("optimized/cpu", "rounded", &refuse);
  Context context;

  run();
  EXPECT_EQ(received.calls, 1);
  EXPECT_THAT(refusal_of(ErrorCode::device,
                         [&] { registry.kernel("toy", "optimized/cpu", "rounded").run(inputs, {}, outputs, context); }),
              "refused");
  EXPECT_THAT(refusal_of(ErrorCode::not_found, [&] { return registry.kernel("toy", "torch", "rounded"); }),
              HasSubstr("component toy has no kernel torch:rounded"));
}

TEST_F(RegistryOfToys, OperandsReachTheirFields) {
  run();

  EXPECT_EQ(received.inputs.a.data, first.view().data);
  EXPECT_EQ(received.inputs.list.size(), 2U);
  EXPECT_EQ(received.inputs.list[1].data, second.view().data);
  EXPECT_EQ(received.inputs.bank, &bank);
  EXPECT_EQ(received.outputs.out.data, second.view().data);
}

TEST_F(RegistryOfToys, AbsentOptionalOperandsAreEmpty) {
  run();

  EXPECT_TRUE(received.inputs.b.empty());
  EXPECT_TRUE(received.outputs.extra.empty());
}

TEST_F(RegistryOfToys, PresentOptionalOperandsArrive) {
  inputs[1].tensors = {second.view()};

  run();

  EXPECT_EQ(received.inputs.b.data, second.view().data);
}

TEST_F(RegistryOfToys, MissingRequiredOperandsAreRefused) {
  inputs[0].tensors.clear();
  EXPECT_THAT(refusal_of(ErrorCode::internal, [&] { run(); }), "operand 'a' is missing");

  inputs[0].tensors = {first.view()};
  inputs[3].bank = nullptr;
  EXPECT_THAT(refusal_of(ErrorCode::internal, [&] { run(); }), "bank 'bank' is missing");

  inputs[3].bank = &bank;
  outputs[0].tensors.clear();
  EXPECT_THAT(refusal_of(ErrorCode::internal, [&] { run(); }), "operand 'out' is missing");
  EXPECT_EQ(received.calls, 0);
}

TEST_F(RegistryOfToys, AnotherNumberOfOperandsIsRefused) {
  inputs.pop_back();

  EXPECT_THAT(refusal_of(ErrorCode::internal, [&] { run(); }), "3 operands given, 4 declared");
}

TEST_F(RegistryOfToys, ParamsKeepTheirDefaultsUnlessGiven) {
  run({{"count", int64_t{7}}});

  EXPECT_EQ(received.params.count, 7);
  EXPECT_EQ(received.params.gain, 0.5);
  EXPECT_TRUE(received.params.flag);
}

TEST_F(RegistryOfToys, ParamsAreConvertedToTheTypeOfTheField) {
  run({{"flag", false}, {"gain", int64_t{2}}});

  EXPECT_FALSE(received.params.flag);
  EXPECT_EQ(received.params.gain, 2.0);
}

}  // namespace
}  // namespace parity
