// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Computes experts in ascending order. The tokens of an expert form panels, and its rows are divided among threads.

#include "core/components/experts/moe_experts.hpp"

#include <span>

#include "optimized/backends.hpp"
#include "optimized/cpu/experts/expert_panel.hpp"
#include "optimized/cpu/linear/product_panel.hpp"

namespace parity::optimized {
namespace {

void activation(const cpu::ExpertSingle& args) { cpu::expert_activation_f32(args); }
void activation(const cpu::ExpertHalf& args) { cpu::expert_activation_bf16(args); }
void sum(const cpu::ExpertSingle& args) { cpu::expert_sum_f32(args); }
void sum(const cpu::ExpertHalf& args) { cpu::expert_sum_bf16(args); }

bool rounds(const Round& point) { return point.active && point.precision == Precision::working; }

struct Slot {
  int64_t token, slot;
};

template <class T>
class Experts {
 public:
  Experts(const MoeExperts::Inputs& in, const MoeExperts::Params& params, const MoeExperts::Outputs& out,
          Context& context)
      : in_(in),
        out_(out),
        params_(params),
        round_(points_of<MoeExperts>(context)),
        x_(in.x.as<T, 2>()),
        indices_(in.indices.as<int64_t, 2>()),
        total_(out.out.as<T, 2>()) {
    PARITY_CHECK((x_.extent[1] <= 1 || (x_.stride[1] == 1 && total_.stride[1] == 1)), internal,
                 "moe_experts needs rows with contiguous channels");
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
                   "moe_experts needs dense weights");
      inner_ = second.extent[1];
      if (inner_ == 0) return;  // the last of many ranks may have no channel: all its terms are zero
      take(context);
      const auto most = static_cast<size_t>(cpu::panel_tokens());
      for (size_t from = 0; from < slots_[e].size(); from += most)
        one_panel({slots_[e].data() + from, std::min(most, slots_[e].size() - from)}, first.data, second.data);
    }
  }

 private:
  /// Takes scratch memory, once the width of the experts is known.
  void take(Context& context) {
    if (products_ != nullptr) return;
    size_t most = 0;
    for (const auto& slots : slots_) most = std::max(most, slots.size());
    const int64_t tokens = std::min(static_cast<int64_t>(most), cpu::panel_tokens());
    const int64_t packed = cpu::panel_floats(tokens, std::max(x_.extent[1], inner_));
    packed_ = context.workspace->take_elements<float>(static_cast<size_t>(packed));
    products_ = context.workspace->take_elements<float>(
        static_cast<size_t>(cpu::kProductFloats * int64_t{omp_get_max_threads()}));
    active_ = context.workspace->take_elements<T>(static_cast<size_t>(tokens * inner_));
  }

  /// Writes zeros to the slots that name no expert.
  void clear_slots() {
    for (const TensorView* view : {&out_.slot_activation, &out_.slot_weighted}) {
      if (view->empty()) continue;
      PARITY_CHECK(view->contiguous(), internal, "moe_experts needs an output of dense slots");
      std::fill_n(view->data, view->count() * size_of(view->dtype), std::byte{0});
    }
  }

  /// Packs the panel's tokens and calls work(panel) for pieces of the weight's `rows` rows.
  template <class Work>
  void share_out(cpu::ExpertPanel<T> all, int64_t rows, int64_t most, const Work& work) {
    const cpu::ProductPanel<T>& tokens = all.panel;
    cpu::pack_panel(tokens.tokens, tokens.count, tokens.width, packed_);
    cpu::in_pieces(rows, cpu::piece_rows(rows, tokens.count, most), [&](int64_t first, int64_t last) {
      cpu::ExpertPanel<T> piece = all;
      piece.panel.first = first;
      piece.panel.last = last;
      piece.panel.scratch = products_ + cpu::kProductFloats * omp_get_thread_num();
      work(piece);
    });
  }

  [[nodiscard]] cpu::ExpertPanel<T> panel_of(const T* const* tokens, size_t count, int64_t width,
                                             const T* weight) const {
    cpu::ExpertPanel<T> panel{};
    panel.panel = {tokens, packed_, weight, nullptr, static_cast<int64_t>(count), width, 0, 0};
    return panel;
  }

  void one_panel(std::span<const Slot> slots, const T* gate_up, const T* down) {
    const T* tokens[cpu::kPanelTokens];
    T* active[cpu::kPanelTokens];
    for (size_t i = 0; i < slots.size(); ++i) {
      const auto [n, t] = slots[i];
      tokens[i] = &x_(n, 0);
      active[i] = out_.slot_activation.empty() ? active_ + static_cast<int64_t>(i) * inner_
                                               : &out_.slot_activation.as<T, 3>()(n, t, 0);
    }
    cpu::ExpertPanel<T> panel = panel_of(tokens, slots.size(), x_.extent[1], gate_up);
    panel.activation = active;
    panel.inner = inner_;
    panel.alpha = static_cast<float>(params_.alpha);
    panel.limit = static_cast<float>(round_.limit(params_.limit));  // the type in which the clamp compares
    panel.offset = static_cast<float>(params_.linear_offset);
    panel.rounds_hidden = rounds(round_.gate_up);
    panel.rounds_scaled = rounds(round_.scaled);
    panel.rounds_sigmoid = rounds(round_.sigmoid);
    panel.rounds_gated = rounds(round_.gated);
    panel.rounds_shifted = rounds(round_.shifted);
    share_out(panel, inner_, cpu::kMostPieceRows / 2, [](const auto& piece) { activation(piece); });  // two products
    add(slots, active, down);
  }

  void add(std::span<const Slot> slots, T* const* active, const T* down) {
    float factor[cpu::kPanelTokens];
    float* weighted[cpu::kPanelTokens];
    T* out[cpu::kPanelTokens];
    bool begins[cpu::kPanelTokens];
    const bool shows = !out_.slot_weighted.empty();
    for (size_t i = 0; i < slots.size(); ++i) {
      const auto [n, t] = slots[i];
      factor[i] = static_cast<float>(load_element(in_.weights.dtype, weight_address(n, t)));  // of type T or binary32
      weighted[i] = shows ? &out_.slot_weighted.as<float, 3>()(n, t, 0) : nullptr;
      out[i] = &total_(n, 0);
      begins[i] = !touched_[static_cast<size_t>(n)];
      touched_[static_cast<size_t>(n)] = true;
    }
    cpu::ExpertPanel<T> panel = panel_of(active, slots.size(), inner_, down);
    panel.factor = factor;
    panel.weighted = shows ? weighted : nullptr;
    panel.out = out;
    panel.begins = begins;
    panel.rounds_down = rounds(round_.down);
    share_out(panel, x_.extent[1], cpu::kMostPieceRows, [](const auto& piece) { sum(piece); });
  }

  [[nodiscard]] const std::byte* weight_address(int64_t n, int64_t t) const {
    const TensorView& w = in_.weights;                                                                         // (N, T)
    return w.data + (n * w.strides[0] + t * w.strides[1]) * size_of(w.dtype);
  }

  const MoeExperts::Inputs& in_;
  const MoeExperts::Outputs& out_;
  const MoeExperts::Params& params_;
  MoeExperts::Points round_;
  Span<T, 2> x_;                                                                                               // (N, H)
  Span<int64_t, 2> indices_;                                                                                   // (N, T)
  Span<T, 2> total_;                                                                                           // (N, H)
  int64_t inner_ = 0;
  std::vector<std::vector<Slot>> slots_;  // by expert; tokens in ascending order
  std::vector<bool> touched_;             // tokens that have an addend already
  float* packed_ = nullptr;
  float* products_ = nullptr;
  T* active_ = nullptr;
};

template <class T>
void moe_experts(const MoeExperts::Inputs& in, const MoeExperts::Params& params, const MoeExperts::Outputs& out,
                 Context& context) {
  Experts<T>(in, params, out, context).compute(context);
}

}  // namespace

void register_cpu_moe_experts(BackendKernels& kernels) {
  kernels.add<MoeExperts>("f32", &moe_experts<float>, true);
  kernels.add<MoeExperts>("bf16", &moe_experts<BFloat16>, true);
}

}  // namespace parity::optimized
