// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Kernels that are right at each call and wrong as a graph that is launched again.
#include "cases/guarded_replay.hpp"

#include <functional>

#include <gmock/gmock.h>

#include "core/testing/closed_place.hpp"
#include "reference/test_call.hpp"

namespace parity::cases {
namespace {

using State = GuardResult::State;
using ::testing::HasSubstr;

/// A place that queues work: what a kernel launches runs at once, or with each launch of what is recorded.
class QueuingPlace final : public Place {
 public:
  [[nodiscard]] std::string name() const override { return "a place that queues"; }
  [[nodiscard]] bool is_host_memory() const override { return false; }
  [[nodiscard]] std::shared_ptr<std::byte[]> allocate(size_t bytes, size_t alignment) override {
    PARITY_CHECK(recording_ == nullptr, unsupported, "memory is allocated while a graph is recorded");
    return host().allocate(bytes, alignment);
  }
  void write(std::byte* target, const std::byte* from, size_t bytes) override { host().write(target, from, bytes); }
  void read(std::byte* to, const std::byte* source, size_t bytes) const override { host().read(to, source, bytes); }
  void fill(std::byte* target, size_t bytes, std::span<const std::byte> pattern) override {
    host().fill(target, bytes, pattern);
  }
  int64_t flush(std::span<std::byte>) const override { return 0; }

  void launch(std::function<void()> work) {
    if (recording_ == nullptr) return work();
    recording_->parts.push_back(std::move(work));
  }
  [[nodiscard]] std::unique_ptr<Recorded> record(const std::function<void()>& work) override {
    auto recording = std::make_unique<Recording>();
    recording_ = recording.get();
    try {
      work();
    } catch (...) {
      recording_ = nullptr;
      throw;
    }
    recording_ = nullptr;
    return recording;
  }

 private:
  struct Recording final : Recorded {
    void launch() override {
      for (const auto& part : parts) part();
    }
    [[nodiscard]] double seconds() override { return 0.0; }
    std::vector<std::function<void()>> parts;
  };
  Recording* recording_ = nullptr;
};

class Replays : public ::testing::Test {
 protected:
  Replays() : call_("silu") { call_.in("x", {2}, {1, 2}).out("out", {2}); }

  /// A kernel out = x + added(), whose host half is `before`.
  template <class Before, class Added>
  [[nodiscard]] GuardResult check(const Before& before, const Added& added) {
    const ErasedKernel kernel = [=](const Arguments& in, const ParamMap&, const Arguments& out, Context& context) {
      auto& place = dynamic_cast<QueuingPlace&>(*context.place);
      before(context);
      const auto* x = reinterpret_cast<const double*>(in.front().tensors.front().data);
      auto* y = reinterpret_cast<double*>(out.front().tensors.front().data);
      place.launch([=] {
        for (int64_t i = 0; i < 2; ++i) y[i] = x[i] + added();
      });
    };
    const GuardedKernel guarded{kernel, call_.call(), place_};
    return check_replay(guarded, GuardedRun(guarded, Poison::first));
  }

  QueuingPlace place_;
  reference::TestCall call_;
};

TEST_F(Replays, AKernelWithoutAMemoryIsTheSame) {
  const GuardResult result = check([](Context&) {}, [] { return 1.0; });

  EXPECT_EQ(result.state, State::holds) << result.detail;
}

TEST_F(Replays, ACounterThatTheHostHalfResetsIsNotResetByAGraph) {
  const auto counter = std::make_shared<double>(0.0);

  const GuardResult result =
      check([counter](Context&) { *counter = 0.0; }, [counter] { return (*counter += 1.0) > 2.0; });

  EXPECT_EQ(result.state, State::broken);
  EXPECT_EQ(result.detail, "element 0 of out differs when the recorded CUDA graph is launched again");
}

TEST_F(Replays, ScratchThatTheHostHalfFillsDirectlyIsGoneWhenAGraphRuns) {
  const auto block = std::make_shared<double*>(nullptr);
  const auto before = [block](Context& context) {
    *block = context.workspace->take_elements<double>(1);
    **block = 3.0;
  };

  const GuardResult result = check(before, [block] { return **block; });

  EXPECT_EQ(result.state, State::broken);
  EXPECT_THAT(result.detail, HasSubstr("differs when the recorded CUDA graph is launched once"));
}

TEST_F(Replays, WhatNoGraphCanHoldIsNotJudgedAndSaysWhy) {
  const GuardResult result =
      check([](Context& context) { static_cast<void>(context.place->allocate(8)); }, [] { return 0.0; });

  EXPECT_EQ(result.state, State::idle);
  EXPECT_EQ(result.detail,
            "the kernel call cannot be recorded as a CUDA graph: memory is allocated while a graph is recorded");
}

}  // namespace
}  // namespace parity::cases
