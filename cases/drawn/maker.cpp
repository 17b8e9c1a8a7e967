// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/drawn/maker.hpp"

#include <algorithm>
#include <limits>

namespace parity::cases {

CaseMaker::CaseMaker(const CaseSpec& spec, Settled settled)
    : Extents(spec, settled.sizes), settled_(std::move(settled)), normals_(spec.seed, "normals of " + spec.component) {
  made_.spec = spec;
  made_.plan.working = spec.working;
  profile_ = &profiles()[static_cast<size_t>(from(0, static_cast<int64_t>(profiles().size()) - 1))];
  if (settled_.profile != nullptr) profile_ = settled_.profile;
  made_.plan.system = profile_->system;
  made_.plan.profile = profile_->name;
  made_.plan.rounding = profile_->rounding;
  Node node;
  node.component = spec.component;
  node.prefix = spec.component;
  made_.plan.nodes.push_back(node);
  draw_style(spec.seed);
}

void CaseMaker::draw_style(uint64_t seed) {
  Style& style = made_.style;
  style.order = static_cast<Order>(from(0, kOrders - 1));
  style.width = one_of<int64_t>({1, 2, 3, 4, 8, 16, 32});
  style.fused = coin();
  style.reciprocal = coin();
  style.binary_exponential = coin();
  style.threads = static_cast<int>(from(1, 4));
  style.seed = seed;
}

void CaseMaker::tokens(int64_t most) {
  range('B', 1, 2);
  extent('S', most);
  const bool none = boundary() && from(0, 15) == 0;
  // An empty tensor has no place for a NaN, and no bits to compare.
  if (none && made_.spec.lane == Lane::boundary && !gives('S')) size('S', 0);
}

const ParamValue& CaseMaker::param(const std::string& name, ParamValue value) {
  const auto known = settled_.params.find(name);
  return node().params[name] = known == settled_.params.end() ? value : known->second;
}

void CaseMaker::input(const std::string& field, const std::string& axes, TapType type, Tensor tensor) {
  auto& operands = node().inputs[field];
  if (replacing_ && replaced_.insert(field).second) operands.clear();
  const std::string tap = operands.empty() ? "in/" + field : fmt::format("in/{}/{}", field, operands.size());
  made_.plan.taps[tap] = {axes, tensor.shape(), type, -1};
  operands.push_back({Operand::Kind::tap, tap, {}});
  replay::TapValue& value = made_.taps[tap];
  value.exact = std::move(tensor);
  value.rounded = value.exact;
}

void CaseMaker::numbers(const std::string& field, const std::string& axes, TapType type,
                        const std::function<double(int64_t)>& value) {
  Tensor tensor(DType::f64, shape_of(axes, sizes()), axes);
  const DType dtype = made_.plan.dtype_of(type);
  for (int64_t i = 0; i < tensor.view().count(); ++i) tensor.f64()[i] = round_to(dtype, value(i));
  if (type != TapType::wide) spoil(tensor, false);  // wide inputs are settings, not values
  input(field, axes, type, std::move(tensor));
}

void CaseMaker::codes(const std::string& field, const std::string& axes, const std::function<double()>& code) {
  Tensor tensor(DType::f64, shape_of(axes, sizes()), axes);
  for (int64_t i = 0; i < tensor.view().count(); ++i) {
    tensor.f64()[i] = code ? code() : round_to(DType::e4m3fn, 8.0 * normal());
  }
  spoil(tensor, true);
  input(field, axes, TapType::wide, std::move(tensor));
  stored(field, DType::e4m3fn);
}

void CaseMaker::spoil(const Tensor& tensor, bool codes) {
  if (made_.spec.lane != Lane::special || tensor.view().count() == 0 || (spoiled_ && coin())) return;
  spoiled_ = true;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (int64_t places = from(1, 2); places > 0; --places) {
    const int64_t at = from(0, tensor.view().count() - 1);
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    tensor.f64()[at] = codes ? kNaN : one_of<double>({kNaN, kInfinity, -kInfinity});
  }
}

/// Returns one number of the given kind of distribution.
double CaseMaker::value(int64_t kind) {
  const double x = normal() + (kind == 2 ? 2.0 : 0.0);
  if (kind == 1 && from(0, 63) == 0) return 16.0 * x;          // outliers
  if (kind == 3 && from(0, 7) == 0) return 0.0;                // zeros
  if (kind == 4) return static_cast<double>(from(-8, 8)) / 4;  // a lattice: ties, sums without rounding
  return x;
}

void CaseMaker::values(const std::string& field, const std::string& axes, double scale, TapType type) {
  const int64_t kind = from(0, 5);
  numbers(field, axes, type, [&](int64_t) { return scale * value(kind); });
}

void CaseMaker::exponents(const std::string& field, const std::string& axes, double scale) {
  constexpr double kMost = 40.0;
  const int64_t kind = from(0, 5);
  numbers(field, axes, TapType::working, [&](int64_t) { return std::clamp(scale * value(kind), -kMost, kMost); });
}

void CaseMaker::ids(const std::string& field, const std::string& axes, const std::function<int64_t(int64_t)>& id) {
  Tensor tensor(DType::i64, shape_of(axes, sizes()), axes);
  for (int64_t i = 0; i < tensor.view().count(); ++i) tensor.i64()[i] = id(i);
  input(field, axes, TapType::index, std::move(tensor));
}

void CaseMaker::bank(const std::string& field, const std::string& axes, int64_t members, double scale) {
  bank(field, axes, members, [&](int64_t) { return scale * normal(); });
}

void CaseMaker::bank(const std::string& field, const std::string& axes, int64_t members,
                     const std::function<double(int64_t)>& value) {
  WeightInfo info;
  info.published = {"experts.{}." + field};
  info.shape = shape_of(axes, sizes());
  info.members = members;
  made_.plan.weights[field] = info;
  node().inputs[field] = {{Operand::Kind::bank, field, {}}};
  for (int64_t e = 0; e < members; ++e) {
    Tensor tensor(DType::f64, info.shape);
    for (int64_t i = 0; i < tensor.view().count(); ++i) tensor.f64()[i] = round_to(made_.plan.working, value(i));
    made_.weights.add(fmt::format("experts.{}.{}", e, field), std::move(tensor));
  }
}

TapType CaseMaker::type_of(const std::string& point) const {
  const auto row = made_.plan.rounding.find(point);
  return row != made_.plan.rounding.end() && row->second == Precision::single ? TapType::single : TapType::working;
}

void CaseMaker::output(const std::string& field, const std::string& axes, TapType type) {
  made_.plan.taps[field] = {axes, shape_of(axes, sizes()), type, 0};
  node().outputs[field] = {Operand::Kind::tap, field, {}};
}

bool CaseMaker::sdpa() {
  if (coin()) return false;
  for (const auto& [point, precision] : find_attention("sdpa").rounding) made_.plan.rounding[point] = precision;
  return true;
}

void CaseMaker::free(const std::string& component, bool own_rounding) {
  made_.free_rounding = {component};
  made_.own_rounding = own_rounding;
}

DrawnCase CaseMaker::take() {
  give_if_absent('B', 1);
  give_if_absent('S', 1);
  made_.plan.sizes[0] = sizes();
  made_.drawn = drawn();
  return std::move(made_);
}

}  // namespace parity::cases
