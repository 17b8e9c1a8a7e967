// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Experts one after the other, in ascending order; the tokens of each in tiles, and the rows of its weights shared out.

#include "core/components/moe_experts.hpp"

#include <omp.h>

#include "core/registry.hpp"
#include "optimized/cpu/expert_tile.hpp"
#include "optimized/cpu/parallel.hpp"

namespace parity::optimized {
namespace {

template <class T>
struct Functions {
  void (*pack)(const cpu::PackTokens<T>&);
  void (*activation)(const cpu::ExpertTile<T>&);
  void (*sum)(const cpu::ExpertTile<T>&);
};
const Functions<float> kSingle{&cpu::pack_tokens_f32, &cpu::expert_activation_f32, &cpu::expert_sum_f32};
const Functions<BFloat16> kHalf{&cpu::pack_tokens_bf16, &cpu::expert_activation_bf16, &cpu::expert_sum_bf16};

bool rounds(const Round& point) { return point.active && point.precision == Precision::working; }

struct Slot {
  int64_t token, slot;
};

template <class T>
class Experts {
 public:
  Experts(const MoeExperts::Inputs& in, const MoeExperts::Params& params, const MoeExperts::Outputs& out,
          Context& context, const Functions<T>& run)
      : in_(in),
        out_(out),
        params_(params),
        round_(points_of<MoeExperts>(context)),
        run_(run),
        x_(in.x.as<T, 2>()),
        indices_(in.indices.as<int64_t, 2>()),
        total_(out.out.as<T, 2>()),
        tile_(cpu::tile_tokens()) {
    PARITY_CHECK((x_.extent[1] <= 1 || (x_.stride[1] == 1 && total_.stride[1] == 1)), internal,
                 "moe_experts reads rows whose channels lie side by side");
    slots_.resize(static_cast<size_t>(in.gate_up->size()));
    for (int64_t n = 0; n < indices_.extent[0]; ++n) {
      for (int64_t t = 0; t < indices_.extent[1]; ++t) {
        const int64_t e = indices_(n, t);
        if (e >= 0 && e < in.gate_up->size()) slots_[static_cast<size_t>(e)].push_back({n, t});
      }
    }
  }

  void compute(Context& context) {
    const int64_t width = x_.extent[1];
    for (int64_t n = 0; n < total_.extent[0]; ++n) std::fill_n(&total_(n, 0), width, T{});
    clear_slots();
    touched_.assign(static_cast<size_t>(x_.extent[0]), false);
    for (size_t e = 0; e < slots_.size(); ++e) {
      if (slots_[e].empty()) continue;
      const Tensor gate_up = in_.gate_up->member(static_cast<int64_t>(e));                                    // (2F, H)
      const Tensor down = in_.down->member(static_cast<int64_t>(e));                                           // (H, F)
      const auto first = gate_up.view().as<T, 2>(), second = down.view().as<T, 2>();
      PARITY_CHECK(gate_up.view().contiguous() && down.view().contiguous(), internal,
                   "moe_experts reads dense weights");
      inner_ = second.extent[1];
      take(context);
      for (size_t from = 0; from < slots_[e].size(); from += static_cast<size_t>(tile_)) {
        const auto count = std::min(static_cast<size_t>(tile_), slots_[e].size() - from);
        one_tile(slots_[e].data() + from, static_cast<int64_t>(count), first.data, second.data);
      }
    }
  }

 private:
  /// Scratch memory, once the width inside is known.
  void take(Context& context) {
    if (packed_ != nullptr) return;
    const auto widest = static_cast<size_t>(cpu::packed_floats(std::max(x_.extent[1], inner_)));
    packed_ = context.workspace->take_elements<float>(widest);
    products_ = context.workspace->take_elements<float>(
        static_cast<size_t>(cpu::kProductFloats * int64_t{omp_get_max_threads()}));
    active_ = context.workspace->take_elements<T>(static_cast<size_t>(tile_ * inner_));
  }

  /// Slots that name no expert show zeros.
  void clear_slots() {
    for (const TensorView* view : {&out_.slot_activation, &out_.slot_weighted}) {
      if (view->empty()) continue;
      PARITY_CHECK(view->contiguous(), internal, "moe_experts writes dense slots");
      std::fill_n(view->data, view->count() * size_of(view->dtype), std::byte{0});
    }
  }

  /// work(tile) for pieces of `rows` rows of a weight.
  template <class Work>
  void share_out(cpu::ExpertTile<T> tile, int64_t rows, const Work& work) {
    cpu::in_pieces(rows, cpu::kPieceRows, [&, tile](int64_t first, int64_t last) {
      cpu::ExpertTile<T> piece = tile;
      piece.first = first;
      piece.last = last;
      piece.scratch = products_ + cpu::kProductFloats * omp_get_thread_num();
      work(piece);
    });
  }

  const float* packed(const T* const* rows, int64_t count, int64_t width) {
    if (count < cpu::kFewTokens) return nullptr;
    constexpr int64_t kChannels = 256;
    cpu::in_pieces(width, kChannels, [&](int64_t first, int64_t last) {
      run_.pack({rows, count, width, first, last, packed_});
    });
    return packed_;
  }

  void one_tile(const Slot* slots, int64_t count, const T* gate_up, const T* down) {
    const T* tokens[cpu::kTileTokens];
    T* active[cpu::kTileTokens];
    for (int64_t i = 0; i < count; ++i) {
      tokens[i] = &x_(slots[i].token, 0);
      active[i] = out_.slot_activation.empty() ? active_ + i * inner_
                                               : &out_.slot_activation.as<T, 3>()(slots[i].token, slots[i].slot, 0);
    }
    cpu::ExpertTile<T> tile{tokens, packed(tokens, count, x_.extent[1]), gate_up, nullptr, count, x_.extent[1], 0, 0};
    tile.activation = active;
    tile.inner = inner_;
    tile.alpha = static_cast<float>(params_.alpha);
    tile.limit = static_cast<float>(round_.limit(params_.limit));  // in whose type the clamp compares
    tile.offset = static_cast<float>(params_.linear_offset);
    tile.rounds_hidden = rounds(round_.gate_up);
    tile.rounds_scaled = rounds(round_.scaled);
    tile.rounds_sigmoid = rounds(round_.sigmoid);
    tile.rounds_gated = rounds(round_.gated);
    tile.rounds_shifted = rounds(round_.shifted);
    share_out(tile, inner_, run_.activation);
    add(slots, active, count, down);
  }

  void add(const Slot* slots, T* const* active, int64_t count, const T* down) {
    float factor[cpu::kTileTokens];
    float* weighted[cpu::kTileTokens];
    T* out[cpu::kTileTokens];
    bool begins[cpu::kTileTokens];
    const bool shows = !out_.slot_weighted.empty();
    for (int64_t i = 0; i < count; ++i) {
      const auto [n, t] = slots[i];
      factor[i] = static_cast<float>(load_element(in_.weights.dtype, weight_address(n, t)));  // of T or binary32
      weighted[i] = shows ? &out_.slot_weighted.as<float, 3>()(n, t, 0) : nullptr;
      out[i] = &total_(n, 0);
      begins[i] = !touched_[static_cast<size_t>(n)];
      touched_[static_cast<size_t>(n)] = true;
    }
    cpu::ExpertTile<T> tile{active, packed(active, count, inner_), down, nullptr, count, inner_, 0, 0};
    tile.factor = factor;
    tile.weighted = shows ? weighted : nullptr;
    tile.out = out;
    tile.begins = begins;
    tile.rounds_down = rounds(round_.down);
    share_out(tile, x_.extent[1], run_.sum);
  }

  [[nodiscard]] const std::byte* weight_address(int64_t n, int64_t t) const {
    const TensorView& w = in_.weights;                                                                         // (N, T)
    return w.data + (n * w.strides[0] + t * w.strides[1]) * size_of(w.dtype);
  }

  const MoeExperts::Inputs& in_;
  const MoeExperts::Outputs& out_;
  const MoeExperts::Params& params_;
  MoeExperts::Points round_;
  const Functions<T>& run_;
  Span<T, 2> x_;                                                                                               // (N, H)
  Span<int64_t, 2> indices_;                                                                                   // (N, T)
  Span<T, 2> total_;                                                                                           // (N, H)
  int64_t tile_, inner_ = 0;
  std::vector<std::vector<Slot>> slots_;  // by expert, tokens ascending
  std::vector<bool> touched_;             // tokens that have an addend
  float* packed_ = nullptr;
  float* products_ = nullptr;
  T* active_ = nullptr;
};

template <class T, const Functions<T>& run>
void moe_experts(const MoeExperts::Inputs& in, const MoeExperts::Params& params, const MoeExperts::Outputs& out,
                 Context& context) {
  Experts<T>(in, params, out, context, run).compute(context);
}

}  // namespace

void register_cpu_moe_experts(Registry& registry) {
  registry.add<MoeExperts>("cpu", "f32", &moe_experts<float, kSingle>, true);
  registry.add<MoeExperts>("cpu", "bf16", &moe_experts<BFloat16, kHalf>, true);
}

}  // namespace parity::optimized
