// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/guarded_replay.hpp"

#include <array>

#include "core/kept_workspace.hpp"

namespace parity::cases {
namespace {

/// A call whose operands and scratch memory stay where they are.
class Kept {
 public:
  explicit Kept(const GuardedKernel& kernel)
      : kernel_(kernel),
        memory_(kernel.place),
        workspace_(std::make_shared<KeptWorkspace>(memory_)),
        placed_(kernel.call, kernel.place, PlacedCall::Inputs::copied, workspace_) {}

  void run() const {
    workspace_->rewind();
    placed_.run(kernel_.run);
  }
  void poison(Poison poison, std::byte scratch) const {
    placed_.poison(poison);
    workspace_->for_each([&](std::byte* data, size_t bytes) { kernel_.place.fill(data, bytes, std::array{scratch}); });
  }
  /// How the outputs differ from those of a call, and whether anything was written outside them.
  [[nodiscard]] GuardResult differences(const GuardedRun& expected) const {
    GuardResult result;
    for (const Written& written : expected.written()) {
      const Tensor found = placed_.output(written.name).on_host();
      for (int64_t i = 0, count = found.view().count(); i < count; ++i) {
        if (bits_at(found.view(), i) != bits_at(written.tensor.view(), i)) GuardedRun::note(result, written.name, i);
      }
    }
    if (const auto beside = placed_.overrun(); beside && result.count == 0)
      result = {GuardResult::State::broken, 1, "beside " + *beside};
    return result;
  }

 private:
  const GuardedKernel& kernel_;
  PlaceWorkspace memory_;
  std::shared_ptr<KeptWorkspace> workspace_;
  PlacedCall placed_;
};

}  // namespace

GuardResult check_replay(const GuardedKernel& kernel, const GuardedRun& expected) {
  if (kernel.place.is_host_memory()) return {GuardResult::State::idle, 0, "host memory: no graph is recorded"};
  const Kept kept(kernel);
  kept.run();  // takes scratch memory and loads what the kernel needs, which no recording can hold
  std::unique_ptr<Recorded> recorded;
  try {
    recorded = kernel.place.record([&] { kept.run(); });
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    return {GuardResult::State::idle, 0,
            fmt::format("the kernel call cannot be recorded as a CUDA graph: {}", error.what())};
  }
  if (recorded == nullptr) return {GuardResult::State::idle, 0, kernel.place.name() + " cannot record graphs"};
  constexpr std::array kLaunches{std::pair{Poison::first, kPositiveScratch},
                                 std::pair{Poison::other, kNegativeScratch}};
  for (size_t launch = 0; launch < kLaunches.size(); ++launch) {
    kept.poison(kLaunches[launch].first, kLaunches[launch].second);
    recorded->launch();
    GuardResult differing = kept.differences(expected);
    if (differing.count == 0) continue;
    differing.detail +=
        fmt::format(" differs when the recorded CUDA graph is launched {}", launch == 0 ? "once" : "again");
    return differing;
  }
  return {};
}

}  // namespace parity::cases
