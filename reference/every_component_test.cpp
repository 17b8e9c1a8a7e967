// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Properties of all components of the registry, on small random calls.
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "reference/random_call.hpp"
#include "reference/reference.hpp"

namespace parity::reference {
namespace {

constexpr uint64_t kSeedsOfAll = 60;

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && a.dtype() == b.dtype() &&
         std::memcmp(a.view().data, b.view().data, static_cast<size_t>(a.bytes())) == 0;
}

void expect_same_bits(const std::map<std::string, Tensor>& a, const std::map<std::string, Tensor>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [field, tensor] : a) EXPECT_TRUE(same_bits(tensor, b.at(field))) << "output " << field;
}

class EveryComponent : public ::testing::TestWithParam<std::string> {
 protected:
  template <class Body>
  static void for_each_seed(uint64_t count, const Body& body) {
    for (uint64_t seed = 0; seed < count && !HasFatalFailure(); ++seed) {
      for (const DType working : {DType::bf16, DType::f16, DType::f32}) {
        SCOPED_TRACE(fmt::format("{} seed {} {}", GetParam(), seed, to_string(working)));
        RandomCall random = random_call(GetParam(), seed, working);
        body(random.call, random.table, working);
      }
    }
  }
};

TEST_P(EveryComponent, BoundedValuesAreTheExactOnesBitForBit) {
  for_each_seed(kSeedsOfAll, [](const TestCall& call, const RoundingTable& table, DType working) {
    const auto exact = call.run("rounded", Rounding::exact(working, table));
    const auto bounded = call.run("bounded", Rounding::exact(working, table));

    expect_same_bits(bounded.tensors, exact.tensors);
  });
}

TEST_P(EveryComponent, WritesEveryElementOfEveryOutput) {
  for_each_seed(kSeedsOfAll, [](const TestCall& call, const RoundingTable& table, DType working) {
    const auto first = call.run("bounded", Rounding::exact(working, table));
    const auto second = call.run("bounded", Rounding::exact(working, table), Poison::other);
    expect_same_bits(first.tensors, second.tensors);  // elements that the kernel does not write keep their poison
    expect_same_bits(first.rounding, second.rounding);
    expect_same_bits(first.noise, second.noise);

    const auto oracle = call.run("rounded", Rounding::oracle(working, table));
    expect_same_bits(oracle.tensors, call.run("rounded", Rounding::oracle(working, table), Poison::other).tensors);
  });
}

TEST_P(EveryComponent, GivesTheSameBitsTwice) {
  for_each_seed(kSeedsOfAll, [](const TestCall& call, const RoundingTable& table, DType working) {
    expect_same_bits(call.run("rounded", Rounding::oracle(working, table)).tensors,
                     call.run("rounded", Rounding::oracle(working, table)).tensors);
  });
}

TEST_P(EveryComponent, LeavesItsInputsAlone) {
  for_each_seed(kSeedsOfAll, [](const TestCall& call, const RoundingTable& table, DType working) {
    std::map<std::string, Tensor> before;
    for (const auto& [field, views] : call.views) before[field] = convert(views.front(), views.front().dtype);
    static_cast<void>(call.run("rounded", Rounding::oracle(working, table)));
    static_cast<void>(call.run("bounded", Rounding::exact(working, table)));

    for (const auto& [field, views] : call.views)
      EXPECT_TRUE(same_bits(before.at(field), convert(views.front(), views.front().dtype))) << field;
  });
}

TEST_P(EveryComponent, Binary64CapturesAreExact) {
  for_each_seed(kSeedsOfAll, [](TestCall& call, const RoundingTable& table, DType) {
    if (call.params().count("key_tile") == 1) call.param("key_tile", int64_t{512});  // exact walks take one tile
    expect_same_bits(call.run("rounded", Rounding::oracle(DType::f64, table)).tensors,
                     call.run("rounded", Rounding::exact(DType::f64, table)).tensors);
  });
}

TEST_P(EveryComponent, NamesOfOperandsAndPointsAreDistinct) {
  const Definition& definition = registry().component(GetParam());
  std::map<std::string, int> names;
  for (const FieldInfo& field : definition.inputs) ++names[field.name];
  for (const FieldInfo& field : definition.outputs) ++names["out:" + field.name];

  for (const auto& [name, count] : names) EXPECT_EQ(count, 1) << name;
  EXPECT_FALSE(definition.formula.empty());
  EXPECT_FALSE(definition.source.empty());
}

TEST(Reference, HoldsEveryComponentOfTheListInBothVariants) {
  std::vector<std::string> listed;
#define PARITY_COMPONENT(name) listed.emplace_back(#name);
#include "core/components.def"
#undef PARITY_COMPONENT
  EXPECT_EQ(listed.size(), registry().components().size());
  for (const std::string& name : listed) {
    EXPECT_EQ(registry().component(name).name, name);
    EXPECT_NO_THROW(static_cast<void>(registry().kernel(name, "reference", "rounded")));
    EXPECT_NO_THROW(static_cast<void>(registry().kernel(name, "reference", "bounded")));
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryComponent, ::testing::ValuesIn(registry().components()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace parity::reference
