// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/edits/wrapped.hpp"

#include <gtest/gtest.h>

#include "core/call.hpp"
#include "core/components/activation/silu.hpp"
#include "core/testing/closed_place.hpp"

namespace parity::faults {
namespace {

using testing_support::ClosedPlace;

/// out = 10 x, of any strides.
void tenfold(const Arguments& in, const ParamMap&, const Arguments& out, Context&) {
  const TensorView &x = in.at(0).tensors.at(0), &y = out.at(0).tensors.at(0);
  for (int64_t i = 0; i < x.count(); ++i)
    store_element(y.dtype, y.data + y.offset(i) * size_of(y.dtype), 10 * x.value(i));
}

PlacedMap of_all(TensorMap::Kind kind, double number) {
  PlacedMap map;
  map.kind = kind;
  map.number = number;
  return map;
}

std::vector<double> result_at(Place& place, const ErasedKernel& kernel) {
  static const Definition definition = definition_of<Silu>();
  static const Tensor x = [] {
    Tensor wide(DType::f64, {1, 3});
    for (int i = 0; i < 3; ++i) wide.f64()[i] = i + 1;
    return convert(wide.view(), DType::f32);
  }();
  KernelCall call(definition);
  call.input("x", x);
  call.output("out", {.type = DType::f32, .shape = {1, 3}});
  const PlacedCall placed(call, place);
  placed.run(kernel);
  const Tensor out = placed.output("out").on_host();
  return {out.view().value(0), out.view().value(1), out.view().value(2)};
}

TEST(Wrapped, AddsToTheInputAndScalesTheOutputAtAnyPlace) {
  static const Definition definition = definition_of<Silu>();
  const std::vector<OperandMap> maps{{"x", false, of_all(TensorMap::Kind::offset, 1.0)},
                                     {"out", true, of_all(TensorMap::Kind::scale, -2.0)}};
  const std::vector<double> expected{-40, -60, -80};
  ClosedPlace closed;

  EXPECT_EQ(result_at(host(), wrapped(&tenfold, definition, maps)), expected);
  EXPECT_EQ(result_at(closed, wrapped(ClosedPlace::here(&tenfold), definition, maps)), expected);
}

}  // namespace
}  // namespace parity::faults
