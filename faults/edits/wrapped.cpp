// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/edits/wrapped.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <list>

namespace parity::faults {
namespace {

/// Applies a map to ids. Negative ids mean "none": the map neither changes them nor overwrites others with them.
void apply_to_ids(const PlacedMap& map, const Tensor& x, Tensor& result) {
  const Tensor values = convert(x.view(), DType::f64);
  Tensor mapped(DType::f64, x.shape());
  apply(map, applied_shape(map, x.shape()), values.f64(), mapped.f64());
  const bool keeps_none =
      map.kind == TensorMap::Kind::offset || map.kind == TensorMap::Kind::copy || map.kind == TensorMap::Kind::modulo;
  for (int64_t i = 0; i < x.view().count(); ++i)
    result.i64()[i] = keeps_none && x.i64()[i] < 0 ? x.i64()[i] : std::llround(mapped.f64()[i]);
}

/// Applies the map in binary64 and rounds to the type of `x`.
Tensor mapped(const PlacedMap& map, const Tensor& x) {
  if (x.dtype() == DType::i64) {
    Tensor result(DType::i64, x.shape());
    apply_to_ids(map, x, result);
    return result;
  }
  const Tensor wide = widen(x);
  const Tensor result(DType::f64, x.shape());
  apply(map, applied_shape(map, x.shape()), wide.f64(), result.f64());
  return x.dtype() == DType::f64 ? result : convert(result.view(), x.dtype());
}

Tensor mapped_input(const PlacedMap& map, const TensorView& view) {
  return mapped(map, convert(view, view.dtype)).reshaped(view.shape, view.axes);
}

/// Returns the map of an error bound: it moves and scales with its element. A constant has no error,
/// and a softmax adds none.
PlacedMap of_bounds(PlacedMap map) {
  using MapKind = TensorMap::Kind;
  if (map.kind == MapKind::scale) map.number = std::abs(map.number);
  if (map.kind == MapKind::fill) map.number = 0.0;
  const bool elementwise = map.kind == MapKind::offset || map.kind == MapKind::round || map.kind == MapKind::truncate ||
                           map.kind == MapKind::significand || map.kind == MapKind::at_least ||
                           map.kind == MapKind::at_most || map.kind == MapKind::modulo ||
                           map.kind == MapKind::relative || map.kind == MapKind::centre || map.kind == MapKind::softmax;
  if (elementwise) {
    map.kind = MapKind::scale;
    map.number = 1.0;
  }
  return map;
}

/// Returns the host's tensor itself for the host, or a copy at another place.
Copied given_to(Place& place, const Tensor& tensor) {
  return place.is_host_memory() ? Copied{tensor, tensor.view()} : copied_to(place, tensor.view());
}

/// Gives the kernel a temporary output, and then maps it into the real one.
class Detour {
 public:
  Detour(const OperandMap& map, const TensorView& target, Context& context)
      : map_(map.map),
        place_(*context.place),
        placed_target_(target),
        image_(copied_from(place_, target)),
        target_(image_.view),
        own_(convert(target_, target.dtype)),  // keeps elements that the kernel does not write
        given_(given_to(place_, own_)),
        unit_(unit_roundoff(context.rounding.working())) {
    for (BoundSlot& slot : context.bounds) {
      if (slot.output != target.data) continue;
      slot_ = slot;
      rounding_ = Tensor(DType::f64, target.shape);
      noise_ = Tensor(DType::f64, target.shape);
      slot = {given_.view.data, rounding_.f64(), noise_.f64()};
    }
  }

  [[nodiscard]] const TensorView& view() const { return given_.view; }

  void arrive() const {
    const Tensor result = mapped(map_, convert(copied_from(place_, given_.view).view, own_.dtype()));
    const int64_t width = size_of(target_.dtype);
    for (int64_t i = 0; i < own_.view().count(); ++i)
      std::memcpy(target_.data + target_.offset(i) * width, result.view().data + i * width, static_cast<size_t>(width));
    copy_back(place_, image_, placed_target_);
    if (slot_.output == nullptr) return;
    write(of_bounds(map_), rounding_.f64(), slot_.rounding);
    write(of_bounds(map_), noise_.f64(), slot_.noise);
    const bool computes = map_.kind == TensorMap::Kind::scale || map_.kind == TensorMap::Kind::offset;
    for (int64_t i = 0; computes && i < own_.view().count(); ++i)  // the candidate rounds the mapped result again
      slot_.rounding[target_.offset(i)] += unit_ * std::abs(target_.value(i));
  }

 private:
  void write(const PlacedMap& map, const double* x, double* target) const {
    Tensor result(DType::f64, own_.shape());
    apply(map, applied_shape(map, own_.shape()), x, result.f64());
    for (int64_t i = 0; i < own_.view().count(); ++i) target[target_.offset(i)] = result.f64()[i];
  }

  PlacedMap map_;
  Place& place_;
  TensorView placed_target_;
  Copied image_;       // the target's bytes in the host's memory
  TensorView target_;  // the target in the image
  Tensor own_;
  Copied given_;  // what the kernel writes instead
  Tensor rounding_, noise_;
  double unit_;  // unit roundoff of the working type
  BoundSlot slot_{};
};

void run_wrapped(const ErasedKernel& kernel, const Definition& definition, const std::vector<OperandMap>& maps,
                 const Arguments& in, const ParamMap& params, const Arguments& out, Context& context) {
  Arguments inputs = in;
  Arguments outputs = out;
  std::list<Copied> kept;
  std::list<Detour> detours;
  Context inner = context;
  std::vector<OperandMap> order = maps;  // an output's first map is applied first, so its detour is made last
  std::stable_partition(order.begin(), order.end(), [](const OperandMap& map) { return !map.output; });
  std::reverse(std::find_if(order.begin(), order.end(), [](const OperandMap& map) { return map.output; }), order.end());
  for (const OperandMap& map : order) {
    const int index = map.output ? definition.output_index(map.field) : definition.input_index(map.field);
    TensorView& view = (map.output ? outputs : inputs)[static_cast<size_t>(index)].tensors.at(map.operand);
    if (map.output) {
      view = detours.emplace_back(map, view, inner).view();
    } else {
      const Copied original = copied_from(*context.place, view);
      view = kept.emplace_back(given_to(*context.place, mapped_input(map.map, original.view))).view;
    }
  }
  kernel(inputs, params, outputs, inner);
  for (auto detour = detours.rbegin(); detour != detours.rend(); ++detour) detour->arrive();
}

}  // namespace

ErasedKernel wrapped(const ErasedKernel& kernel, const Definition& definition, const std::vector<OperandMap>& maps) {
  return
      [kernel, definition, maps](const Arguments& in, const ParamMap& params, const Arguments& out, Context& context) {
        run_wrapped(kernel, definition, maps, in, params, out, context);
      };
}

void add_wrapped(Registry& registry, const std::string& name, const std::string& component,
                 const std::vector<OperandMap>& maps) {
  Definition definition = registry.component(component);
  definition.name = name;
  for (const char* variant : {"rounded", "bounded"}) {
    KernelEntry entry = registry.kernel(component, "reference", variant);
    entry.run = wrapped(entry.run, definition, maps);
    registry.add_erased(definition, std::move(entry));
  }
}

void add_passing(Registry& registry, const std::string& name, const std::string& component, const std::string& field) {
  Definition definition = registry.component(component);
  const auto from = static_cast<size_t>(definition.input_index(field));
  definition.name = name;
  for (const char* variant : {"rounded", "bounded"}) {
    KernelEntry entry = registry.kernel(component, "reference", variant);
    entry.run = [from](const Arguments& in, const ParamMap&, const Arguments& out, Context& context) {
      const TensorView& x = in.at(from).tensors.at(0);
      const TensorView& y = out.at(0).tensors.at(0);
      PARITY_CHECK(x.shape == y.shape && x.dtype == y.dtype, usage,
                   "an input of shape {} cannot replace an output of shape {}", to_string(x.shape), to_string(y.shape));
      for (int64_t i = 0; i < y.count(); ++i) {
        std::memcpy(y.data + y.offset(i) * size_of(y.dtype), x.data + x.offset(i) * size_of(x.dtype),
                    static_cast<size_t>(size_of(x.dtype)));
      }
      for (const BoundSlot& slot : context.bounds) {  // copied values have no error
        if (slot.output != y.data) continue;
        for (int64_t i = 0; i < y.count(); ++i) slot.rounding[y.offset(i)] = 0.0;
        for (int64_t i = 0; i < y.count(); ++i) slot.noise[y.offset(i)] = 0.0;
      }
    };
    registry.add_erased(definition, std::move(entry));
  }
}

}  // namespace parity::faults
