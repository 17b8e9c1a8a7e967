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
#include "reference/random_operands.hpp"

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
    // Half of the calls around one; the others so small or large that terms vanish, clamps act and softmax saturates,
    // but nothing overflows: products of two stay below 2^15 in f16, of six below 2^127 in binary32.
    const bool wide = coin();
    const int64_t exponent =
        working_ == DType::f16 ? (wide ? from(-12, 4) : from(-2, 2)) : (wide ? from(-30, 10) : from(-2, 2));
    scale_ = std::exp2(static_cast<double>(exponent));
  }

  /// Images and videos of a tower: merge blocks of 2 x 2 patches.
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
      sizes_['P'] = (sizes_['T'] + 1) / 2 * 8;  // two by four patches, a pair of frames
    }
    if (call_.definition().name == "vision_rotary_tables") sizes_['R'] = 2 * coordinates_ * from(1, 2);
  }

  /// Of processors in front of the model, of heads and losses behind it.
  [[nodiscard]] ParamMap params_of_ends() {
    return {{"at_least_one", coin()},
            {"channels", sizes_['C']},
            {"least_pixels", from(100, 5000)},
            {"mean_blue", 0.4},
            {"mean_green", 0.5},
            {"mean_red", 0.6},
            {"most_pixels", from(5000, 9000)},
            {"num_items", per_group_ ? 0.0 : 3.0},
            {"pad_token", int64_t{0}},
            {"patch", sizes_['Y']},
            {"rescale", 1.0 / 255.0},
            {"resize", true},
            {"segment", int64_t{0}},
            {"space_id", int64_t{1}},
            {"std_blue", 0.3},
            {"std_green", 0.2},
            {"std_red", 0.25},
            {"temporal", int64_t{2}},
            {"unknown_id", int64_t{0}},
            {"whole_numbers", coin()},
            {"whole_side", coin()}};
  }

  void draw_params() {
    const bool eager = coin();
    if (!eager) table_ = find_attention("sdpa").rounding;
    ParamMap known{{"alpha", 1.702},
                   {"aux_coefficient", 1e-3},
                   {"block_size", block_size_},
                   {"branch_factor", coin() ? 1.0 : 0.75},
                   {"coordinates", coordinates_},
                   {"depth_epsilon", coin() ? 1e-5 : 0.0},
                   {"eps", 1e-6},
                   {"experts", from(0, 1)},
                   {"exponents", exponents_ = coin()},
                   {"factor", 0.1},
                   {"fill", int64_t{0}},
                   {"filled", from(0, sizes_['Z'])},
                   {"first_expert", from(0, 1)},
                   {"first_slot", from(0, 1)},
                   {"first_slot_masks", coin() && coin()},
                   {"gain_offset", coin() ? 1.0 : 0.0},
                   {"image_token", int64_t{0}},
                   {"init_blocks", from(0, 2)},
                   {"interpolated", coin()},
                   {"key_tile", from(1, 4)},
                   {"label_offset", from(0, 1)},
                   {"layer", from(0, 2)},
                   {"layers", from(3, 5)},
                   {"limit", coin() ? 7.0 : 1.3},
                   {"linear_offset", coin() ? 1.0 : 0.0},
                   {"local_blocks", from(0, 3)},
                   {"marks_refused", coin()},
                   {"merge", int64_t{2}},
                   {"normalise_first", eager},
                   {"padding", coin()},
                   {"page_size", block_size_},
                   {"per_group", per_group_},
                   {"per_medium", per_group_},
                   {"pooled_slots", eager},
                   {"query_slot", from(-1, sizes_['Z'])},
                   {"rate", 1e-3},
                   {"residual_factor", coin() ? 1.0 : 3.55},
                   {"rotary_width", sizes_['R']},
                   {"scale", 1.0 / std::sqrt(static_cast<double>(sizes_['D']))},
                   {"scaling", coin() ? 2.0 : 2.1},
                   {"self_visible", coin()},
                   {"theta", 1e4},
                   {"token", int64_t{0}},
                   {"top_k", top_k_},
                   {"video_token", int64_t{1}},
                   {"zero_blind_rows", coin()}};
    known.merge(params_of_ends());
    for (const auto& [name, value] : call_.definition().defaults) {
      PARITY_CHECK(known.contains(name), internal,
                   "no value for the parameter '{}' of {}; give it a row in `known` of reference/random_call.cpp", name,
                   call_.definition().name);
      call_.param(name, known.at(name));
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

  double element(Fill fill) {
    constexpr double kFull = 6.283185307179586;
    switch (fill) {
      case Fill::values:
        return round_to(working_, scale_ * normal());
      case Fill::gates:
        return round_to(working_, 8.0 * scale_ * normal());
      case Fill::factors:
        return round_to(working_, std::min(scale_, 2.0) * normal());
      case Fill::logits:
        return round_to(working_, std::min(scale_, 8.0) * normal());
      case Fill::cosines:
        return round_to(working_, std::cos(kFull * uniform()));
      case Fill::sines:
        return round_to(working_, std::sin(kFull * uniform()));
      case Fill::unit:
        return round_to(DType::f32, 1.0 - uniform());
      case Fill::bias:
        return round_to(working_, 0.25 * normal());
      case Fill::maxima:
        return round_to(DType::f32, normal());
      case Fill::codes:
        return round_to(DType::e4m3fn, 448.0 * (2.0 * uniform() - 1.0));
      case Fill::scales:
        return exponents_ ? static_cast<double>(from(120, 133)) : round_to(DType::f32, 0.125 + uniform());
      default:
        return round_to(DType::f32, 1.0 + uniform());
    }
  }

  Tensor numbers(const Shape& shape, Fill fill) {
    Tensor result(DType::f64, shape);
    for (int64_t i = 0; i < result.view().count(); ++i) result.f64()[i] = element(fill);
    if (fill == Fill::maxima) {
      for (int64_t i = 0; i < result.view().count(); ++i) {
        if (from(0, 3) == 0) result.f64()[i] = -std::numeric_limits<double>::infinity();
      }
    }
    return result;
  }

  int64_t id(Fill fill, int64_t flat, int64_t padding) {
    switch (fill) {
      case Fill::tokens:
        return from(0, sizes_['V'] - 1);
      case Fill::rows:
        return from(0, sizes_['B'] - 1);
      case Fill::labels:
        return from(0, 3) == 0 ? -100 : from(0, sizes_['V'] - 1);
      case Fill::places:
        return std::max<int64_t>(sizes_['Z'] + flat % sizes_['S'] - padding, 0);
      case Fill::distances:
        return from(0, 1 << 17);
      case Fill::mask:
        return from(0, 3) == 0 ? 0 : 1;
      case Fill::pixels:
        return from(0, 255);
      case Fill::sizes:
        return from(28, 100);
      case Fill::sampled:
        return flat % 2 == 0 ? from(1, 9) : from(1, sizes_['T']);
      case Fill::letters:
        return from('a', 'z');
      case Fill::specials:
        return flat % 2 == 0 ? 'P' + flat : 0;
      case Fill::grid:
        return grid_[static_cast<size_t>(flat)];
      case Fill::spliced:
        return flat < sizes_['U'] ? 0 : flat < sizes_['U'] + sizes_['W'] ? 1 : 2;
      default:
        return from(-1, sizes_['J']);  // blocks
    }
  }

  void shuffle(int64_t* ids, int64_t count) {
    for (int64_t i = count; i > 1; --i) std::swap(ids[i - 1], ids[from(0, i - 1)]);
  }

  Tensor ids(const Shape& shape, Fill fill) {
    Tensor result(DType::i64, shape);
    const int64_t padding = from(0, 2);
    for (int64_t i = 0; i < result.view().count(); ++i) result.i64()[i] = id(fill, i, padding);
    if (fill == Fill::spliced) shuffle(result.i64(), result.view().count());
    if (fill == Fill::experts) {
      std::vector<int64_t> all(static_cast<size_t>(sizes_['E']));
      std::iota(all.begin(), all.end(), 0);
      for (int64_t n = 0; n < shape[0]; ++n) {
        shuffle(all.data(), sizes_['E']);
        std::copy_n(all.begin(), shape[1], result.i64() + n * shape[1]);
      }
    }
    return result;
  }

  void draw_operand(const FieldInfo& field) {
    const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) {
      return call_.definition().name == r.component && field.name == r.field;
    });
    const Fill fill = row == std::end(kRows) ? Fill::values : row->fill;
    const Shape extents = shape(row == std::end(kRows) ? field.axes : row->axes);
    const bool discrete = fill >= Fill::tokens && fill != Fill::maxima;
    call_.operand(field.name, discrete ? ids(extents, fill) : numbers(extents, fill));
  }

  void draw_operands() {
    const std::string& name = call_.definition().name;
    for (const FieldInfo& field : call_.definition().inputs) {
      if (field.name == "forced" || (field.name == "past" && field.optional && sizes_['Z'] == 0) ||
          ((field.name == "aux_loss" || field.name == "shared" || field.name == "scales" ||
            field.name == "token_mask" || (field.name == "documents" && name == "mtp_loss") || field.name == "slots" ||
            field.name == "pairs" || field.name == "valid" ||
            ((field.name == "mask" || field.name == "positions") &&
             (name.starts_with("attention") || name == "token_mask"))) &&
           coin()) ||
          (field.name == "video" && sizes_['W'] == 0) || (name == "linear" && field.name == "bias" && coin()) ||
          (!stored_ && field.name.starts_with("stored_")) || (name == "prompt_expansion" && field.optional))
        continue;
      if (name.starts_with("moe_experts") && (field.name == "gate_up" || field.name == "down")) {
        std::vector<Tensor> members;
        for (int64_t e = 0; e < sizes_['E']; ++e) members.push_back(numbers(shape(field.axes), Fill::values));
        call_.bank(field.name, members);
        continue;
      }
      const bool several = name.starts_with("gather") || name == "process_sum" || name == "load_sum";
      const bool layers = (name == "router_aux_loss" || name == "mtp_loss") && field.name == "logits";
      const int64_t copies = several ? 2 : layers ? from(1, 3) : 1;
      for (int64_t i = 0; i < copies; ++i) draw_operand(field);
    }
  }

  void draw_outputs() {
    const std::string& name = call_.definition().name;
    for (const FieldInfo& field : call_.definition().outputs) {
      if (sizes_['Z'] > 0 && (field.name == "intra" || field.name == "inter")) continue;  // written without a past
      const bool lists = name == "index_block_scores" || name == "index_select";
      std::string axes = name == "dequantise" ? "GD,XD" : field.axes;
      if (lists && axes.front() == '*') axes.replace(0, 1, "list");
      if (name == "patch_merge") axes = "O,4H";
      if (name == "block_mask") axes = "B,X,S,J";
      if (name == "gather_ids") axes = "2BS,T";
      if (name == "patchify" && field.name == "values") axes = "P,2CYY";
      call_.out(field.name, shape(axes));
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
