// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What components declare about dividing a call (Traits) is true: along a parallel letter, a slice of the operands
// gives the bits of that slice of the outputs; along a summed letter, the outputs of the slices add up to the whole.
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "core/sharding/box.hpp"
#include "reference/random_call.hpp"
#include "reference/reference.hpp"

namespace parity::reference {
namespace {

constexpr uint64_t kSeeds = 40;

/// One half of the indices along some letters: the first, or the second.
struct Half {
  std::string letters;
  bool second;

  [[nodiscard]] Range of(int64_t extent) const {
    return second ? Range{extent / 2, extent - extent / 2} : Range{0, extent / 2};
  }
};

/// The half of a field's tensor; all of it if its axes have none of the letters.
struct Slice {
  Box box;
  Shape shape;
  bool divided = false;

  Slice(const FieldInfo& field, const Shape& whole, const Half& half) {
    const auto tokens = split_axes(field.axes);
    size_t axis = 0;
    for (const std::string& token : tokens) {
      const bool named = half.letters.find(token.back()) != std::string::npos;
      const size_t axes = token == "*" ? whole.size() + 1 - tokens.size() : 1;
      const int64_t times = token.size() == 2 && token.front() <= '9' ? token.front() - '0' : 1;
      for (size_t i = 0; i < axes; ++i, ++axis) add(whole[axis], times, named && i == 0, half);
    }
  }
  [[nodiscard]] Tensor read(const TensorView& view) const {
    const Tensor whole = convert(view, view.dtype);
    return read_box(whole.view(), box, shape, "");
  }

 private:
  void add(int64_t extent, int64_t times, bool named, const Half& half) {
    const Range range = named ? half.of(extent / times) : Range{0, extent / times};
    box.extents.insert(box.extents.end(), {times, extent / times});
    box.first.insert(box.first.end(), {0, range.first});
    box.count.insert(box.count.end(), {times, range.count});
    shape.push_back(times * range.count);
    divided = divided || named;
  }
};

/// The call on one half of every operand.
TestCall divided(const TestCall& whole, const Half& half) {
  TestCall call = whole;
  const Definition& definition = whole.definition();
  for (const FieldInfo& field : definition.inputs) {
    const auto views = whole.views.find(field.name);
    if (views != whole.views.end() && !views->second.empty()) {
      call.forget(field.name);
      for (const TensorView& view : views->second) call.operand(field.name, Slice(field, view.shape, half).read(view));
    } else if (field.name == "gate_up" || field.name == "down") {
      std::vector<Tensor> members;
      for (const Tensor& member : whole.bank_of(field.name).members_)
        members.push_back(Slice(field, member.shape(), half).read(member.view()));
      call.bank(field.name, members);
    }
  }
  for (const FieldInfo& field : definition.outputs) {
    const auto output = whole.outputs().find(field.name);
    if (output != whole.outputs().end()) call.out(field.name, Slice(field, output->second, half).shape);
  }
  return call;
}

/// Whether both halves along the letters have indices, in equal numbers for heads, and all operands agree on extents.
bool divisible(const TestCall& call, const std::string& letters) {
  for (const FieldInfo& field : call.definition().inputs) {
    const auto views = call.views.find(field.name);
    if (views == call.views.end()) continue;
    const auto tokens = split_axes(field.axes);
    for (const TensorView& view : views->second) {
      const size_t leading = view.shape.size() - tokens.size();
      for (size_t i = 0; i < tokens.size(); ++i) {
        if (letters.find(tokens[i].back()) == std::string::npos) continue;
        const int64_t extent = view.shape[tokens[i] == "*" ? 0 : i + leading];
        if (extent < 2 || (letters.size() > 1 && extent % 2 != 0) || (tokens[i] == "2F" && extent < 4)) return false;
      }
    }
  }
  return true;
}

class EveryDivision : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryDivision, OfAParallelLetterGivesTheSameBits) {
  const Traits& traits = registry().component(GetParam()).traits;
  std::vector<std::string> divisions;
  for (const char letter : std::string(traits.parallel)) divisions.emplace_back(1, letter);
  if (*traits.heads != '\0') divisions.emplace_back(traits.heads);
  for (const std::string& letters : divisions) {
    int compared = 0;
    for (uint64_t seed = 0; seed < kSeeds && compared < 3; ++seed) {
      const RandomCall random = random_call(GetParam(), seed, DType::bf16);
      if (!divisible(random.call, letters)) continue;
      const TestOutputs whole = random.call.run("rounded", Rounding::oracle(DType::bf16, random.table));
      for (const bool second : {false, true}) {
        const Half half{letters, second};
        const TestOutputs part = divided(random.call, half).run("rounded", Rounding::oracle(DType::bf16, random.table));
        for (const FieldInfo& field : random.call.definition().outputs) {
          const auto output = whole.tensors.find(field.name);
          if (output == whole.tensors.end()) continue;
          const Slice slice(field, output->second.shape(), half);
          if (!slice.divided) continue;
          const Tensor expected = slice.read(output->second.view());
          const Tensor& computed = part.tensors.at(field.name);
          ASSERT_EQ(expected.shape(), computed.shape());
          EXPECT_EQ(std::memcmp(expected.view().data, computed.view().data, static_cast<size_t>(expected.bytes())), 0)
              << field.name << " along " << letters << ", seed " << seed;
          ++compared;
        }
      }
    }
    EXPECT_GT(compared, 0) << "no drawn call can be divided along " << letters;
  }
}

TEST_P(EveryDivision, OfASummedLetterAddsUp) {
  const Traits& traits = registry().component(GetParam()).traits;
  for (const char letter : std::string(traits.summed)) {
    int compared = 0;
    for (uint64_t seed = 0; seed < kSeeds && compared < 3; ++seed) {
      const RandomCall random = random_call(GetParam(), seed, DType::bf16);
      const std::string letters(1, letter);
      if (!divisible(random.call, letters)) continue;
      const TestOutputs whole = random.call.exact();
      TestCall second = divided(random.call, {letters, true});
      second.forget("bias");  // is added once
      const TestOutputs one = divided(random.call, {letters, false}).exact(), other = second.exact();
      for (const FieldInfo& field : random.call.definition().outputs) {
        if (field.optional || !whole.tensors.contains(field.name)) continue;
        for (int64_t i = 0; i < whole.tensors.at(field.name).view().count(); ++i) {
          const double expected = whole.tensors.at(field.name).view().value(i);
          const double sum = one.tensors.at(field.name).view().value(i) + other.tensors.at(field.name).view().value(i);
          EXPECT_NEAR(sum, expected, 1e-9 * (1.0 + std::abs(expected))) << field.name << " along " << letter;
        }
        ++compared;
      }
    }
    EXPECT_GT(compared, 0) << "no drawn call can be divided along " << letter;
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryDivision, ::testing::ValuesIn(registry().components()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace parity::reference
