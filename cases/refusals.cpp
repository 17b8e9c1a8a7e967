// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/refusals.hpp"

#include <limits>

#include "cases/guarded_run.hpp"
#include "cases/refused.hpp"
#include "reference/reference.hpp"

namespace parity::cases {
namespace {

constexpr int64_t kEverywhere = -1;
constexpr int64_t kHigh = int64_t{1} << 32;
constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();

/// The number of ids in the range; 0 where the operand that has them is absent.
int64_t count_of(const KernelCall& call, const IdRange& range) {
  const auto given = call.params.find(range.param);
  if (given != call.params.end() && std::get<int64_t>(given->second) > 0) return std::get<int64_t>(given->second);
  const auto output = call.outputs.find(range.operand);
  if (output != call.outputs.end()) return output->second.shape.at(range.axis);
  const auto input = static_cast<size_t>(call.definition->input_index(range.operand));
  const auto& tensors = call.inputs[input].tensors;
  return tensors.empty() ? 0 : tensors.front().shape.at(range.axis);
}

/// How a kernel answers a call: it computes, it refuses with Error{schema}, or it fails otherwise.
struct Answer {
  enum class Kind : uint8_t { computes, refuses, fails };
  Kind kind = Kind::computes;
  std::string words = "no error";
};

template <class Run>
Answer answer(const Run& run) {
  try {
    run();
    return {};
  } catch (const Refused&) {  // no call of this kernel
    throw;
  } catch (const Error& error) {
    const bool refuses = error.code() == ErrorCode::schema;
    return {refuses ? Answer::Kind::refuses : Answer::Kind::fails, error.what()};
  }
}

/// What the kernel does wrong with one id; "" if nothing.
std::string wrong_with(const GuardedKernel& kernel, size_t input, int64_t place, int64_t id) {
  const std::string& name = kernel.call.definition->name;
  const KernelEntry& reference = reference::registry().kernel(name, "reference", "rounded");
  Tensor own, exact;
  const KernelCall call = with_id(kernel.call, input, place, id, own);
  const KernelCall same = with_id(*kernel.exact, input, place, id, exact);
  const Answer expected = answer([&] { PlacedCall(same).run(reference.run); });
  const Answer found = answer([&] { GuardedRun({kernel.run, call, kernel.place}, Poison::first); });
  if (expected.kind == Answer::Kind::fails || expected.kind == found.kind) return "";
  return fmt::format(
      "with {} = {} at {}, the kernel reports '{}', but the reference '{}'", kernel.call.definition->inputs[input].name,
      id, place == kEverywhere ? "every place" : fmt::format("place {}", place), found.words, expected.words);
}

}  // namespace

const std::vector<IdRange>& id_ranges() {
  static const std::vector<IdRange> instance{{"token_embedding", "ids", "table", 0, "vocabulary"},
                                             {"paged_view", "table", "pages", 0},
                                             {"page_write", "table", "out", 0},
                                             {"cache_edit", "rows", "past", 0},
                                             {"cross_entropy", "labels", "logits", 2},
                                             {"mtp_loss", "labels", "logits", 2},
                                             {"token_mask", "positions", "mask", 1},
                                             {"document_pairs", "positions", "documents", 1}};
  return instance;
}

const IdRange* id_range(const Definition& definition, size_t input) {
  for (const IdRange& range : id_ranges()) {
    if (definition.name == range.component && definition.inputs[input].name == range.field) return &range;
  }
  return nullptr;
}

std::vector<int64_t> ids_outside(const KernelCall& call, size_t input) {
  const IdRange* range = id_range(*call.definition, input);
  const auto& tensors = call.inputs[input].tensors;
  if (range == nullptr || tensors.empty() || tensors.front().count() == 0) return {};
  const int64_t count = count_of(call, *range);
  if (count == 0) return {};
  return {count, -1, kHigh, kLowest};
}

KernelCall with_id(const KernelCall& call, size_t input, int64_t place, int64_t id, Tensor& keep) {
  KernelCall result = call;
  TensorView& view = result.inputs[input].tensors.front();
  keep = convert(view, DType::i64);
  for (int64_t i = 0; i < keep.view().count(); ++i) {
    if (place == kEverywhere || place == i) keep.i64()[i] = id;
  }
  view = keep.view();
  return result;
}

GuardResult check_refusals(const GuardedKernel& kernel) {
  if (kernel.exact == nullptr) return {GuardResult::State::idle, 0, "the reference has no call to compare with"};
  GuardResult result{GuardResult::State::idle, 0, "no operand has ids that are refused"};
  for (size_t input = 0; input < kernel.call.inputs.size(); ++input) {
    for (const int64_t id : ids_outside(kernel.call, input)) {
      if (result.count > 0 && (id == kHigh || id == kLowest)) continue;  // what takes -1 would read far out of memory
      const int64_t last = kernel.call.inputs[input].tensors.front().count() - 1;
      for (const int64_t place : {kEverywhere, int64_t{0}, last}) {
        const std::string wrong = wrong_with(kernel, input, place, id);
        if (result.count == 0) result.state = GuardResult::State::holds;
        if (wrong.empty()) continue;
        result.state = GuardResult::State::broken;
        if (result.count++ == 0) result.detail = wrong;
      }
    }
  }
  return result;
}

}  // namespace parity::cases
