// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/lightning/lightning_attention.hpp"

#include <bit>
#include <cmath>

#include <omp.h>

#include "optimized/backends.hpp"
#include "optimized/cpu/lightning/lightning_head.hpp"
#include "optimized/cpu/parallel.hpp"

namespace parity::optimized {
namespace {

using cpu::KeptRows, cpu::LightningBlock, cpu::LightningScan, cpu::LightningTokens;

void scan(const LightningScan<float>& args) { cpu::lightning_scan_f32(args); }
void scan(const LightningScan<BFloat16>& args) { cpu::lightning_scan_bf16(args); }
void pack(const LightningBlock<float>& block) { cpu::lightning_pack_f32(block); }
void pack(const LightningBlock<BFloat16>& block) { cpu::lightning_pack_bf16(block); }
void rows(const LightningBlock<float>& block) { cpu::lightning_rows_f32(block); }
void rows(const LightningBlock<BFloat16>& block) { cpu::lightning_rows_bf16(block); }
void renew_state(const LightningBlock<float>& block) { cpu::lightning_state_f32(block); }
void renew_state(const LightningBlock<BFloat16>& block) { cpu::lightning_state_bf16(block); }
void tokens(const LightningTokens<float>& args) { cpu::lightning_tokens_f32(args); }
void tokens(const LightningTokens<BFloat16>& args) { cpu::lightning_tokens_bf16(args); }

/// Returns the last two axes of an operand in the state's type, at the given indices of the other axes.
KeptRows kept(const TensorView& view, std::initializer_list<int64_t> at) {
  if (view.empty()) return {};
  const size_t rank = view.shape.size();
  PARITY_CHECK(view.shape[rank - 1] <= 1 || view.strides[rank - 1] == 1, internal,
               "lightning_attention needs rows with contiguous channels");
  int64_t offset = 0;
  size_t axis = 0;
  for (const int64_t index : at) offset += index * view.strides[axis++];
  KeptRows result{nullptr, nullptr, view.strides[rank - 2]};
  if (view.dtype == DType::f32) result.single = reinterpret_cast<float*>(view.data) + offset;
  if (view.dtype == DType::bf16) result.half = reinterpret_cast<BFloat16*>(view.data) + offset;
  return result;
}

template <class T>
class Lightning {
 public:
  Lightning(const LightningAttention::Inputs& in, const LightningAttention::Outputs& out, const Context& context)
      : in_(in),
        out_(out),
        round_(points_of<LightningAttention>(context)),
        q_(in.q.as<T, 4>()),
        k_(in.k.as<T, 4>()),
        v_(in.v.as<T, 4>()),
        result_(out.out.as<T, 4>()),
        heads_(q_.extent[1]),
        tokens_(q_.extent[2]),
        width_(q_.extent[3]),
        size_(in.query_decay.shape[1]) {
    for (const auto& x : {q_, k_, v_, result_})
      PARITY_CHECK(width_ <= 1 || x.stride[3] == 1, internal,
                   "lightning_attention needs rows with contiguous channels");
    for (const TensorView* x : {&in.past, &in.diagonal_decay, &out.intra, &out.inter, &out.block_states, &out.state})
      static_cast<void>(kept(*x, {}));  // refused before threads start
    const int64_t states = in.past.empty() ? (tokens_ + size_ - 1) / std::max<int64_t>(size_, 1) + 1 : tokens_ + 1;
    PARITY_CHECK(out.block_states.empty() || out.block_states.shape[0] == states, internal,
                 "lightning_attention has {} states to record, the output holds {}", states, out.block_states.shape[0]);
    if constexpr (sizeof(T) == 2) {
      const auto rounds = [](const Round& point) { return point.precision == Precision::working; };
      points_ = {rounds(round_.score),     rounds(round_.decayed_score), rounds(round_.query),
                 rounds(round_.key),       rounds(round_.intra),         rounds(round_.inter),
                 rounds(round_.increment), rounds(round_.decayed_state), rounds(round_.state),
                 rounds(round_.read_state)};
      pairs_ = points_.decayed_score && points_.query && points_.key && points_.state;
    }
  }

  /// Computes a call without a past, block by block. If heads are fewer than threads, a block's rows are divided.
  void blocks(Workspace& workspace) {
    const int64_t threads = omp_get_max_threads(), count = q_.extent[0] * heads_;
    const bool whole = count >= threads;  // one thread computes a whole head
    for (int64_t i = 0; i < threads; ++i) scratch_.emplace_back(workspace, whole || i == 0, tokens_, size_, width_);
    const auto each = [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) head(i / heads_, i % heads_, whole);
    };
    whole ? cpu::in_pieces(count, 1, each) : each(0, count);
  }

  /// Computes a call after a past, token by token. If heads are fewer than threads, the channels of values are divided.
  void steps() {
    const int64_t count = q_.extent[0] * heads_;
    const int64_t part =
        count >= omp_get_max_threads() || !out_.block_states.empty() ? width_ : std::min<int64_t>(width_, 32);
    const int64_t parts = (width_ + part - 1) / std::max<int64_t>(part, 1);
    cpu::in_pieces(count * parts, 1, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        const int64_t pair = i / parts, channel = i % parts * part;
        head_behind_past(pair / heads_, pair % heads_, channel, std::min(width_, channel + part));
      }
    });
  }

 private:
  struct Scratch;

  void head(int64_t b, int64_t a, bool alone) {
    const Scratch& own = scratch_[static_cast<size_t>(alone ? omp_get_thread_num() : 0)];
    const bool finite = tables(a, own);
    const int64_t wide = cpu::lightning_padded(width_);
    std::fill_n(own.state, wide * wide, 0.0F);
    std::fill_n(own.state_pairs, wide * wide / 2, 0.0F);
    const auto keep = [&](const KeptRows& rows) { cpu::lightning_keep({own.state, rows, width_}); };
    keep(kept(out_.block_states, {0, b, a}));
    bool pairs = pairs_ && finite && decay_over(a, size_) <= 1.0F;
    for (int64_t first = 0; first < tokens_; first += size_) {
      auto block = block_of(b, a, first, own);
      for (const auto& rows : {block.q, block.k, block.v}) {
        bool plain = false;
        scan(LightningScan<T>{rows, block.tokens, width_, &plain});
        block.plain = block.plain && plain;
      }
      pairs = pairs && block.plain;
      block.pairs = pairs;
      if (!pairs) block.state_pairs = nullptr;
      run(block, alone);
      keep(kept(out_.block_states, {first / size_ + 1, b, a}));
    }
    keep(kept(out_.state, {b, a}));
  }

  /// Fills a head's tables of decays for the block loops. Returns false if a decay is not finite.
  bool tables(int64_t a, const Scratch& own) const {
    const int64_t count = std::min(tokens_, size_);
    for (int64_t i = 0; i < count; ++i) own.query_decay[i] = static_cast<float>(in_.query_decay.value(a * size_ + i));
    for (int64_t i = 0; i < size_; ++i) own.key_decay[i] = static_cast<float>(in_.key_decay.value(a * size_ + i));
    bool finite = false;
    const KeptRows rows = kept(in_.diagonal_decay, {0, a});
    const int64_t row = cpu::lightning_padded(count);
    if (rows.half != nullptr) {
      cpu::lightning_decays_bf16({rows.half, rows.stride, count, own.diagonal, row, own.from, own.to, &finite});
    } else {
      cpu::lightning_decays_f32({rows.single, rows.stride, count, own.diagonal, row, own.from, own.to, &finite});
    }
    return finite;
  }

  [[nodiscard]] LightningBlock<T> block_of(int64_t b, int64_t a, int64_t first, const Scratch& own) const {
    LightningBlock<T> block{};
    block.q = rows_of<const T>(q_, b, a, first);
    block.k = rows_of<const T>(k_, b, a, first);
    block.v = rows_of<const T>(v_, b, a, first);
    block.out = rows_of<T>(result_, b, a, first);
    block.intra = from_row(kept(out_.intra, {b, a}), first);
    block.inter = from_row(kept(out_.inter, {b, a}), first);
    block.tokens = std::min(size_, tokens_ - first);
    block.width = width_;
    block.next = std::min(size_, tokens_ - first - block.tokens);
    block.query_decay = own.query_decay;
    block.key_decay = own.key_decay + (size_ - block.tokens);
    block.diagonal = own.diagonal;
    block.diagonal_row = cpu::lightning_padded(std::min(tokens_, size_));
    block.from = own.from;
    block.to = own.to;
    block.decay = decay_over(a, block.tokens);
    block.round = points_;
    block.plain = true;
    block.keys = own.keys;
    block.values = own.values;
    block.state = own.state;
    block.state_pairs = own.state_pairs;
    return block;
  }

  /// Runs the three phases of a block one after another; each needs all results of the phase before.
  void run(const LightningBlock<T>& block, bool alone) const {
    const auto share = [&](int64_t count, int64_t grain, const auto& step) {
      const auto work = [&](int64_t first, int64_t last) {
        LightningBlock<T> part = block;
        part.first = first;
        part.last = last;
        step(part);
      };
      if (!alone) return cpu::in_pieces(count, grain, work);
      for (int64_t i = 0; i < count; i += grain) work(i, std::min(count, i + grain));
    };
    const int64_t lanes = cpu::level() == cpu::Level::avx2 ? 8 : 16;
    const auto panels = [&](int64_t columns) { return (columns + lanes - 1) / lanes; };
    share(cpu::lightning_padded(block.tokens) / lanes + panels(width_), 4, [](const auto& part) { pack(part); });
    share(block.tokens, cpu::kLightningWindow, [&](auto& part) {
      const Scratch& own = scratch_[static_cast<size_t>(omp_get_thread_num())];
      part.queries = own.queries;
      part.decayed = own.decayed;
      part.weights = own.weights;
      rows(part);
    });
    share(width_, alone ? std::max<int64_t>(width_, 1) : cpu::kLightningPad,
          [](const auto& part) { renew_state(part); });
  }

  void head_behind_past(int64_t b, int64_t a, int64_t first, int64_t last) const {
    LightningTokens<T> args{rows_of<const T>(q_, b, a, 0),
                            rows_of<const T>(k_, b, a, 0),
                            rows_of<const T>(v_, b, a, 0),
                            rows_of<T>(result_, b, a, 0),
                            kept(in_.past, {b, a}),
                            kept(out_.state, {b, a}),
                            1,
                            width_,
                            first,
                            last,
                            decay_over(a, 1),
                            points_};
    record(args.past, 0, b, a);
    if (tokens_ == 0 || (args.past.half != nullptr) != (args.state.half != nullptr)) {
      copy(args.past, args.state, first, last);
      args.past = args.state;
    }
    if (out_.block_states.empty()) {
      args.tokens = tokens_;
      return tokens(args);
    }
    for (int64_t s = 0; s < tokens_; ++s) {
      tokens(args);
      args.past = args.state;
      for (auto* rows : {&args.q, &args.k, &args.v}) rows->data += rows->stride;
      args.out.data += args.out.stride;
      record(args.state, s + 1, b, a);
    }
  }

  /// Copies channels [first, last); widening is exact.
  void copy(const KeptRows& from, const KeptRows& to, int64_t first, int64_t last) const {
    for (int64_t d = 0; d < width_; ++d) {
      for (int64_t e = first; e < last; ++e) {
        const int64_t source = d * from.stride + e, target = d * to.stride + e;
        if (to.half != nullptr) {
          to.half[target] = from.half[source];
        } else {
          to.single[target] = from.half == nullptr ? from.single[source] : widened(from.half[source]);
        }
      }
    }
  }
  [[nodiscard]] static float widened(BFloat16 x) { return std::bit_cast<float>(static_cast<uint32_t>(x.bits) << 16U); }
  void record(const KeptRows& state, int64_t block, int64_t b, int64_t a) const {
    if (!out_.block_states.empty()) copy(state, kept(out_.block_states, {block, b, a}), 0, width_);
  }

  /// The scratch memory of one thread. A thread that computes part of a head needs only some of it.
  struct Scratch {
    float *keys = nullptr, *values = nullptr, *state = nullptr, *state_pairs = nullptr, *diagonal = nullptr,
          *query_decay = nullptr, *key_decay = nullptr;
    int64_t *from = nullptr, *to = nullptr;
    float *queries, *decayed, *weights;

    Scratch(Workspace& workspace, bool whole, int64_t tokens, int64_t size, int64_t width) {
      const auto take = [&](int64_t count) { return workspace.take_elements<float>(static_cast<size_t>(count)); };
      const int64_t rows = std::min(tokens, size), wide = cpu::lightning_padded(width),
                    long_ = cpu::lightning_padded(rows);
      queries = take(cpu::kLightningWindow * wide);
      decayed = take(cpu::kLightningWindow * wide);
      weights = take(cpu::kLightningWindow * long_);
      if (!whole) return;
      keys = take(long_ * wide);
      values = take(long_ * wide);
      state = take(wide * wide);
      state_pairs = take(wide * wide / 2);
      diagonal = take(rows * long_);
      query_decay = take(rows);
      key_decay = take(size);
      from = workspace.take_elements<int64_t>(static_cast<size_t>(rows));
      to = workspace.take_elements<int64_t>(static_cast<size_t>(rows));
    }
  };

  /// Rounds as an operation on tensors of the point's type does.
  [[nodiscard]] static float as_rounded(const Round& point, double x) {
    const auto single = static_cast<float>(x);
    return point.precision == Precision::working ? static_cast<float>(round_to(kDTypeOf<T>, single)) : single;
  }
  [[nodiscard]] float decay_over(int64_t a, int64_t tokens) const {
    const double slope = in_.slope_rate.value(a);
    return as_rounded(round_.decay, std::exp(as_rounded(round_.exponent, -slope * static_cast<double>(tokens))));
  }
  [[nodiscard]] static KeptRows from_row(KeptRows rows, int64_t first) {
    if (rows.single != nullptr) rows.single += first * rows.stride;
    if (rows.half != nullptr) rows.half += first * rows.stride;
    return rows;
  }
  template <class X>
  [[nodiscard]] static cpu::TokenRows<X> rows_of(const Span<T, 4>& x, int64_t b, int64_t a, int64_t first) {
    return {&x(b, a, first, 0), x.stride[2]};
  }

  const LightningAttention::Inputs& in_;
  const LightningAttention::Outputs& out_;
  LightningAttention::Points round_;
  Span<T, 4> q_, k_, v_;                                                                                 // (B, A, S, D)
  Span<T, 4> result_;                                                                                    // (B, A, S, D)
  int64_t heads_, tokens_, width_, size_;
  cpu::LightningRounds points_;
  bool pairs_ = false;
  std::vector<Scratch> scratch_;  // indexed by thread
};

template <class T>
void lightning_attention(const LightningAttention::Inputs& in, const LightningAttention::Params&,
                         const LightningAttention::Outputs& out, Context& context) {
  Lightning<T> lightning(in, out, context);
  in.past.empty() ? lightning.blocks(*context.workspace) : lightning.steps();
}

}  // namespace

void register_cpu_lightning_attention(BackendKernels& kernels) {
  kernels.add<LightningAttention>("f32", &lightning_attention<float>, true);
  kernels.add<LightningAttention>("bf16", &lightning_attention<BFloat16>, true);
}

}  // namespace parity::optimized
