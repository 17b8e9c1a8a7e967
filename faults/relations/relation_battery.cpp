// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/relations/relation_battery.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "compare/judging/tolerance.hpp"

namespace parity::faults {
namespace {

double deviation(const Tensor& a, const Tensor& b) {
  PARITY_CHECK(a.shape() == b.shape(), internal, "two runs to compare have {} and {} values",
               parity::to_string(a.shape()), parity::to_string(b.shape()));
  double difference = 0.0;
  double size = 0.0;
  for (int64_t i = 0; i < a.view().count(); ++i) {
    difference += std::pow(a.view().value(i) - b.view().value(i), 2);
    size += std::pow(a.view().value(i), 2);
  }
  const double result = std::sqrt(difference / size);
  return std::isnan(result) ? std::numeric_limits<double>::infinity() : result;
}

/// Returns the deviation from the exact run that a chained run accepts: a multiple of the reference's own roundings.
double noise_of(const Make& make) {
  Walk exact{Lane::exact};
  Walk rounded{Lane::rounded};
  return compare::kDriftFactorSingle * deviation(make(exact), make(rounded));
}

}  // namespace

Make once(Make make) {
  using Kept = std::map<Lane, std::pair<Tensor, Walk>>;
  return [make = std::move(make), kept = std::make_shared<Kept>()](Walk& walk) {
    auto found = kept->find(walk.lane);
    if (found == kept->end()) {
      Walk own{walk.lane};
      Tensor made = make(own);
      found = kept->emplace(walk.lane, std::pair(std::move(made), std::move(own))).first;
    }
    walk.join(found->second.second);
    return found->second.first;
  };
}

Subject& Battery::subject(const nlohmann::json& config, const std::string& profile) {
  return subjects_.emplace_back(config, seed_, tried_, profile);
}

Subject& Battery::variant(nlohmann::json config, const std::string& key, const nlohmann::json& value,
                          const std::string& profile) {
  (config.contains("text_config") ? config["text_config"] : config)[key] = value;
  return subject(config, profile);
}

void Battery::run(RelationResult& result, const Make& a, const Make& b) const {
  Walk walk;
  const Tensor first = a(walk);
  result.deviation = deviation(first, b(walk));
  result.flip = walk.flip;
  for (const std::string& component : walk.components) {
    const bool own = !tried_.native || tried_.native->find(component) != nullptr;
    (own ? result.computed : result.lent).insert(component);
  }
  if (!tried_.native) return;
  const bool bitwise = result.equal && result.within == 0.0;
  const double noise = noise_of(a) + noise_of(b);
  if (!bitwise) result.within = result.equal ? noise : kSharp * noise;
}

void Battery::add(RelationResult result, const Make& a, const Make& b) {
  result.subject = name_;
  try {
    run(result, a, b);
  } catch (const Error& error) {
    if (tried_.fault == nullptr && !tried_.native) throw;
    result.refused = error.what();
    result.lacking = tried_.native && error.code() == ErrorCode::unsupported;
    result.deviation = std::numeric_limits<double>::infinity();
  }
  results_.push_back(std::move(result));
}

void Battery::same(const char* relation, const char* what, const Make& a, const Make& b, double within) {
  add({relation, what, name_, 0.0, true, within}, a, b);
}

void Battery::differ(const char* relation, const char* what, const Make& a, const Make& b) {
  add({relation, what, name_, 0.0, false, kSameRun}, a, b);
}

bool Battery::concerned() const {
  return tried_.fault == nullptr ||
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
  return [=](Walk& walk) { return part(make(walk), axis, first, length); };
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
  return [=](Walk& walk) { return picked(make(walk), axis, from); };
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
