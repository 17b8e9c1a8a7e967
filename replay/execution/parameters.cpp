// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/execution/parameters.hpp"

#include <algorithm>
#include <set>

namespace parity::replay {
namespace {

Tensor stacked(const WeightInfo& info, int64_t member, const WeightSource& source, DType type);

/// Returns the part of the stacked tensors that one rank holds.
Tensor part_of_stacked(const WeightInfo& info, int64_t member, const WeightSource& source, DType type) {
  WeightInfo whole = info;
  whole.part.reset();
  whole.shape = info.whole;
  const Tensor all = stacked(whole, member, source, type);
  return read_box(all.view(), *info.part, info.shape, all.view().axes);
}

/// Returns the rows of all published tensors, stacked in the order of the implementation and widened.
Tensor stacked(const WeightInfo& info, int64_t member, const WeightSource& source, DType type) {
  if (info.part) return part_of_stacked(info, member, source, type);
  Shape expected = info.shape;
  expected[0] /= static_cast<int64_t>(info.published.size());
  for (const std::string& pattern : info.published) {  // before allocating the shape that config.json states
    const StoredInfo stored = source.describe(member_name(pattern, member));
    const bool usable = is_float(stored.dtype) || (info.held == Held::stored && stored.dtype == DType::u8);
    PARITY_CHECK(stored.shape == expected && usable, schema,
                 "checkpoint tensor {} is {} of shape {}; config.json requires a float tensor of shape {}",
                 member_name(pattern, member), to_string(stored.dtype), to_string(stored.shape), to_string(expected));
  }
  Tensor result = Tensor::unwritten(DType::f64, info.shape);
  double* target = result.f64();
  for (const std::string& pattern : info.published) {
    const std::string name = member_name(pattern, member);
    const int64_t count = element_count(expected);
    if (info.held == Held::stored) {
      const TensorView stored = source.tensor(name);
      for (int64_t i = 0; i < count; ++i) *target++ = stored.value(i);
      continue;
    }
    source.read(name, target);
    const bool rounded = source.describe(name).dtype == type;
    for (int64_t i = 0; i < count && !rounded; ++i) target[i] = round_to(type, target[i]);
    target += count;
  }
  return result;
}

class PublishedBank : public WeightBank {
 public:
  PublishedBank(const WeightInfo& info, const WeightSource& source, DType type)
      : info_(info), source_(source), type_(type) {}
  [[nodiscard]] int64_t size() const override { return info_.members; }
  [[nodiscard]] Tensor member(int64_t index) const override {
    return stacked(info_, info_.first_member + index, source_, type_);
  }

 private:
  const WeightInfo& info_;
  const WeightSource& source_;
  DType type_;
};

}  // namespace

std::string member_name(const std::string& pattern, int64_t member) {
  const size_t at = pattern.find("{}");
  return at == std::string::npos ? pattern : pattern.substr(0, at) + std::to_string(member) + pattern.substr(at + 2);
}

Tensor Parameters::tensor(const std::string& weight) const {
  const WeightInfo& info = plan_.weights.at(weight);
  return stacked(info, 0, source_, held_type(info));
}

std::unique_ptr<WeightBank> Parameters::bank(const std::string& weight) const {
  const WeightInfo& info = plan_.weights.at(weight);
  return std::make_unique<PublishedBank>(info, source_, held_type(info));
}

DType Parameters::held_type(const WeightInfo& info) const {
  if (plan_.working == DType::f64) return DType::f64;
  return info.held == Held::working && !published_ ? plan_.working : DType::f32;
}

bool Parameters::rounds(const std::string& weight) const {
  const DType stored = stored_type(weight);
  return plan_.weights.at(weight).held == Held::working && is_float(stored) &&
         format_of(stored).significand_bits > format_of(plan_.working).significand_bits;
}

DType Parameters::stored_type(const std::string& weight) const {
  return source_.describe(member_name(plan_.weights.at(weight).published.front(), 0)).dtype;
}

std::vector<std::string> Parameters::published_names() const {
  std::set<std::string> names;
  for (const auto& [weight, info] : plan_.weights) {
    for (const std::string& pattern : info.published) {
      for (int64_t member = 0; member < std::max<int64_t>(info.members, 1); ++member)
        names.insert(member_name(pattern, info.first_member + member));
    }
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> Parameters::missing() const {
  std::vector<std::string> result;
  for (const std::string& name : published_names()) {
    if (!source_.contains(name)) result.push_back(name);
  }
  return result;
}

std::vector<std::string> Parameters::unread() const {
  const auto read = published_names();
  std::vector<std::string> result;
  for (const std::string& name : source_.names()) {
    if (!std::binary_search(read.begin(), read.end(), name)) result.push_back(name);
  }
  return result;
}

}  // namespace parity::replay
