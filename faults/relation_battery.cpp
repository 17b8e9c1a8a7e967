// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/relation_battery.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace parity::faults {
namespace {

double deviation(const Tensor& a, const Tensor& b) {
  PARITY_CHECK(a.shape() == b.shape(), internal, "runs of {} and {} are compared", to_string(a.shape()),
               to_string(b.shape()));
  double difference = 0.0;
  double size = 0.0;
  for (int64_t i = 0; i < a.view().count(); ++i) {
    difference += std::pow(a.view().value(i) - b.view().value(i), 2);
    size += std::pow(a.view().value(i), 2);
  }
  const double result = std::sqrt(difference / size);
  return std::isnan(result) ? std::numeric_limits<double>::infinity() : result;
}

}  // namespace

Make once(Make make) {
  return [make = std::move(make), kept = std::make_shared<std::optional<Tensor>>()] {
    if (!*kept) *kept = make();
    return **kept;
  };
}

Subject& Battery::subject(const nlohmann::json& config, const std::string& profile) {
  return subjects_.emplace_back(config, seed_, fault_, profile);
}

Subject& Battery::variant(nlohmann::json config, const std::string& key, const nlohmann::json& value,
                          const std::string& profile) {
  (config.contains("text_config") ? config["text_config"] : config)[key] = value;
  return subject(config, profile);
}

void Battery::add(RelationResult result, const Make& a, const Make& b) {
  result.subject = name_;
  try {
    result.deviation = deviation(a(), b());
  } catch (const Error& error) {
    if (fault_ == nullptr) throw;
    result.refused = error.what();
    result.deviation = std::numeric_limits<double>::infinity();
  }
  results_.push_back(std::move(result));
}

void Battery::same(const char* relation, const char* what, const Make& a, const Make& b, double within) {
  add({relation, what, name_, 0.0, true, within, {}}, a, b);
}

void Battery::differ(const char* relation, const char* what, const Make& a, const Make& b) {
  add({relation, what, name_, 0.0, false, kSameRun, {}}, a, b);
}

bool Battery::concerned() const {
  return fault_ == nullptr ||
         std::any_of(subjects_.begin(), subjects_.end(), [](const Subject& s) { return s.planted(); });
}

std::set<std::string> Battery::components() const {
  std::set<std::string> all;
  for (const Subject& one : subjects_) all.insert(one.components().begin(), one.components().end());
  return all;
}

Tensor part(const Tensor& of, char axis, int64_t first, int64_t length) {
  return convert(slice(of.view(), axis, first, length), of.dtype());
}

Make part(const Make& make, char axis, int64_t first, int64_t length) {
  return [=] { return part(make(), axis, first, length); };
}

Tensor picked(const Tensor& of, size_t axis, const std::vector<int64_t>& from) {
  Shape shape = of.shape();
  int64_t stride = 1;
  for (size_t inner = shape.size(); inner-- > axis + 1;) stride *= shape[inner];
  const int64_t extent = shape[axis];
  shape[axis] = static_cast<int64_t>(from.size());
  Tensor result(DType::f64, shape, of.view().axes);
  for (int64_t i = 0; i < result.view().count(); ++i) {
    const int64_t outer = i / stride / shape[axis];
    const int64_t source = (outer * extent + from[static_cast<size_t>(i / stride % shape[axis])]) * stride + i % stride;
    result.f64()[i] = of.view().value(source);
  }
  return convert(result.view(), of.dtype());
}

Make picked(const Make& make, size_t axis, const std::vector<int64_t>& from) {
  return [=] { return picked(make(), axis, from); };
}

Tensor next_words(const Tensor& ids, int64_t words) {
  Tensor next = convert(ids.view(), DType::i64);
  for (int64_t i = 0; i < next.view().count(); ++i) next.i64()[i] = (next.i64()[i] + 1) % words;
  return next;
}

Tensor next_words_at(const Tensor& ids, int64_t words, int64_t column) {
  Tensor next = convert(ids.view(), DType::i64);
  const int64_t width = ids.shape()[1];
  for (int64_t i = column; i < next.view().count(); i += width) next.i64()[i] = (next.i64()[i] + 1) % words;
  return next;
}

}  // namespace parity::faults
