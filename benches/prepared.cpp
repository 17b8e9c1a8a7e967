// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Calls that are repeated: marshalled once, with scratch memory that is kept, cold when asked for, and held to what the
// judge saw.
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "benches/call.hpp"
#include "benches/chain.hpp"
#include "reference/reference.hpp"

namespace parity::benches {
namespace {

#if defined(__x86_64__)
constexpr int64_t kLine = 64;
using Lines = int64_t (*)(std::byte* data, int64_t bytes);

int64_t flush_in_order(std::byte* data, int64_t bytes) {
  int64_t lines = 0;
  for (int64_t at = 0; at < bytes; at += kLine, ++lines) _mm_clflush(data + at);
  return lines;
}

/// Waits for no line before the next.
[[gnu::target("clflushopt")]] int64_t flush_freely(std::byte* data, int64_t bytes) {
  int64_t lines = 0;
  for (int64_t at = 0; at < bytes; at += kLine, ++lines) _mm_clflushopt(data + at);
  return lines;
}

Lines flush_of_this_processor() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  const bool free = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_CLFLUSHOPT) != 0;
  return free ? &flush_freely : &flush_in_order;
}
#endif

/// Another kernel's bank may copy; this one hands out what lies there.
class ReadyBank final : public WeightBank {
 public:
  explicit ReadyBank(const std::vector<Tensor>& members) : members_(members) {}
  [[nodiscard]] int64_t size() const override { return static_cast<int64_t>(members_.size()); }
  [[nodiscard]] Tensor member(int64_t index) const override { return members_[static_cast<size_t>(index)]; }

 private:
  const std::vector<Tensor>& members_;
};

/// Of a component, or of a fusion.
const Definition& definition_of(const std::string& name) {
  return parts_of(name).empty() ? reference::registry().component(name) : bench_registry().component(name);
}

}  // namespace

#if defined(__x86_64__)
int64_t flush_lines(std::span<std::byte> memory) {
  // From the line on in which the data begin: an operand need not.
  const auto into_line = static_cast<int64_t>(std::bit_cast<uintptr_t>(memory.data()) % kLine);
  std::byte* data = memory.data() - into_line;
  const auto bytes = static_cast<int64_t>(memory.size()) + into_line;
  static const Lines lines = flush_of_this_processor();
  constexpr int64_t kPiece = int64_t{1} << 18;
  int64_t total = 0;
#pragma omp parallel reduction(+ : total)
  {
#pragma omp for schedule(static)
    for (int64_t at = 0; at < bytes; at += kPiece) total += lines(data + at, std::min(kPiece, bytes - at));
    _mm_mfence();  // each thread's own
  }
  return total;
}
#else
int64_t flush_lines(std::span<std::byte>) { return 0; }
#endif

Prepared::Prepared(const Call& call, ErasedKernel kernel)
    : call_(call),
      kernel_(std::move(kernel)),
      memory_(std::make_shared<HostWorkspace>()),
      workspace_(std::make_shared<KeptWorkspace>(*memory_)) {
  const Definition& definition = definition_of(call.component);
  in_.resize(definition.inputs.size());
  out_.resize(definition.outputs.size());
  const auto at = [](int index) { return static_cast<size_t>(index); };
  for (const CallOperand& operand : call.inputs)
    in_[at(definition.input_index(operand.field))].tensors = {operand.tensor.view()};
  for (const CallOperand& operand : call.outputs)
    out_[at(definition.output_index(operand.field))].tensors = {operand.tensor.view()};
  for (const CallBank& bank : call.banks) {
    banks_.push_back(std::make_unique<ReadyBank>(bank.members));
    in_[at(definition.input_index(bank.field))].bank = banks_.back().get();
  }
}

void Prepared::run() const {
  Context context;
  workspace_->rewind();
  context.workspace = workspace_;
  kernel_(in_, call_.params, out_, context);
}

std::vector<std::span<std::byte>> Prepared::memory() const {
  std::vector<std::span<std::byte>> all;
  const auto add = [&](const Tensor& tensor) {
    all.emplace_back(tensor.view().data, static_cast<size_t>(tensor.bytes()));
  };
  for (const auto* list : {&call_.inputs, &call_.outputs}) {
    for (const CallOperand& operand : *list) add(operand.tensor);
  }
  for (const CallBank& bank : call_.banks) {
    for (const Tensor& member : bank.members) add(member);
  }
  workspace_->for_each([&](std::byte* data, size_t bytes) { all.emplace_back(data, bytes); });
  return all;
}

int64_t Prepared::flush() const {
  ++flushes_;
  int64_t lines = 0;
  for (const std::span<std::byte> piece : memory()) lines += flush_lines(piece);
  return lines;
}

void poison_outputs(const Call& call) {
  for (const CallOperand& operand : call.outputs) {
    const Tensor& tensor = operand.tensor;
    if (tensor.dtype() == DType::i64) {
      std::fill_n(tensor.i64(), tensor.view().count(), std::numeric_limits<int64_t>::min());
    } else {
      std::memset(tensor.view().data, 0xFF, static_cast<size_t>(tensor.bytes()));  // NaN in every type
    }
  }
}

JudgedOutputs::JudgedOutputs(const Call& call) : call_(call) {
  for (const CallOperand& operand : call.outputs) {
    const std::byte* data = operand.tensor.view().data;
    bytes_.emplace_back(data, data + operand.tensor.bytes());
  }
}

std::optional<std::string> JudgedOutputs::why_changed(const Prepared& timed) const {
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    poison_outputs(call_);
    timed.run();
    for (size_t i = 0; i < bytes_.size(); ++i) {
      const CallOperand& operand = call_.outputs[i];
      const std::byte* data = operand.tensor.view().data;
      const auto at = std::mismatch(bytes_[i].begin(), bytes_[i].end(), data).first - bytes_[i].begin();
      if (at == operand.tensor.bytes()) continue;
      return fmt::format("{} is not what was judged when the call is repeated: element {} of {} differs", operand.field,
                         at / size_of(operand.tensor.dtype()), operand.tensor.view().count());
    }
  }
  return std::nullopt;
}

}  // namespace parity::benches
