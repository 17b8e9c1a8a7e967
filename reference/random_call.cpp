// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/random_call.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/plan.hpp"
#include "core/plans/profile.hpp"
#include "core/random.hpp"

namespace parity::reference {
namespace {

class Maker {
 public:
  Maker(const std::string& component, uint64_t seed, DType working)
      : random_(seed, component), normals_(seed, component + " normals"), working_(working), call_(component) {
    draw_sizes();
    draw_media();
    draw_params();
    draw_operands();
    draw_outputs();
  }
  [[nodiscard]] RandomCall take() && { return {std::move(call_), std::move(table_)}; }

 private:
  int64_t from(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random_.below(next_++, static_cast<uint64_t>(most - least + 1)));
  }
  bool coin() { return from(0, 1) == 1; }
  double normal() { return normals_.normal(next_++); }
  double uniform() { return random_.uniform(next_++); }

  void draw_sizes() {
    sizes_ = {{'B', from(1, 2)}, {'S', from(1, 4)}, {'Z', from(0, 3)}, {'H', from(1, 5)},
              {'V', from(2, 5)}, {'G', from(1, 2)}, {'X', from(1, 2)}, {'D', from(2, 5)},
              {'I', from(1, 5)}, {'F', from(1, 4)}, {'E', from(2, 5)}, {'L', from(1, 4)}};
    sizes_['K'] = sizes_['S'] + sizes_['Z'];
    sizes_['A'] = sizes_['G'] * sizes_['X'] * from(1, 2);
    sizes_['R'] = 2 * from(1, sizes_['D'] / 2);
    sizes_['Q'] = from(1, 3);
    block_size_ = from(1, 3);
    sizes_['J'] = (sizes_['K'] + block_size_ - 1) / block_size_;
    if (call_.definition().name == "lightning_attention")
      sizes_['J'] = 1 + (sizes_['Z'] > 0 ? sizes_['S'] : (sizes_['S'] + sizes_['Q'] - 1) / sizes_['Q']);
    const bool pages = call_.definition().name == "paged_view" || call_.definition().name == "page_write";
    if (pages) sizes_['Q'] = block_size_;
    stored_ = coin();
    per_group_ = coin();
    const bool selects = call_.definition().name == "index_select";
    top_k_ = selects ? from(1, 4) : from(1, std::min<int64_t>(sizes_['E'], 3));
    sizes_['T'] = selects ? std::min(top_k_, sizes_['J']) : top_k_;
    // Half of the calls have scales around 1. In the others terms vanish, clamps act and softmax saturates, but nothing
    // overflows: products of two numbers stay below 2^15 in f16, products of six below 2^127 in binary32.
    const bool wide = coin();
    const int64_t exponent =
        working_ == DType::f16 ? (wide ? from(-12, 4) : from(-2, 2)) : (wide ? from(-30, 10) : from(-2, 2));
    scale_ = std::exp2(static_cast<double>(exponent));
  }

  /// Draws the grid of a tower's images and videos: merge blocks of 2 x 2 patches.
  void draw_media() {
    sizes_['M'] = from(1, 2);
    for (int64_t m = 0; m < sizes_['M']; ++m) {
      grid_.insert(grid_.end(), {from(1, 2), 2 * from(1, 2), 2 * from(1, 2)});
      sizes_['P'] += grid_[grid_.size() - 3] * grid_[grid_.size() - 2] * grid_.back();
    }
    sizes_['O'] = sizes_['P'] / 4;
    sizes_['C'] = from(1, 3);
    sizes_['Y'] = from(1, 3);
    if (call_.definition().name == "page_write") sizes_['Y'] = sizes_['V'];
    sizes_['U'] = from(1, sizes_['B'] * sizes_['S']);
    sizes_['W'] = from(0, sizes_['B'] * sizes_['S'] - sizes_['U']);
    coordinates_ = from(2, 3);
    if (call_.definition().name == "patchify") {
      sizes_['M'] = 1;
      sizes_['P'] = (sizes_['T'] + 1) / 2 * 8;  // 2 x 4 patches per pair of frames
    }
    if (call_.definition().name == "vision_rotary_tables") sizes_['R'] = 2 * coordinates_ * from(1, 2);
  }

  /// Parameters that affect which operands are valid.
  [[nodiscard]] ParamMap settled(bool eager) {
    return {{"block_size", block_size_},
            {"coordinates", coordinates_},
            {"exponents", exponents_ = coin()},
            {"filled", from(0, sizes_['Z'])},
            {"normalise_first", eager},
            {"per_group", per_group_},
            {"query_slot", from(-1, sizes_['Z'])},
            {"scale", 1.0 / std::sqrt(static_cast<double>(sizes_['D']))},
            {"top_k", top_k_}};
  }

  ParamValue drawn(const std::string& name, const ParamValue& usual) {
    const Definition& definition = call_.definition();
    const auto extent = definition.extents.find(name);
    if (extent != definition.extents.end()) return sizes_.at(extent->second);
    const auto among = definition.among.find(name);
    if (among != definition.among.end())
      return among->second[static_cast<size_t>(from(0, static_cast<int64_t>(among->second.size()) - 1))];
    return std::holds_alternative<bool>(usual) ? ParamValue(coin()) : usual;
  }

  void draw_params() {
    const bool eager = coin();
    if (!eager) table_ = find_attention("sdpa").rounding;
    const ParamMap known = settled(eager);
    for (const auto& [name, usual] : call_.definition().defaults) {
      const auto own = known.find(name);
      call_.param(name, own == known.end() ? drawn(name, usual) : own->second);
    }
  }

  [[nodiscard]] Shape shape(std::string axes) const {
    const auto replace = [&](const std::string& from, const std::string& to) {
      const size_t at = axes.find(from);
      if (at != std::string::npos) axes.replace(at, from.size(), to);
    };
    replace("list", per_group_ ? "B,X" : "B");
    replace("*", "B,S");
    return shape_of(axes, sizes_);
  }

  double element(Contents fill) {
    constexpr double kFull = 6.283185307179586;
    switch (fill) {
      case Contents::values:
        return round_to(working_, scale_ * normal());
      case Contents::gates:
        return round_to(working_, 8.0 * scale_ * normal());
      case Contents::factors:
        return round_to(working_, std::min(scale_, 2.0) * normal());
      case Contents::logits:
        return round_to(working_, std::min(scale_, 8.0) * normal());
      case Contents::cosines:
        return round_to(working_, std::cos(kFull * uniform()));
      case Contents::sines:
        return round_to(working_, std::sin(kFull * uniform()));
      case Contents::unit:
        return round_to(DType::f32, 1.0 - uniform());
      case Contents::bias:
        return round_to(working_, 0.25 * normal());
      case Contents::maxima:
        return round_to(DType::f32, normal());
      case Contents::codes:
        return round_to(DType::e4m3fn, 448.0 * (2.0 * uniform() - 1.0));
      case Contents::scales:
        return exponents_ ? static_cast<double>(from(120, 133)) : round_to(DType::f32, 0.125 + uniform());
      default:
        return round_to(DType::f32, 1.0 + uniform());
    }
  }

  Tensor numbers(const Shape& shape, Contents fill) {
    Tensor result(DType::f64, shape);
    for (int64_t i = 0; i < result.view().count(); ++i) result.f64()[i] = element(fill);
    if (fill == Contents::maxima) {
      for (int64_t i = 0; i < result.view().count(); ++i) {
        if (from(0, 3) == 0) result.f64()[i] = -std::numeric_limits<double>::infinity();
      }
    }
    return result;
  }

  int64_t id(Contents fill, int64_t flat, int64_t padding) {
    switch (fill) {
      case Contents::tokens:
        return from(0, sizes_['V'] - 1);
      case Contents::rows:
        return from(0, sizes_['B'] - 1);
      case Contents::labels:
        return from(0, 3) == 0 ? -100 : from(0, sizes_['V'] - 1);
      case Contents::places:
        return std::max<int64_t>(sizes_['Z'] + flat % sizes_['S'] - padding, 0);
      case Contents::distances:
        return from(0, 1 << 17);
      case Contents::mask:
        return from(0, 3) == 0 ? 0 : 1;
      case Contents::pixels:
        return from(0, 255);
      case Contents::sizes:
        return from(28, 100);
      case Contents::sampled:
        return flat % 2 == 0 ? from(1, 9) : from(1, sizes_['T']);
      case Contents::letters:
        return from('a', 'z');
      case Contents::specials:
        return flat % 2 == 0 ? 'P' + flat : 0;
      case Contents::grid:
        return grid_[static_cast<size_t>(flat)];
      case Contents::spliced:
        return flat < sizes_['U'] ? 0 : flat < sizes_['U'] + sizes_['W'] ? 1 : 2;
      default:
        return from(-1, sizes_['J']);  // ids of blocks
    }
  }

  void shuffle(int64_t* ids, int64_t count) {
    for (int64_t i = count; i > 1; --i) std::swap(ids[i - 1], ids[from(0, i - 1)]);
  }

  Tensor ids(const Shape& shape, Contents fill) {
    Tensor result(DType::i64, shape);
    const int64_t padding = from(0, 2);
    for (int64_t i = 0; i < result.view().count(); ++i) result.i64()[i] = id(fill, i, padding);
    if (fill == Contents::spliced) shuffle(result.i64(), result.view().count());
    if (fill == Contents::experts) {
      std::vector<int64_t> all(static_cast<size_t>(sizes_['E']));
      std::iota(all.begin(), all.end(), 0);
      for (int64_t n = 0; n < shape[0]; ++n) {
        shuffle(all.data(), sizes_['E']);
        std::copy_n(all.begin(), shape[1], result.i64() + n * shape[1]);
      }
    }
    return result;
  }

  [[nodiscard]] Shape shape_of_draw(const FieldInfo& field) const {
    return shape(field.drawn.empty() ? field.axes : field.drawn);
  }

  void draw_operand(const FieldInfo& field) {
    const Shape extents = shape_of_draw(field);
    call_.operand(field.name,
                  are_integers(field.contents) ? ids(extents, field.contents) : numbers(extents, field.contents));
  }

  /// Whether an optional operand is left out: by other operands where they determine it, else at random.
  bool absent(const FieldInfo& field) {
    if (!field.optional) return false;
    if (field.name == "past") return sizes_['Z'] == 0;
    if (field.name == "image") return sizes_['U'] == 0;
    if (field.name == "video") return sizes_['W'] == 0;
    if (field.name.starts_with("stored_")) return !stored_;
    const bool of_media = call_.definition().name == "prompt_expansion";  // its drawn text has no markers
    return of_media || field.name == "forced" || coin();
  }

  void draw_operands() {
    const std::string& name = call_.definition().name;
    for (const FieldInfo& field : call_.definition().inputs) {
      if (absent(field)) continue;
      if (name.starts_with("moe_experts") && (field.name == "gate_up" || field.name == "down")) {
        std::vector<Tensor> members;
        for (int64_t e = 0; e < sizes_['E']; ++e) members.push_back(numbers(shape(field.axes), Contents::values));
        call_.bank(field.name, members);
        continue;
      }
      const bool several = name.starts_with("gather") || name == "load_sum" || field.name == "parts";
      const bool layers = (name == "router_aux_loss" || name == "mtp_loss") && field.name == "logits";
      const int64_t copies = several ? 2 : layers ? from(1, 3) : 1;
      for (int64_t i = 0; i < copies; ++i) draw_operand(field);
    }
  }

  void draw_outputs() {
    const std::string& name = call_.definition().name;
    for (FieldInfo field : call_.definition().outputs) {
      if (sizes_['Z'] > 0 && (field.name == "intra" || field.name == "inter")) continue;  // only written without a past
      const bool lists = name == "index_block_scores" || name == "index_select";
      if (lists && field.axes.front() == '*') field.axes.replace(0, 1, "list");
      call_.out(field.name, shape_of_draw(field));
    }
  }

  Random random_;
  Random normals_;
  uint64_t next_ = 0;
  DType working_;
  TestCall call_;
  AxisSizes sizes_;
  RoundingTable table_;
  int64_t block_size_ = 1;
  int64_t top_k_ = 1;
  bool per_group_ = false;
  bool exponents_ = false;
  bool stored_ = false;
  int64_t coordinates_ = 3;
  std::vector<int64_t> grid_;
  double scale_ = 1.0;
};

}  // namespace

RandomCall random_call(const std::string& component, uint64_t seed, DType working) {
  return Maker(component, seed, working).take();
}

}  // namespace parity::reference
