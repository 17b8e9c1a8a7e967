// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Exact attention: each query selects one slot, or a power of two of slots. All other exponentials are 0.

#include <algorithm>
#include <cmath>
#include <functional>

#include "cases/drawn/exact.hpp"

namespace parity::cases {
namespace {

/// exp(-128) is 0 in binary32, whose smallest positive number is exp(-103.3).
constexpr int64_t kGap = 128;
constexpr int64_t kMostLevel = 200;  // because 128 times 401 is a number of f16

using Visible = std::function<bool(int64_t b, int64_t a, int64_t s, int64_t j)>;

/// Key channels in a drawn order: the level of the slot, a one, and codes of +-1.
class ExactAttention {
 public:
  ExactAttention(CaseMaker& m, const std::string& heads, const std::string& slots, Visible visible)
      : m_(m),
        heads_(heads),
        slots_(slots),
        visible_(std::move(visible)),
        width_(m.size('D')),
        keys_(m.size(slots.back())),
        channel_(shuffled(m, width_)) {}

  void fill(int64_t sequences, int64_t groups, int64_t queries) {
    const bool half = m_.working() == DType::f16;  // 1024 times a level is not a number of f16
    const double scale = half ? m_.one_of<double>({1.0, 2.0}) : m_.one_of<double>({0.125, 0.5, 1.0, 2.0});
    m_.param("scale", scale);
    factor_ = kGap / scale;
    groups_ = groups;
    queries_ = queries;
    most_ties_ = m_.one_of<int64_t>({1, 4, 16, 64});
    draw_keys(sequences * groups);
    raise_some();
    fill_keys_and_values();
    fill_queries();
  }

 private:
  [[nodiscard]] size_t cell(int64_t head, int64_t slot, int64_t d) const {
    return static_cast<size_t>((head * keys_ + slot) * width_ + d);
  }
  [[nodiscard]] int64_t codes() const { return width_ - 2; }
  [[nodiscard]] double level(int64_t head, int64_t slot) const { return key_[cell(head, slot, 0)]; }
  [[nodiscard]] bool same_code(int64_t head, int64_t i, int64_t j) const {
    return std::equal(&key_[cell(head, i, 0)] + 2, &key_[cell(head, i, 0)] + width_, &key_[cell(head, j, 0)] + 2);
  }

  [[nodiscard]] bool many() const { return keys_ > 2 * kMostLevel; }
  [[nodiscard]] std::vector<int64_t> seen_by(int64_t b, int64_t a, int64_t s) const {
    std::vector<int64_t> seen;
    for (int64_t j = 0; j < keys_; ++j) {
      if (visible_(b, a, s, j)) seen.push_back(j);
    }
    return seen;
  }

  void draw_keys(int64_t heads) {
    key_.assign(static_cast<size_t>(heads * keys_ * width_), 1.0);
    for (int64_t head = 0; head < heads; ++head) {
      const auto rank = shuffled(m_, keys_);
      for (int64_t j = 0; j < keys_; ++j) {
        const int64_t own = rank[static_cast<size_t>(j)] - keys_ / 2;
        key_[cell(head, j, 0)] = static_cast<double>(many() ? own % kMostLevel : own);
        const int64_t like = j > 0 && m_.from(0, 3) == 0 ? m_.from(0, j - 1) : -1;  // an earlier slot with this code
        for (int64_t d = 2; d < width_; ++d)
          key_[cell(head, j, d)] = like >= 0 ? key_[cell(head, like, d)] : m_.coin() ? 1.0 : -1.0;
      }
    }
  }

  /// Gives visible slots the highest level. Beyond 2^14 slots several slots share a level, and there is one query.
  void raise_some() {
    if (!many()) return;
    auto seen = seen_by(0, 0, 0);
    for (int64_t left = power_below(std::min<int64_t>(most_ties_, static_cast<int64_t>(seen.size()))); left > 0;
         --left) {
      const int64_t target = m_.one_of(seen);
      key_[cell(0, target, 0)] = kMostLevel;
      std::erase(seen, target);
    }
  }

  void fill_keys_and_values() {
    std::vector<int64_t> role(static_cast<size_t>(width_));
    for (int64_t d = 0; d < width_; ++d) role[static_cast<size_t>(channel_[static_cast<size_t>(d)])] = d;
    m_.numbers("k", slots_ + ",D", TapType::working,
               [&](int64_t i) { return key_[cell(0, i / width_, role[static_cast<size_t>(i % width_)])]; });
    // The mean of `most_ties_` whole numbers must be a number of the type. Of a single one, any number is.
    const int64_t most = std::min<int64_t>(whole_numbers(m_.working()) / most_ties_, 4094);
    m_.numbers("v", slots_ + ",D", TapType::working,
               [&](int64_t) { return most_ties_ == 1 ? any_value() : static_cast<double>(m_.from(-most, most)); });
  }

  /// Returns any number that is not subnormal, as processors may flush these, and so small that two do not overflow.
  double any_value() {
    constexpr double kLarge = 0x1p14;
    const double x = any_number(m_), size = std::abs(x);
    return size > kLarge || (size > 0.0 && size < smallest_normal(m_.working())) ? 1.0 : x;
  }

  [[nodiscard]] bool ties_allowed(size_t count) const {
    const auto ties = static_cast<int64_t>(count);
    return ties <= most_ties_ && ties == power_below(ties);
  }

  /// Returns the first, the last or any slot that the query sees.
  int64_t any_of(const std::vector<int64_t>& seen) {
    const int64_t where = m_.from(0, 3);
    return where == 0 ? seen.front() : where == 1 ? seen.back() : m_.one_of(seen);
  }

  /// Returns the channels of a query, in the order of their roles. Its largest score is 0. In 16-bit types it may
  /// differ slightly from 0: exp2 of a fused multiply-add, as in flash kernels, is then not exactly 1 at the largest
  /// score, but the rounding to the type hides this.
  std::vector<double> query(int64_t head, const std::vector<int64_t>& seen) {
    std::vector<double> q(static_cast<size_t>(width_), 0.0);
    if (m_.working() != DType::f32) q[1] = factor_ * static_cast<double>(m_.from(-2, 2));
    if (seen.empty() || (m_.from(0, 3) == 0 && ties_allowed(seen.size()))) return q;
    const int64_t target = any_of(seen);
    const auto tied = static_cast<size_t>(
        std::count_if(seen.begin(), seen.end(), [&](int64_t j) { return same_code(head, target, j); }));
    if (!many() && m_.from(0, 3) != 0 && ties_allowed(tied)) {
      for (int64_t d = 2; d < width_; ++d) q[static_cast<size_t>(d)] = factor_ * key_[cell(head, target, d)];
      q[1] -= factor_ * static_cast<double>(codes());
      return q;
    }
    const double sign = many() || m_.coin() ? 1.0 : -1.0;
    double best = -2.0 * kMostLevel;
    for (const int64_t j : seen) best = std::max(best, sign * level(head, j));
    q[0] = sign * factor_;
    q[1] -= factor_ * best;
    return q;
  }

  void fill_queries() {
    const int64_t query_heads = m_.size('A'), group = query_heads / groups_;
    int64_t next = 0;
    fill_rows(m_, "q", heads_ + ",D", width_, [&] {
      const int64_t row = next++, s = row % queries_, a = row / queries_ % query_heads,
                    b = row / queries_ / query_heads;
      const auto roles = query(b * groups_ + a / group, seen_by(b, a, s));
      std::vector<double> q(static_cast<size_t>(width_));
      for (int64_t d = 0; d < width_; ++d)
        q[static_cast<size_t>(channel_[static_cast<size_t>(d)])] = roles[static_cast<size_t>(d)];
      return q;
    });
  }

  CaseMaker& m_;
  std::string heads_, slots_;
  Visible visible_;
  int64_t width_, keys_;
  std::vector<int64_t> channel_;  // key: role
  double factor_ = 0.0;           // factor of queries: scores of different codes or levels differ by kGap
  int64_t groups_ = 1, queries_ = 1, most_ties_ = 1;
  std::vector<double> key_;  // indices: head, slot, role of the channel
};

/// Widens heads to two channels: one for a code, one for a level.
void widen_heads(CaseMaker& m, const std::string& out) {
  if (m.size('D') >= 2) return;
  m.size('D', 2);
  m.output("out", out);
}

/// The first query's slot.
int64_t first_slot(CaseMaker& m) {
  const auto& params = m.params();
  const auto given = params.find("query_slot");
  return given == params.end() ? m.size('K') - m.size('S') : std::get<int64_t>(given->second);
}

/// Whether slot 0's mask stands for every slot.
bool first_slot_masks(CaseMaker& m) {
  const auto& params = m.params();
  const auto given = params.find("first_slot_masks");
  return given != params.end() && std::get<bool>(given->second);
}

/// Lets every query see its own slot. A query without visible slots gets the mean of all slots, which is not exact.
void clear_blind(CaseMaker& m) {
  if (!m.has("mask")) return;
  const Tensor drawn = m.given("mask");
  const int64_t width = drawn.shape()[1], first = first_slot_masks(m) ? 0 : first_slot(m);
  m.ids("mask", width == m.size('K') ? "B,K" : "B,U",
        [&](int64_t i) { return i % width >= first ? 1 : drawn.i64()[i]; });
}

Visible causal(CaseMaker& m) {
  const int64_t queries = m.size('S'), first = first_slot(m), step = first_slot_masks(m) ? 0 : 1;
  const Tensor mask = m.has("mask") ? m.given("mask") : Tensor();
  const int64_t width = mask.empty() ? 0 : mask.shape()[1];
  const Tensor positions = m.has("positions") ? m.given("positions") : Tensor();
  return [=](int64_t b, int64_t, int64_t s, int64_t j) {
    const int64_t own = positions.empty() ? first + s : positions.i64()[b * queries + s];
    return j <= own && (mask.empty() || mask.i64()[b * width + step * j] != 0);
  };
}

void attention_dense(CaseMaker& m) {
  widen_heads(m, "B,S,A,D");
  clear_blind(m);
  ExactAttention(m, "B,A,S", "B,G,K", causal(m)).fill(m.size('B'), m.size('G'), m.size('S'));
}

void attention_block_sparse(CaseMaker& m) {
  widen_heads(m, "B,S,A,D");
  clear_blind(m);
  const Tensor blocks = m.given("blocks"), pairs = m.has("pairs") ? m.given("pairs") : Tensor();
  const Tensor positions = m.has("positions") ? m.given("positions") : Tensor();
  const int64_t lists = m.size('X'), queries = m.size('S'), kept = m.size('T'), group = m.size('A') / lists;
  const int64_t size = std::get<int64_t>(m.param("block_size")), slots = m.size('K'), first = first_slot(m);
  const bool self = std::get<bool>(m.param("self_visible"));
  const Visible past = causal(m);
  const Visible visible = [=](int64_t b, int64_t a, int64_t s, int64_t j) {
    const int64_t query = b * queries + s, own = positions.empty() ? first + s : positions.i64()[query];
    if (self && j == own) return true;
    const int64_t* list = blocks.i64() + ((b * lists + a / group) * queries + s) * kept;
    return past(b, a, s, j) && (pairs.empty() || pairs.i64()[query * slots + j] != 0) &&
           std::find(list, list + kept, j / size) != list + kept;
  };
  ExactAttention(m, "B,A,S", "B,G,K", visible).fill(m.size('B'), m.size('G'), queries);
}

void vision_attention(CaseMaker& m) {
  widen_heads(m, "1,P,A,D");
  const Tensor grid = m.given("grid");
  std::vector<int64_t> medium;
  for (int64_t i = 0; i < m.size('M'); ++i) {
    const int64_t* sizes = grid.i64() + 3 * i;
    medium.insert(medium.end(), static_cast<size_t>(sizes[0] * sizes[1] * sizes[2]), i);
  }
  const bool per_medium = std::get<bool>(m.param("per_medium"));
  const Visible visible = [=](int64_t, int64_t, int64_t p, int64_t j) {
    return !per_medium || medium[static_cast<size_t>(p)] == medium[static_cast<size_t>(j)];
  };
  ExactAttention(m, "1,A,P", "1,A,P", visible).fill(1, m.size('A'), m.size('P'));
}

/// Draws whole numbers so small that all sums of products are binary32 numbers.
void index_block_scores(CaseMaker& m) {
  constexpr int64_t kMostDigits = 4095;
  const int64_t whole = whole_numbers(m.working()) - 1, left = std::min(whole, kMostDigits);
  const int64_t right = std::min(whole, whole_numbers(DType::f32) / (m.size('I') * left));
  m.numbers("q", "B,X,S,I", TapType::working, [&](int64_t) { return static_cast<double>(m.from(-left, left)); });
  m.numbers("k", "B,1,K,I", TapType::working, [&](int64_t) { return static_cast<double>(m.from(-right, right)); });
  m.param("scale", m.one_of<double>({1.0, 1.0, 0.125, 0.5}));
}

}  // namespace

void add_exact_attention(Recipes& recipes) {
  recipes["attention_dense"] = attention_dense;
  recipes["attention_block_sparse"] = attention_block_sparse;
  recipes["vision_attention"] = vision_attention;
  recipes["index_block_scores"] = index_block_scores;
}

}  // namespace parity::cases
