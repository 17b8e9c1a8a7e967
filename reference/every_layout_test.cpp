// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Kernels read views: however the elements lie in memory, the bits of the result are the same.
#include <cstring>
#include <set>

#include <gtest/gtest.h>

#include "reference/random_call.hpp"
#include "reference/reference.hpp"

namespace parity::reference {
namespace {

constexpr uint64_t kSeeds = 40;

/// The elements of `source` in a buffer of other shape; `keep` owns it.
using Layout = TensorView (*)(const TensorView& source, Tensor& keep);

void copy_elements(const TensorView& from, const TensorView& to) {
  for (int64_t flat = 0; flat < from.count(); ++flat) {
    std::memcpy(to.data + to.offset(flat) * 8, from.data + from.offset(flat) * 8, 8);  // f64 and i64
  }
}

/// Three elements behind every row, and one in front: rows begin off the alignment of vector instructions.
TensorView padded(const TensorView& source, Tensor& keep) {
  Shape shape = source.shape;
  if (!shape.empty()) shape.back() += 4;
  keep = Tensor(source.dtype, shape);
  TensorView view = keep.view();
  view.shape = source.shape;
  if (!shape.empty()) view.data += 8;
  copy_elements(source, view);
  return view;
}

/// Every other element of a buffer of twice the rows.
TensorView stepped(const TensorView& source, Tensor& keep) {
  Shape shape = source.shape;
  shape.push_back(2);
  keep = Tensor(source.dtype, shape);
  TensorView view = keep.view();
  view.shape.pop_back();
  view.strides.pop_back();
  copy_elements(source, view);
  return view;
}

/// Column by column: the first axis is the dense one.
TensorView reversed(const TensorView& source, Tensor& keep) {
  keep = Tensor(source.dtype, {std::max<int64_t>(source.count(), 1)});
  TensorView view = source;
  view.data = keep.view().data;
  int64_t stride = 1;
  for (size_t axis = 0; axis < source.shape.size(); ++axis) {
    view.strides[axis] = stride;
    stride *= source.shape[axis];
  }
  copy_elements(source, view);
  return view;
}

/// Axes of extent one with a stride that says nothing.
TensorView strange_units(const TensorView& source, Tensor& keep) {
  keep = convert(source, source.dtype);
  TensorView view = keep.view();
  for (size_t axis = 0; axis < view.shape.size(); ++axis) {
    if (view.shape[axis] == 1) view.strides[axis] = axis % 2 == 0 ? 1 : 1000003;
  }
  return view;
}

class EveryLayout : public testing::TestWithParam<std::string> {};

TEST_P(EveryLayout, GivesTheSameBits) {
  const std::vector<std::pair<const char*, Layout>> layouts{
      {"padded", &padded}, {"stepped", &stepped}, {"reversed", &reversed}, {"strange units", &strange_units}};
  std::set<std::string> fields;
  std::set<std::string> accepted;  // in a layout that is not the dense one
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    RandomCall random = random_call(GetParam(), seed, DType::bf16);
    const auto run = [&] { return random.call.oracle(DType::bf16, random.table).tensors; };
    const auto expected = run();
    const auto dense = random.call.views;
    for (const auto& [field, views] : dense) {
      fields.insert(field);
      for (const auto& [name, layout] : layouts) {
        SCOPED_TRACE(fmt::format("{} seed {} {} {}", GetParam(), seed, field, name));
        Tensor keep;
        random.call.views[field].front() = layout(views.front(), keep);
        try {
          for (const auto& [output, tensor] : run()) {
            EXPECT_EQ(
                std::memcmp(tensor.view().data, expected.at(output).view().data, static_cast<size_t>(tensor.bytes())),
                0)
                << output;
          }
          if (!random.call.views[field].front().contiguous()) accepted.insert(field);
        } catch (const Error& error) {  // refused, never misread: what would need a copy, rows that are not dense
          EXPECT_EQ(error.code(), ErrorCode::internal) << error.what();
          EXPECT_STRNE(name, "strange units") << error.what();
        }
        random.call.views[field] = views;
      }
    }
  }

  fields.erase("aux_loss");  // a scalar has one layout
  EXPECT_EQ(accepted, fields);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryLayout, testing::ValuesIn(registry().components()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace parity::reference
