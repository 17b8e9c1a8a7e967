// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Relations between one process and several that share experts or the sequence, as in NeMo Automodel's M3.
#include "core/plans/tiny/tiny_configs.hpp"
#include "faults/relations/relation_battery.hpp"

namespace parity::faults {
namespace {

constexpr const char* kLogits = "text/lm_head/out";
constexpr int64_t kProcessTokens = 18;
constexpr int64_t kDocument = 11;  // first position of the second of two packed documents

Tensor filled(const Shape& shape, const char* axes, const std::function<int64_t(int64_t row, int64_t column)>& value) {
  Tensor result(DType::i64, shape, axes);
  const int64_t width = shape.back();
  for (int64_t i = 0; i < result.view().count(); ++i) result.i64()[i] = value(i / width, i % width);
  return result;
}

class Processes : public Battery {
 public:
  Processes(uint64_t seed, const Tried& tried)
      : Battery("minimax_m3_vl in NeMo", seed, tried), subject_(subject(tiny_config("minimax_m3_vl"), kNemo)) {
    nlohmann::json config = tiny_config("minimax_m3_vl");
    for (auto& type : config["text_config"]["layer_types"]) type = "minimax_m3_sparse";
    sparse_ = &subject(config, kNemo);
    config["text_config"]["index_topk_blocks"] = kProcessTokens;
    unbounded_ = &subject(config, kNemo);
  }

  void relate() {
    for (const int64_t processes : {2, 4}) {
      experts(processes);
      sequence(processes);
    }
    documents();
  }

 private:
  /// Splits the experts over processes, each with its own batch.
  void experts(int64_t processes) {
    PlanRequest request = subject_.request({});
    request.split = Split::experts;
    request.processes = processes;
    Taps inputs;
    std::vector<std::string> alone, shared;
    for (int64_t rank = 0; rank < processes; ++rank) {
      const int64_t length = 3 + rank;
      Call call{fmt::format("{:03}", rank), 2, length, length};
      request.calls.push_back(call);
      const std::string at = fmt::format("steps/{:03}/", rank);
      const Tensor ids = subject_.tokens(2, length, seed_ + 10 + static_cast<uint64_t>(rank));
      inputs[at + "tokens/input_ids"] = ids;
      inputs[at + "tokens/position_ids"] = filled({2, length}, "B,S", [](int64_t, int64_t s) { return s; });
      inputs[at + "tokens/attention_mask"] =
          filled({2, length}, "B,S", [&](int64_t b, int64_t s) { return b == 0 || s < length - 1 ? 1 : 0; });
      alone.push_back(at + kLogits);
      shared.push_back(fmt::format("ranks/{:02}/steps/000/{}", rank, kLogits));
    }
    compare(processes == 2 ? "experts-of-two" : "experts-of-four", "expert parallelism equals a single process",
            subject_, request, inputs, alone, shared);
  }

  [[nodiscard]] PlanRequest packed(int64_t length) const {
    PlanRequest request = sparse_->request({});
    Call call{"000", 2, length, length};
    call.pairs = call.padding = true;
    request.calls = {call};
    return request;
  }

  /// Returns the document of a slot. The second sequence ends with padding.
  [[nodiscard]] static int64_t document(int64_t slot) { return slot < kDocument ? 1 : 2; }
  [[nodiscard]] static bool real(int64_t b, int64_t slot) {
    return slot < (b == 0 ? kProcessTokens : kProcessTokens - 2);
  }

  [[nodiscard]] Taps packed_inputs(const Tensor& ids) const {
    Taps inputs;
    const std::string at = "steps/000/tokens/";
    inputs[at + "input_ids"] = ids;
    inputs[at + "position_ids"] =
        filled({2, kProcessTokens}, "B,S", [](int64_t, int64_t s) { return s < kDocument ? s : s - kDocument; });
    inputs[at + "padding_mask"] =
        filled({2, kProcessTokens}, "B,S", [](int64_t b, int64_t s) { return real(b, s) ? 0 : 1; });
    inputs[at + "attention_mask"] =
        filled({2, 1, kProcessTokens, kProcessTokens}, "B,1,S,K", [](int64_t row, int64_t k) {
          const int64_t b = row / kProcessTokens;
          const int64_t s = row % kProcessTokens;
          return s == k || (k <= s && document(k) == document(s) && real(b, k)) ? 1 : 0;
        });
    return inputs;
  }

  /// Splits a sequence of two documents and padding: process r has the r-th chunk from the front and from the back.
  void sequence(int64_t processes) {
    PlanRequest request = packed(kProcessTokens);
    request.split = Split::sequence;
    request.processes = processes;
    const Tensor ids = sparse_->tokens(2, kProcessTokens, seed_ + 20);
    Taps inputs = packed_inputs(ids);
    const int64_t chunk = (kProcessTokens + 2 * processes - 1) / (2 * processes);
    const int64_t slots = 2 * chunk * processes;
    for (int64_t rank = 0; rank < processes; ++rank) {
      const auto slot = [&](int64_t s) {
        return s < chunk ? rank * chunk + s : (2 * processes - 2 - rank) * chunk + s;
      };
      const auto of_token = [&](const char* tap, int64_t otherwise) {
        return filled({2, 2 * chunk}, "B,S", [&](int64_t b, int64_t s) {
          return slot(s) < kProcessTokens
                     ? inputs.at(std::string("steps/000/tokens/") + tap).i64()[b * kProcessTokens + slot(s)]
                     : otherwise;
        });
      };
      const std::string at = fmt::format("ranks/{:02}/steps/000/tokens/", rank);
      inputs[at + "input_ids"] = of_token("input_ids", 0);
      inputs[at + "position_ids"] = of_token("position_ids", 0);
      inputs[at + "slots"] = filled({2 * chunk}, "S", [&](int64_t, int64_t s) { return slot(s); });
      inputs[at + "gathered_document"] = filled({2, slots}, "B,K", [](int64_t, int64_t k) { return document(k); });
      inputs[at + "gathered_valid"] =
          filled({2, slots}, "B,K", [](int64_t b, int64_t k) { return k < kProcessTokens && real(b, k) ? 1 : 0; });
    }
    compare(processes == 2 ? "sequence-of-two" : "sequence-of-four", "context parallelism equals a single process",
            *sparse_, request, inputs, {std::string("steps/000/") + kLogits},
            {std::string("gathered/steps/000/") + kLogits});
  }

  /// Packed documents give the results of single ones if the budget covers every block.
  void documents() {
    const Tensor ids = unbounded_->tokens(2, kProcessTokens, seed_ + 30);
    const std::string tap = std::string("steps/000/") + kLogits;
    const Make both = [=, this](Walk& walk) {
      return unbounded_->taps(packed(kProcessTokens), packed_inputs(ids), {tap}, walk).at(tap);
    };
    const Make second = [=, this](Walk& walk) {
      return unbounded_->logits(whole(columns(ids, kDocument, kProcessTokens - kDocument)), walk);
    };
    same("documents", "a packed document equals the document alone",
         part(part(both, 'S', kDocument, kProcessTokens - kDocument), 'B', 0, 1), part(second, 'B', 0, 1));
  }

  /// Compares both halves of one plan.
  void compare(const char* relation, const char* what, const Subject& model, const PlanRequest& request,
               const Taps& inputs, const std::vector<std::string>& alone, const std::vector<std::string>& shared) {
    std::vector<std::string> wanted = alone;
    wanted.insert(wanted.end(), shared.begin(), shared.end());
    const auto joined = [&model, request, inputs, wanted](const std::vector<std::string>& half) {
      return [&model, request, inputs, wanted, half](Walk& walk) {
        const Taps taps = model.taps(request, inputs, wanted, walk);
        std::vector<TensorView> views;
        for (const std::string& tap : half) views.push_back(taps.at(tap).view());
        return concatenate(views, 'S');
      };
    };
    same(relation, what, joined(alone), joined(shared));
  }

  Subject& subject_;
  Subject* sparse_ = nullptr;
  Subject* unbounded_ = nullptr;
};

}  // namespace

Battery process_relations(uint64_t seed, const Tried& tried) {
  Processes battery(seed, tried);
  battery.relate();
  return battery;  // keeps the results, but not the subjects
}

}  // namespace parity::faults
