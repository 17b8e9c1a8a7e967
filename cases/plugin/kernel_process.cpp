// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/plugin/kernel_process.hpp"

#include <algorithm>
#include <bit>
#include <random>

#include "cases/plugin/call_message.hpp"
#include "cases/refused.hpp"
#include "golden/files/one_line.hpp"

namespace parity::cases {
namespace {

using Json = nlohmann::json;
constexpr size_t kLeastMemory = size_t{64} << 20U;

/// Numbers that a kernel cannot foresee.
uint64_t unforeseen() {
  static thread_local std::mt19937_64 numbers{std::random_device{}()};
  return numbers() >> 12U;  // exact in JSON of any reader
}

/// Whether a flag of an answer is true. Who writes another type there may not expect it to hold.
bool is_set(const Json& answer, const char* flag) {
  const auto found = answer.find(flag);
  return found != answer.end() && found->is_boolean() && found->get<bool>();
}

std::string reason_in(const Json& answer) {
  const auto found = answer.find("error");
  const bool given = found != answer.end() && found->is_string();
  return given ? golden::one_line(found->get<std::string>()) : "no reason is given";
}

void require_ok(const Json& answer, ErrorCode code, const char* what) {
  if (!is_set(answer, "ok")) throw Error(code, fmt::format("{}: {}", what, reason_in(answer)));
}

}  // namespace

Described KernelProcess::describe(double timeout_s) {
  const Json answer = worker_.ask({{"do", "describe"}, {"protocol", 1}}, timeout_s);
  require_ok(answer, ErrorCode::usage, "it cannot be loaded");
  return described(answer);
}

void KernelProcess::need_memory(size_t inputs, size_t outputs) {
  if (inputs_ && inputs_->bytes() >= inputs && outputs_->bytes() >= outputs) return;
  inputs_.reset();
  outputs_.reset();
  inputs_.emplace(std::bit_ceil(std::max(inputs, kLeastMemory)), SharedMemory::Worker::reads);
  outputs_.emplace(std::bit_ceil(std::max(outputs, kLeastMemory)), SharedMemory::Worker::writes);
  const std::array descriptors{inputs_->descriptor(), outputs_->descriptor()};
  constexpr double kPatience = 60.0;
  const Json answer = worker_.ask({{"do", "memory"}, {"inputs", inputs_->bytes()}, {"outputs", outputs_->bytes()}},
                                  kPatience, descriptors);
  require_ok(answer, ErrorCode::device, "the kernel's process cannot map the operands");
}

void KernelProcess::require_quiet_since_last_call() {
  if (!written_) return;
  const auto changed = written_->changed(outputs_->data(), left_.data());
  if (changed) worker_.condemn(fmt::format("wrote to '{}' after it had answered the previous call", *changed));
  written_.reset();
}

void KernelProcess::call(const ProcessCall& call, double timeout_s) {
  constexpr uint64_t kShifts = 16;
  require_quiet_since_last_call();
  Arena inputs(unforeseen() % kShifts), outputs(unforeseen() % kShifts);
  std::vector<Tensor> members;  // of banks, as long as the call runs
  place_inputs(call, inputs, members);
  place_outputs(call, outputs);
  need_memory(inputs.bytes(), outputs.bytes());
  inputs.fill(inputs_->data());
  outputs.fill(outputs_->data());
  const uint64_t id = unforeseen();
  const Json answer = worker_.ask(call_message(call, id, inputs, outputs), timeout_s);
  worker_.freeze();
  if (answer.value("id", Json()) != Json(id)) worker_.condemn("answered another call than it was asked");
  inspect(outputs);
  if (is_set(answer, "refused")) throw Refused(reason_in(answer));
  require_ok(answer, ErrorCode::device, "the kernel failed");
}

void KernelProcess::inspect(const Arena& outputs) {
  if (const auto where = outputs.overrun(outputs_->data()))
    worker_.condemn(fmt::format("wrote outside of the outputs: {}", *where));
  if (const int64_t others = worker_.others(); others > 0)
    worker_.condemn(fmt::format("left {} other process{} running", others, others == 1 ? "" : "es"));
  outputs.take(outputs_->data());
  written_ = outputs;
  left_.assign(outputs_->data(), outputs_->data() + outputs.bytes());
  const bool alone = worker_.threads() == 1;
  worker_.thaw();
  if (alone) return;
  worker_.settle();  // threads that still write are given the chance
  if (const auto changed = outputs.changed(outputs_->data(), left_.data()))
    worker_.condemn(fmt::format("wrote to '{}' after it had answered", *changed));
  inspect_threads();
}

/// A pool of threads is made once. Threads that no call joins become more with each call.
void KernelProcess::inspect_threads() {
  constexpr int64_t kMost = 4;
  const int64_t before = std::exchange(threads_, worker_.threads());
  grown_ = threads_ > before ? grown_ + 1 : 0;
  if (grown_ > kMost)
    worker_.condemn(fmt::format("leaves threads running: each of the last {} calls added some, now there are {}",
                                grown_, threads_));
}

}  // namespace parity::cases
