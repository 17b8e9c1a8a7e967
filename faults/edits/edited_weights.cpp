// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cctype>

#include "core/text.hpp"
#include "faults/edits/edit.hpp"

namespace parity::faults {
namespace {

/// Returns the name with the number after `label`, if any, increased: "experts.4.w2" for "experts.3.w2", "experts.".
std::string next_number(const std::string& name, const std::string& label) {
  const size_t at = name.find(label);
  if (at == std::string::npos) return name;
  const size_t first = at + label.size();
  size_t last = first;
  while (last < name.size() && std::isdigit(static_cast<unsigned char>(name[last])) != 0) ++last;
  if (last == first) return name;
  return name.substr(0, first) + std::to_string(std::stol(name.substr(first, last - first)) + 1) + name.substr(last);
}

std::string first_number(const std::string& name, const std::string& label) {
  const size_t first = name.find(label) + label.size();
  return name.substr(0, first) + "0" + name.substr(name.find_first_not_of("0123456789", first));
}

/// Returns the axes of a stored tensor as the catalogue names them: "0,1,…".
std::string numbered_axes(const Shape& shape) {
  std::string axes;
  for (size_t axis = 0; axis < shape.size(); ++axis) axes += (axis == 0 ? "" : ",") + std::to_string(axis);
  return axes;
}

}  // namespace

const MapWeight* EditedWeights::edit_of(const std::string& name) const {
  const auto found =
      std::find_if(edits_.begin(), edits_.end(), [&](const MapWeight& e) { return glob_match(e.tensor, name); });
  return found == edits_.end() ? nullptr : &*found;
}

std::string EditedWeights::renamed(const MapWeight& edit, const std::string& name) const {
  std::string other = name;
  const size_t at = edit.from.empty() ? std::string::npos : name.find(edit.from);
  if (at != std::string::npos) other.replace(at, edit.from.size(), edit.to);
  if (!edit.next.empty()) {
    other = next_number(name, edit.next);
    if (!inner_.contains(other)) other = first_number(name, edit.next);
  }
  return inner_.contains(other) && inner_.describe(other).shape == inner_.describe(name).shape ? other : name;
}

void EditedWeights::read(const std::string& name, double* target) const {
  const MapWeight* edit = edit_of(name);
  if (edit == nullptr) {
    inner_.read(name, target);
    return;
  }
  const Shape shape = inner_.describe(name).shape;
  const Tensor stored(DType::f64, shape);
  inner_.read(renamed(*edit, name), stored.f64());
  apply(placed(edit->map, numbered_axes(shape), shape, {}), shape, stored.f64(), target);
}

TensorView EditedWeights::tensor(const std::string& name) const {
  const MapWeight* edit = edit_of(name);
  if (edit == nullptr) return inner_.tensor(name);
  const std::scoped_lock lock(mutex_);
  Tensor& kept = changed_[name];
  if (kept.empty()) {
    const TensorView stored = inner_.tensor(renamed(*edit, name));
    const Tensor plain = convert(stored, DType::f64);
    const Tensor mapped(DType::f64, plain.shape());
    apply(placed(edit->map, numbered_axes(plain.shape()), plain.shape(), {}), plain.shape(), plain.f64(), mapped.f64());
    kept = convert(mapped.view(), stored.dtype);
  }
  return kept.view();
}

}  // namespace parity::faults
