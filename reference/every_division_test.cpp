// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What components declare about dividing a call (Traits) is true: along a parallel letter, a slice of the operands
// gives the bits of that slice of the outputs; along a summed letter, the outputs of the slices add up to the whole.
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "core/sharding/node_shares.hpp"
#include "reference/random_call.hpp"
#include "reference/reference.hpp"

namespace parity::reference {
namespace {

constexpr uint64_t kDivisions = 40;

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
      const size_t axes = token == "*" ? whole.size() + 1 - tokens.size() : 1;
      const int64_t times = token.size() == 2 && token.front() <= '9' ? token.front() - '0' : 1;
      for (size_t i = 0; i < axes; ++i, ++axis) add(whole[axis], times, names(half, token, i), half);
    }
  }
  /// Whether the half is of this axis: '*' stands for sequences, then for lists of index heads.
  static bool names(const Half& half, const std::string& token, size_t i) {
    const auto has = [&](char letter) { return half.letters.find(letter) != std::string::npos; };
    return token == "*" ? (i == 0 && has('B')) || (i == 1 && has('X')) : has(token.back());
  }
  [[nodiscard]] Tensor read(const TensorView& view) const {
    const Tensor whole = convert(view, view.dtype);
    return read_box(whole.view(), box, shape, "");
  }

 private:
  void add(int64_t extent, int64_t times, bool named, const Half& half) {
    const Range range = named ? half.of(extent / times) : Range{0, extent / times};
    box.extents.insert(box.extents.end(), {times, extent / times});
    box.ranges.insert(box.ranges.end(), {{{0, times}}, {range}});
    shape.push_back(times * range.count);
    divided = divided || named;
  }
};

/// Extents of the letters that stand alone in the inputs' axes.
AxisSizes sizes_of(const TestCall& call) {
  AxisSizes sizes;
  for (const FieldInfo& field : call.definition().inputs) {
    const auto views = call.views.find(field.name);
    const auto tokens = split_axes(field.axes);
    for (size_t i = 0; views != call.views.end() && i < tokens.size() && tokens.front() != "*"; ++i)
      sizes[tokens[i].front()] = views->second.front().shape.at(i);
  }
  return sizes;
}

/// The call on one half of every operand.
TestCall divided(const TestCall& whole, const Half& half) {
  TestCall call = whole;
  const Definition& definition = whole.definition();
  const AxisSizes sizes = sizes_of(whole);
  const auto extent = sizes.find(half.letters.front());
  if (extent != sizes.end() && !(half.letters == kTokens && whole.views.contains("positions"))) {
    const int64_t first = half.of(extent->second).first;
    for (const auto& [name, value] : sliced_params(definition, whole.params(), sizes, half.letters, first))
      call.param(name, value);
  }
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

/// Whether both halves of every divided axis have indices, in equal numbers for heads.
bool divisible(const TestCall& call, const std::string& letters) {
  const auto fits = [&](const FieldInfo& field, const Shape& shape) {
    const Slice first(field, shape, {letters, false});
    for (size_t i = 0; i < first.box.extents.size(); ++i) {
      const int64_t count = count_of(first.box.ranges[i]), rest = first.box.extents[i] - count;
      if (count == 0 || (letters.size() > 2 && rest != 0 && rest != count)) return false;
    }
    return true;
  };
  for (const FieldInfo& field : call.definition().inputs) {
    const auto views = call.views.find(field.name);
    if (views == call.views.end()) continue;
    for (const TensorView& view : views->second) {
      if (!fits(field, view.shape)) return false;
    }
  }
  for (const FieldInfo& field : call.definition().outputs) {
    const auto output = call.outputs().find(field.name);
    const bool one_list = output != call.outputs().end() && letters == "X" && field.axes.front() == '*' &&
                          output->second.size() == split_axes(field.axes).size();
    if (one_list || (output != call.outputs().end() && !fits(field, output->second))) return false;
  }
  return true;
}

/// The divisions that a component declares: '*' begins with the sequences.
std::vector<std::string> parallel_divisions(const Traits& traits) {
  std::vector<std::string> divisions;
  for (const char letter : std::string(traits.parallel))
    divisions.emplace_back(letter == '*' ? "B" : std::string(1, letter));
  if (*traits.heads != '\0') divisions.emplace_back(traits.heads);
  return divisions;
}

class EveryDivision : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryDivision, OfAParallelLetterGivesTheSameBits) {
  const Traits& traits = registry().component(GetParam()).traits;
  for (const std::string& letters : parallel_divisions(traits)) {
    int compared = 0;
    for (uint64_t seed = 0; seed < kDivisions && compared < 3; ++seed) {
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
    for (uint64_t seed = 0; seed < kDivisions && compared < 3; ++seed) {
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
