// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Kernels of single elements without vector code, checked against results worked out by hand.
#include "optimized/cpu/activation/elementwise.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "core/components/activation/silu.hpp"
#include "core/components/norm/residual_add.hpp"

namespace parity::optimized::elementwise {
namespace {

float squared(float x) { return x * x; }

float difference(float residual, float branch, const ResidualAdd::Params& params) {
  return params.residual_factor > 1.0 ? residual - branch : 0.0F;
}

Tensor tensor_of(DType dtype, const Shape& shape, const std::vector<double>& values) {
  Tensor wide(DType::f64, shape);
  std::copy(values.begin(), values.end(), wide.f64());
  return convert(wide.view(), dtype);
}

std::vector<double> values_of(const Tensor& tensor) {
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.view().count(); ++i) values.push_back(tensor.view().value(i));
  return values;
}

TEST(PlainKernel, ReadsRowsOfAnyStrides) {
  const Tensor x = tensor_of(DType::f32, {2, 3}, {1, 2, 3, 4, 5, 6});
  TensorView turned = x.view();
  turned.shape = {3, 2};
  turned.strides = {1, 3};
  const Tensor out(DType::f32, {3, 2});
  Context context;

  plain<Silu, float, squared>({turned}, {}, {out.view()}, context);

  EXPECT_EQ(values_of(out), (std::vector<double>{1, 16, 4, 25, 9, 36}));
}

TEST(PlainKernel, RoundsOnceToNearestEven) {
  const Tensor x = tensor_of(DType::bf16, {1, 1}, {17.0 / 16});  // its square is 144.5 / 128
  const Tensor out(DType::bf16, {1, 1});
  Context context;

  plain<Silu, BFloat16, squared>({x.view()}, {}, {out.view()}, context);

  EXPECT_EQ(values_of(out), (std::vector<double>{144.0 / 128}));
}

TEST(PlainKernel, HandsOverOperandsInTheirOrderAndParameters) {
  const Tensor residual = tensor_of(DType::f32, {1, 2}, {7, 1}), branch = tensor_of(DType::f32, {1, 2}, {2, 3});
  const Tensor out(DType::f32, {1, 2});
  ResidualAdd::Params params;
  params.residual_factor = 2.0;
  Context context;

  plain<ResidualAdd, float, difference>({residual.view(), branch.view()}, params, {out.view()}, context);

  EXPECT_EQ(values_of(out), (std::vector<double>{5, -2}));
}

TEST(PlainKernel, RefusesAnOperandOfAnotherShape) {
  const Tensor x(DType::f32, {2, 3}), out(DType::f32, {3, 2});
  Context context;

  EXPECT_THROW((plain<Silu, float, squared>({x.view()}, {}, {out.view()}, context)), Error);
}

}  // namespace
}  // namespace parity::optimized::elementwise
