// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Relations between runs of M3's vision tower with projector and merger. Attention covers a whole image or video, and
// rotary tables depend only on distances. So an image read upside down, by a tower whose row channels rotate the other
// way, gives equal results. That holds only for the right order of patches, windows and rotary bands.
#include <cmath>

#include "core/plans/profile.hpp"
#include "core/plans/tiny/tiny_configs.hpp"
#include "faults/relations/relation_battery.hpp"

namespace parity::faults {
namespace {

constexpr const char* kPatches = "projector/linear_2/out";                                                     // (P, W)
constexpr const char* kWindows = "merger/linear_2/out";                                                        // (O, W)
constexpr const char* kCrowded = "hf-5.18.0";               // all images of a call attend to each other

struct View {
  std::vector<Picture> pictures;
  std::string kind = "image";
  WeightEdits weights{};
};

class Tower : public Battery {
 public:
  Tower(uint64_t seed, const Tried& tried)
      : Battery("minimax_m3_vl tower", seed, tried), subject_(subject(tiny_config("minimax_m3_vl"))) {
    const auto& vision = subject_.config().at("vision_config");
    patch_ = vision.at("patch_size");
    heads_ = vision.at("num_attention_heads");
    width_ = vision.at("hidden_size").get<int64_t>() / heads_;
    band_ = width_ / 2 / 3;  // number of frequencies per coordinate
  }

  void relate() {
    media();
    patches();
    directions();
    weights();
  }

 private:
  [[nodiscard]] Picture drawn(const Patch& grid, uint64_t number) const {
    return drawn_picture(grid, 3 * 2 * patch_ * patch_, seed_ * 100 + number);
  }

  [[nodiscard]] static Make features(const Subject& subject, const View& view, const char* which) {
    return [&subject, view, which](Walk& walk) {
      const std::string at = "steps/000/vision/" + view.kind + "/";
      const Tensor pixels = pixels_of(view.pictures);
      Call call{"000", 1, 0, 0};
      call.media = {{view.kind, pixels.shape()[0], static_cast<int64_t>(view.pictures.size())}};
      const Taps inputs{{at + "pixel_values", pixels}, {at + "grid_thw", grids_of(view.pictures)}};
      return subject.taps(subject.request({call}), inputs, {at + which}, walk, view.weights).at(at + which);
    };
  }
  [[nodiscard]] Make features(const View& view, const char* which = kWindows) const {
    return features(subject_, view, which);
  }

  void media() {
    const Picture a = drawn({1, 4, 2}, 1);  // 2 windows
    const Picture b = drawn({1, 2, 6}, 2);  // 3 windows
    const Picture c = drawn({1, 2, 2}, 3);  // 1 window
    const Make all = once(features({{a, b, c}}));
    same("media-order", "reordered images give reordered results", picked(all, 0, {2, 3, 4, 5, 0, 1}),
         features({{b, c, a}}));
    same("media-alone", "an image alone equals the same image among others", picked(all, 0, {2, 3, 4}),
         features({{b}}));
    same("media-twins", "an image given twice gives the same result twice", picked(all, 0, {0, 1, 5, 0, 1}),
         features({{a, c, a}}));
    const Subject& crowded = subject(subject_.config(), kCrowded);
    differ("media-company", "where images attend to each other (5.12 to 5.22), another image changes the result",
           picked(features(crowded, {{a, b, c}}, kWindows), 0, {2, 3, 4}), features(crowded, {{b}}, kWindows));
    same("media-kinds", "a one-frame video equals the image", all, features({{a, b, c}, "video"}));
  }

  /// Permutes the numbers of a patch together with the filters on them, since colours, frames and pixels are unordered.
  void patches() {
    const Picture image = drawn({1, 4, 4}, 4);
    const std::vector<int64_t> numbers = moved_on(image.pixels.shape()[1], 0);
    View view{{image}};
    const Make right = once(features(view));
    const int64_t frame = patch_ * patch_;
    std::vector<int64_t> colours, frames;
    for (const int64_t i : numbers) {
      colours.push_back((i + 2 * frame) % (6 * frame));
      frames.push_back(i / frame % 2 == 0 ? i + frame : i - frame);
    }
    view.pictures = {{image.grid, picked(image.pixels, 1, colours)}};
    view.weights.orders = {{"*patch_embedding.weight", 1, {1, 2, 0}}};
    same("patch-colours", "permuted colour channels, with permuted weights, change nothing", right, features(view));
    view.pictures = {{image.grid, picked(image.pixels, 1, frames)}};
    view.weights.orders = {{"*patch_embedding.weight", 2, {1, 0}}};
    same("patch-frames", "exchanged frames of a patch, with exchanged weights, change nothing", right, features(view));
  }

  // ---- turned pictures ----

  /// Returns edits that make the channels of one rotary band rotate the other way in queries and keys.
  [[nodiscard]] std::vector<Reorder> turned_back(int64_t band) const {
    Reorder order{"", 0, moved_on(heads_ * width_, 0), std::vector<bool>(static_cast<size_t>(heads_ * width_))};
    for (int64_t head = 0; head < heads_; ++head) {
      for (int64_t j = 0; j < band_; ++j)
        order.negated[static_cast<size_t>(head * width_ + 3 * band_ + band * band_ + j)] = true;
    }
    return on_queries_and_keys(order);
  }

  /// Returns edits that exchange the row channels and column channels of queries and keys.
  [[nodiscard]] std::vector<Reorder> bands_exchanged() const {
    Reorder order{"", 0, moved_on(heads_ * width_, 0)};
    for (int64_t head = 0; head < heads_; ++head) {
      for (const int64_t half : {int64_t{0}, 3 * band_}) {
        for (int64_t j = 0; j < band_; ++j) {
          const int64_t row = head * width_ + half + band_ + j;
          std::swap(order.from[static_cast<size_t>(row)], order.from[static_cast<size_t>(row + band_)]);
        }
      }
    }
    return on_queries_and_keys(order);
  }

  [[nodiscard]] static std::vector<Reorder> on_queries_and_keys(Reorder order) {
    std::vector<Reorder> all;
    for (const char* tensor :
         {"*self_attn.q_proj.weight", "*self_attn.q_proj.bias", "*self_attn.k_proj.weight", "*self_attn.k_proj.bias"}) {
      order.tensor = tensor;
      all.push_back(order);
    }
    return all;
  }

  /// Compares `picture` with a version at other positions, seen by a tower with `weights` turned alike. `window` gives
  /// the previous position of each of the four patches of a window.
  void turned(const char* relation, const char* what, const Picture& picture, const Patch& grid,
              const std::function<Patch(const Patch&)>& seen, const std::vector<int64_t>& window,
              const std::vector<Reorder>& weights) {
    const std::vector<int64_t> order = order_of(picture.grid, grid, 2, seen);
    std::vector<int64_t> windows;
    for (size_t patch = 0; patch < order.size(); patch += 4) windows.push_back(order[patch] / 4);
    Reorder columns{"*patch_merge_mlp.linear_1.weight", 1, {}};
    const int64_t text = subject_.sizes().at('H');
    for (const int64_t place : window) {
      for (int64_t w = 0; w < text; ++w) columns.from.push_back(place * text + w);
    }
    View view{{{grid, picked(picture.pixels, 0, order)}}, "image", {{}, weights}};
    view.weights.orders.push_back(columns);
    const View straight{{picture}};
    same(relation, what, picked(features(straight, kPatches), 0, order), features(view, kPatches));
    same("windows", what, picked(features(straight), 0, windows), features(view));
  }

  void directions() {
    const Picture image = drawn({1, 6, 4}, 5);
    const Picture video = drawn({3, 4, 2}, 6);
    turned(
        "upside-down", "a flipped image, with flipped positions, changes nothing", image, image.grid,
        [](const Patch& p) {
          return Patch{p[0], 5 - p[1], p[2]};
        },
        {2, 3, 0, 1}, turned_back(1));
    turned(
        "mirrored", "a mirrored image, with mirrored positions, changes nothing", image, image.grid,
        [](const Patch& p) {
          return Patch{p[0], p[1], 3 - p[2]};
        },
        {1, 0, 3, 2}, turned_back(2));
    turned(
        "backwards", "a reversed video, with reversed positions, changes nothing", video, video.grid,
        [](const Patch& p) {
          return Patch{2 - p[0], p[1], p[2]};
        },
        {0, 1, 2, 3}, turned_back(0));
    turned(
        "transposed", "a transposed image, with exchanged rotary channels, changes nothing", image, {1, 4, 6},
        [](const Patch& p) {
          return Patch{p[0], p[2], p[1]};
        },
        {0, 2, 1, 3}, bands_exchanged());
  }

  void weights() {
    View view{{drawn({1, 4, 4}, 7)}};
    const Make right = features(view);
    const auto order = moved_on(heads_ * width_, width_);
    for (const char* name : {"q_proj", "k_proj", "v_proj"}) {
      for (const char* kind : {"weight", "bias"})
        view.weights.orders.push_back({fmt::format("*self_attn.{}.{}", name, kind), 0, order});
    }
    view.weights.orders.push_back({"*self_attn.out_proj.weight", 1, order});
    same("heads", "permuted heads change nothing", right, features(view));
  }

  Subject& subject_;
  int64_t patch_ = 0, heads_ = 0, width_ = 0, band_ = 0;
};

}  // namespace

Battery tower_relations(uint64_t seed, const Tried& tried) {
  Tower battery(seed, tried);
  battery.relate();
  return battery;  // keeps the results, but not the subjects
}

}  // namespace parity::faults
