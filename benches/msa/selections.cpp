// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/msa/selections.hpp"

#include <algorithm>
#include <limits>

#include "core/random.hpp"
#include "core/text.hpp"

namespace parity::benches {
namespace {

/// Draws the lists of blocks for one row of queries, token by token.
class Walk {
 public:
  Walk(Selection selection, uint64_t seed, uint64_t stream) : selection_(selection), random_(seed, stream) {}

  /// Returns the next query's blocks: its own block `own`, with `sticky` local and kept blocks, then drawn ones.
  const std::vector<int64_t>& next(int64_t own, int64_t count) {
    std::vector<int64_t> kept{own};
    if (selection_ == Selection::sticky) {
      if (own > 0) kept.push_back(own - 1);
      for (const int64_t block : blocks_) {
        if (static_cast<int64_t>(kept.size()) < count && !holds(kept, block) && random_.uniform(draw_++) < kStay)
          kept.push_back(block);
      }
    }
    const int64_t wanted = std::min(count, own + 1);
    while (static_cast<int64_t>(kept.size()) < wanted) {
      const auto block = static_cast<int64_t>(random_.below(draw_++, static_cast<uint64_t>(own + 1)));
      if (!holds(kept, block)) kept.push_back(block);
    }
    kept.resize(static_cast<size_t>(wanted));
    return blocks_ = std::move(kept);
  }

 private:
  /// Probability that a drawn block is kept. Two of sixteen blocks are local and overlap; fourteen add the rest.
  static constexpr double kStay = (kOverlap * 16.0 - 2.0) / 14.0;
  static bool holds(const std::vector<int64_t>& list, int64_t block) {
    return std::find(list.begin(), list.end(), block) != list.end();
  }

  Selection selection_;
  Random random_;
  uint64_t draw_ = 0;
  std::vector<int64_t> blocks_;
};

}  // namespace

const char* to_string(Selection selection) {
  switch (selection) {
    case Selection::model:
      return "model";
    case Selection::sticky:
      return "sticky";
    case Selection::random:
      return "random";
  }
  return "";
}

Selection parse_selection(const std::string& name) {
  for (const Selection each : {Selection::model, Selection::sticky, Selection::random}) {
    if (name == to_string(each)) return each;
  }
  throw Error(ErrorCode::usage, fmt::format("selection '{}' is not known{}; use model, sticky or random", name,
                                            did_you_mean(name, {"model", "sticky", "random"})));
}

Tensor drawn_blocks(const AttentionShape& shape, Selection selection, uint64_t seed) {
  const int64_t width = std::min(kTopK, shape.blocks());
  const Tensor blocks(DType::i64, {shape.batch, shape.index_heads, shape.queries, width}, "B,X,S,T");
  for (int64_t r = 0; r < shape.batch * shape.index_heads; ++r) {
    Walk walk(selection, seed, static_cast<uint64_t>(r));
    for (int64_t s = 0; s < shape.queries; ++s) {
      const auto& chosen = walk.next((shape.slots - shape.queries + s) / kBlock, width);
      int64_t* row = blocks.i64() + (r * shape.queries + s) * width;
      std::fill_n(row, width, -1);
      std::copy(chosen.begin(), chosen.end(), row);
    }
  }
  return blocks;
}

Tensor drawn_scores(const AttentionShape& shape, uint64_t seed) {
  const int64_t blocks = shape.blocks();
  const Tensor scores(DType::f32, {shape.batch, shape.index_heads, shape.queries, blocks}, "B,X,S,J");
  auto* data = reinterpret_cast<float*>(scores.view().data);
  const Random random(seed, "block scores");
  const int64_t rows = shape.batch * shape.index_heads * shape.queries;
#pragma omp parallel for
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t own = (shape.slots - shape.queries + r % shape.queries) / kBlock;
    for (int64_t n = 0; n < blocks; ++n) {
      const auto at = static_cast<uint64_t>(r * blocks + n);
      data[r * blocks + n] = n > own ? -std::numeric_limits<float>::infinity() : static_cast<float>(random.uniform(at));
    }
  }
  return scores;
}

double overlap_of(const Tensor& blocks, const AttentionShape& shape) {
  const int64_t width = blocks.shape().back();
  double shared = 0.0, pairs = 0.0;
  for (int64_t r = 0; r < shape.batch * shape.index_heads; ++r) {
    for (int64_t s = 1; s < shape.queries; ++s) {
      if ((shape.slots - shape.queries + s) / kBlock < kTopK) continue;
      const int64_t* row = blocks.i64() + (r * shape.queries + s) * width;
      for (int64_t t = 0; t < width; ++t) shared += std::count(row - width, row, row[t]) > 0 ? 1.0 : 0.0;
      pairs += static_cast<double>(width);
    }
  }
  return pairs == 0.0 ? 0.0 : shared / pairs;
}

}  // namespace parity::benches
