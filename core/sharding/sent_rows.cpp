// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/sharding/sent_rows.hpp"

#include <numeric>

namespace parity {
namespace {

const Operand& part_of(const Node& node, size_t part) { return node.inputs.at("parts").at(part); }

}  // namespace

int64_t SentRowsOf::param(const Node& node, const char* name) const {
  const auto own = node.params.find(name);
  const ParamValue& value =
      own != node.params.end() ? own->second : components_.component(node.component).defaults.at(name);
  return std::get<int64_t>(value);
}

int64_t SentRowsOf::row_count(const std::string& tap) const {
  const Shape& shape = plan_.tap(tap).shape;
  return shape.back() == 0 ? 0 : element_count(shape) / shape.back();
}

int64_t SentRowsOf::row_bytes(const Node& node, size_t part) const {
  const TapInfo& info = plan_.tap(part_of(node, part).name);
  return info.shape.back() * (is_integer(info.type) ? size_of(DType::i64) : size_of(plan_.dtype_of(info.type)));
}

SentRowsOf::Window SentRowsOf::window(const Node& node, size_t part) const {
  const SentRows sent = kind(node);
  const int64_t count = row_count(part_of(node, part).name);
  if (sent == SentRows::all) return {0, count, 0};
  if (sent == SentRows::routed) {
    int64_t before = 0;
    for (size_t i = 0; i < part; ++i) before += row_count(part_of(node, i).name);
    return {0, count, before};
  }
  const int64_t first = param(node, "first_row"), own = row_count(node.outputs.at("out").name);
  PARITY_CHECK(first >= 0 && first + own <= count, unsupported, "{}: rows {} to {} are outside of a part with {} rows",
               node.prefix, first, first + own, count);
  return {first, own, first};
}

std::vector<int64_t> SentRowsOf::rows(const Node& node, size_t part, const TensorView* ids) const {
  const Window window = this->window(node, part);
  std::vector<int64_t> rows(static_cast<size_t>(window.count));
  std::iota(rows.begin(), rows.end(), window.first);
  if (!by_ids(node)) return rows;
  PARITY_CHECK(ids != nullptr, internal, "{}: the rows to send are chosen by ids, but no ids are given", node.prefix);
  const auto chosen = ids->as<int64_t, 2>();                                                                   // (N, T)
  const int64_t count = param(node, "count");
  const int64_t first = kind(node) == SentRows::routed ? param(node, "first") : static_cast<int64_t>(part) * count;
  std::erase_if(rows, [&](int64_t row) {
    const int64_t n = row - window.first + window.first_id;
    for (int64_t t = 0; t < chosen.extent[1]; ++t) {
      if (chosen(n, t) >= first && chosen(n, t) < first + count) return false;
    }
    return true;
  });
  return rows;
}

double SentRowsOf::expected(const Node& node, size_t part) const {
  const auto window = static_cast<double>(this->window(node, part).count);
  if (!by_ids(node)) return window;
  const auto all = static_cast<double>(plan_.sizes_of(node).at('E')), own = static_cast<double>(param(node, "count"));
  double missed = 1.0;  // the chance that none of a token's distinct experts is of the rank
  for (int64_t t = 0; t < plan_.tap(ids_tap(node)).shape.back(); ++t) {
    const auto chosen = static_cast<double>(t);
    missed *= (all - own - chosen) / (all - chosen);
  }
  return window * (1.0 - missed);
}

}  // namespace parity
