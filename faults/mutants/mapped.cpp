// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/mutants/mapped.hpp"

#include <cmath>

#include "faults/mutants/mutants.hpp"

namespace parity::faults {

ParamMap params_of(const PlacedMap& map) {
  return {{"kind", static_cast<int64_t>(map.kind)},
          {"dtype", static_cast<int64_t>(map.dtype)},
          {"axis", map.axis},
          {"by", map.by},
          {"first", map.first},
          {"last", map.last},
          {"every", map.every},
          {"number", map.number}};
}

namespace {

PlacedMap placed_of(const Mapped::Params& params) {
  return {static_cast<TensorMap::Kind>(params.kind),
          params.number,
          static_cast<DType>(params.dtype),
          params.axis,
          params.by,
          params.first,
          params.last,
          params.every};
}

Tensor mapped_values(const Mapped::Inputs& in, const Mapped::Params& params) {
  const Tensor x = convert(in.x, DType::f64);
  Tensor result(DType::f64, x.shape());
  apply(placed_of(params), x.shape(), x.f64(), result.f64());
  return result;
}

/// All elements of an output as one axis, wherever they lie in memory.
TensorView flat(const TensorView& view) {
  TensorView result = view;
  result.shape = {view.count()};
  result.strides = {1};
  return result;
}

template <class Num>
void mapped(const Mapped::Inputs& in, const Mapped::Params& params, const Mapped::Outputs& out, Context& context) {
  const Tensor values = mapped_values(in, params);
  const Sink<Num, 1> y(flat(out.out), context);
  for (int64_t i = 0; i < values.view().count(); ++i) y.set(Num(values.f64()[i]), out.out.offset(i));
}

template <class Num>
void mapped_ids(const Mapped::Inputs& in, const Mapped::Params& params, const Mapped::Outputs& out, Context&) {
  const Tensor values = mapped_values(in, params);
  auto* target = reinterpret_cast<int64_t*>(out.out.data);
  for (int64_t i = 0; i < values.view().count(); ++i) target[out.out.offset(i)] = std::llround(values.f64()[i]);
}

}  // namespace

PARITY_MUTANT(Mapped, mapped)
PARITY_MUTANT(MappedIds, mapped_ids)

}  // namespace parity::faults
