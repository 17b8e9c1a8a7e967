// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Relations between runs of M3 with images and videos.
#include <algorithm>

#include "core/plans/tiny/tiny_configs.hpp"
#include "faults/relations/relation_battery.hpp"

namespace parity::faults {
namespace {

constexpr int64_t kMediaTokens = 16;
constexpr int64_t kSecond = 8;  // first position of a sequence's second picture

class MediaRelations : public Battery {
 public:
  MediaRelations(uint64_t seed, const Tried& tried)
      : Battery("minimax_m3_vl with media", seed, tried), subject_(subject(tiny_config("minimax_m3_vl"))) {
    image_ = subject_.config().at("image_token_index");
    video_ = subject_.config().at("video_token_index");
    const int64_t columns = 24;
    for (const int64_t width : {4, 6, 4, 6, 6})
      pictures_.push_back(drawn_picture({1, 2, width}, columns, seed * 100 + pictures_.size()));
    // Two sequences with two images each, of 2 and 3 tokens.
    ids_ = placed(subject_.tokens(2, kMediaTokens, seed + 3, std::min(image_, video_)), image_);
    run_ = whole(ids_);
    run_.images = {pictures_.begin(), pictures_.begin() + 4};
    base_ = once(logits(run_));
  }

  void relate() {
    orders();
    neighbours();
    kinds();
    calls();
  }

 private:
  [[nodiscard]] Make logits(const Run& run) {
    return [this, run](Walk& walk) { return subject_.logits(run, walk); };
  }

  /// Returns ids with placeholders in every sequence: two from position 2 on, and three from `kSecond` on.
  [[nodiscard]] static Tensor placed(const Tensor& ids, int64_t token) {
    Tensor result = convert(ids.view(), DType::i64);
    for (int64_t b = 0; b < ids.shape()[0]; ++b) {
      for (const int64_t s : {int64_t{2}, int64_t{3}, kSecond, kSecond + 1, kSecond + 2})
        result.i64()[b * ids.shape()[1] + s] = token;
    }
    return result;
  }

  void orders() {
    Run exchanged = whole(picked(ids_, 0, {1, 0}));
    exchanged.images = {pictures_[2], pictures_[3], pictures_[0], pictures_[1]};
    same("order", "reordered sequences, with their images, give reordered results", picked(base_, 0, {1, 0}),
         logits(exchanged));
    Run first = whole(part(ids_, 'B', 0, 1));
    first.images = {pictures_[0], pictures_[1]};
    same("alone", "a sequence alone, with its images, equals the same sequence in a batch", part(base_, 'B', 0, 1),
         logits(first));
  }

  void neighbours() {
    Run other = run_;
    other.images[1] = other.images[3] = pictures_[4];
    const Make changed = once(logits(other));
    same("causal", "the second image changes nothing before it", part(base_, 'S', 0, kSecond),
         part(changed, 'S', 0, kSecond));
    differ("effect", "the second image changes what comes after it", part(base_, 'S', kSecond, kMediaTokens - kSecond),
           part(changed, 'S', kSecond, kMediaTokens - kSecond));
  }

  void kinds() {
    Run videos = whole(placed(ids_, video_));
    videos.videos = run_.images;
    same("media-kinds", "images given as one-frame videos change nothing", base_, logits(videos));
    Run mixed = run_;
    mixed.turns[0].ids = convert(ids_.view(), DType::i64);
    for (int64_t b = 0; b < 2; ++b) {
      for (int64_t s = kSecond; s < kSecond + 3; ++s) mixed.turns[0].ids.i64()[b * kMediaTokens + s] = video_;
    }
    mixed.images = {pictures_[0], pictures_[2]};
    mixed.videos = {pictures_[1], pictures_[3]};
    same("media-mixed", "every second image given as a one-frame video changes nothing", base_, logits(mixed));
  }

  void calls() {
    Run decoded = one_by_one(ids_, kSecond + 3);
    decoded.images = run_.images;
    same("decode", "decoding after the images equals one prefill", base_, logits(decoded));
  }

  Subject& subject_;
  int64_t image_ = 0, video_ = 0;
  std::vector<Picture> pictures_;
  Tensor ids_;
  Run run_;
  Make base_;
};

}  // namespace

Battery media_relations(uint64_t seed, const Tried& tried) {
  MediaRelations battery(seed, tried);
  battery.relate();
  return battery;  // keeps the results, but not the subjects
}

}  // namespace parity::faults
