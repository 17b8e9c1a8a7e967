// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A model whose kernels run at a place that the host cannot touch: its weights go there once, and its taps stay there.
// The places are one that ends such an access with SIGSEGV, the PTX machine, and a GPU or its stand-in where one is.
#include <optional>

#include <gmock/gmock.h>

#include "core/testing/closed_place.hpp"
#include "golden/files/temporary_folder.hpp"
#include "optimized/backends.hpp"
#include "optimized/registry.hpp"
#include "replay/execution/execution.hpp"
#include "replay/testing/collector.hpp"
#include "replay/testing/synthetic_golden.hpp"

namespace parity::cases {
namespace {

using replay::Execution;
using replay::KernelTable;
using replay::Moved;
using ::testing::HasSubstr;
using testing_support::ClosedPlace;
using Mode = Execution::Mode;

/// Host memory that says how much room it has, and counts as another place. It does not notice an access of the host.
class SmallPlace final : public Place {
 public:
  [[nodiscard]] std::string name() const override { return "a small place"; }
  [[nodiscard]] bool is_host_memory() const override { return false; }
  [[nodiscard]] std::shared_ptr<std::byte[]> allocate(size_t bytes, size_t alignment) override {
    return host().allocate(bytes, alignment);
  }
  void write(std::byte* target, const std::byte* from, size_t bytes) override { host().write(target, from, bytes); }
  void read(std::byte* to, const std::byte* source, size_t bytes) const override { host().read(to, source, bytes); }
  void fill(std::byte* target, size_t bytes, std::span<const std::byte> pattern) override {
    host().fill(target, bytes, pattern);
  }
  int64_t flush(std::span<std::byte>) const override { return 0; }
  [[nodiscard]] std::optional<Room> room() const override { return Room{free, 4 * kReserve}; }

  static constexpr int64_t kReserve = 1000;  // a quarter of it all, which weights leave free
  int64_t free = 0;
};

Place& closed(int) {
  static ClosedPlace place;
  return place;
}

SmallPlace& small(int) {
  static SmallPlace place;
  return place;
}

KernelTable table_of(const std::string& backend) {
  const bool moved = backend == "closed" || backend == "small";
  KernelTable table = replay::kernel_table(optimized::registry(), moved ? "cpu" : backend, "f32");
  for (auto& [component, entry] : table.kernels) {
    if (backend == "closed") entry.run = ClosedPlace::here(entry.run);
    if (backend == "closed") entry.place = &closed;
    if (backend == "small") entry.place = [](int rank) -> Place& { return small(rank); };
  }
  return table;
}

std::vector<std::string> backends() {
  std::vector<std::string> all;
  for (const char* name : {"closed", "cuda-host", "cuda"}) {
    if (!table_of(name).kernels.empty()) all.emplace_back(name);
  }
  return all;
}

/// The golden of a prefill, a decode call and a chunk.
struct Model {
  golden::TemporaryFolder scratch;
  std::optional<replay::tests::Opened> opened;
  std::shared_ptr<replay::Computation> computation = std::make_shared<replay::Computation>();

  explicit Model(const std::string& backend) {
    replay::tests::write_tiny_golden(scratch / "golden", DType::f32);
    opened.emplace(scratch / "golden");
    computation->name = backend;
    computation->plan = opened->plan;
    computation->registry = {&reference::registry(), [](const Registry*) {}};
    computation->weights = {&opened->golden.parameters(), [](const WeightSource*) {}};
    computation->kernels = table_of(backend);
    computation->residents = std::make_shared<replay::Residents>();
  }

  [[nodiscard]] Execution run(Mode mode, const Execution::Wanted& wanted) const {
    return {computation, opened->recording, mode, wanted};
  }
  [[nodiscard]] std::string last() const { return Computation::key_of(opened->plan.nodes.back()); }

  [[nodiscard]] int64_t bytes_of(const std::string& tap) const {
    return element_count(opened->plan.tap(tap).shape) * size_of(replay::held_type(opened->plan, tap));
  }
  [[nodiscard]] bool runs_there(int node) const {
    return node >= 0 && computation->kernel_of(opened->plan.nodes[static_cast<size_t>(node)]) != nullptr;
  }
  /// Bytes of the weights that kernels of the place read, in their type.
  [[nodiscard]] int64_t weight_bytes() const {
    std::set<std::string> read;
    for_operands([&](const Operand& operand, bool there) {
      if (operand.kind != Operand::Kind::tap && there) read.insert(operand.name);
    });
    int64_t bytes = 0;
    for (const std::string& name : read) {
      const WeightInfo& info = opened->plan.weights.at(name);
      bytes += element_count(info.shape) * std::max<int64_t>(info.members, 1) * size_of(DType::f32);
    }
    return bytes;
  }
  /// Bytes of the taps that kernels read and that are inputs of the model, or computed by the reference.
  [[nodiscard]] int64_t bytes_from_host() const {
    return bytes_of_read([&](const Operand& operand, bool there) {
      return there && !runs_there(opened->plan.tap(operand.name).producer);
    });
  }
  /// Bytes of the taps that kernels compute and that are `wanted`, or read by the reference.
  [[nodiscard]] int64_t bytes_to_host(const Execution::Wanted& wanted) const {
    int64_t bytes = 0;
    for (const auto& [tap, info] : opened->plan.taps)
      bytes += runs_there(info.producer) && wanted(tap) ? bytes_of(tap) : 0;
    return bytes + bytes_of_read([&](const Operand& operand, bool there) {
             return !there && runs_there(opened->plan.tap(operand.name).producer) && !wanted(operand.name);
           });
  }

 private:
  template <class Body>
  void for_operands(const Body& body) const {
    for (size_t node = 0; node < opened->plan.nodes.size(); ++node) {
      for (const auto& [field, list] : opened->plan.nodes[node].inputs) {
        for (const Operand& operand : list) body(operand, runs_there(static_cast<int>(node)));
      }
    }
  }
  template <class Counts>
  [[nodiscard]] int64_t bytes_of_read(const Counts& counts) const {
    std::set<std::string> taps;
    for_operands([&](const Operand& operand, bool there) {
      if (operand.kind == Operand::Kind::tap && counts(operand, there)) taps.insert(operand.name);
    });
    int64_t bytes = 0;
    for (const std::string& tap : taps) bytes += bytes_of(tap);
    return bytes;
  }

  using Computation = replay::Computation;
};

class Resident : public ::testing::TestWithParam<std::string> {};

TEST_P(Resident, WeightsAreCopiedOnceForAllStepsAndWalks) {
  const Model model(GetParam());
  const auto all = [&](const std::string& tap) { return model.opened->recording.has(tap); };

  for (const Mode mode : {Mode::chained, Mode::isolated, Mode::forced}) {
    const Execution run = model.run(mode, all);
    for (const auto& [tap, info] : model.opened->plan.taps) {
      if (run.has(tap)) static_cast<void>(run.read(tap));
    }
    EXPECT_TRUE(run.refused().empty());
  }

  EXPECT_EQ(model.computation->residents->moved().weights, model.weight_bytes());
  EXPECT_EQ(model.computation->residents->moved().weights_by_call, 0);
}

TEST_P(Resident, CachesAndAllOtherTapsStayBetweenStepsOfAChain) {
  const Model model(GetParam());
  const auto last = [&](const std::string& tap) { return tap == model.last(); };
  const Execution chained = model.run(Mode::chained, last);

  static_cast<void>(chained.read(model.last()));

  EXPECT_TRUE(chained.refused().empty());
  EXPECT_EQ(chained.moved().values_there, model.bytes_from_host());
  EXPECT_EQ(chained.moved().values_back, model.bytes_to_host(last));
}

TEST_P(Resident, TapsThatAreJudgedComeBackOnce) {
  const Model model(GetParam());
  const auto all = [&](const std::string& tap) { return model.opened->recording.has(tap); };
  const Execution chained = model.run(Mode::chained, all);

  for (int repeat = 0; repeat < 2; ++repeat) {
    for (const auto& [tap, info] : model.opened->plan.taps) {
      if (chained.has(tap)) static_cast<void>(chained.read(tap));
    }
  }

  EXPECT_EQ(chained.moved().values_back, model.bytes_to_host(all));
  EXPECT_EQ(chained.moved().values_there, model.bytes_from_host());
}

TEST_P(Resident, AnIsolatedCacheContinuesTheRecordedOne) {
  const Model model(GetParam());
  const replay::Recording& recorded = model.opened->recording;
  const Execution isolated = model.run(Mode::isolated, [&](const std::string& tap) { return recorded.has(tap); });
  int64_t caches = 0;

  for (const Node& node : model.opened->plan.nodes) {
    if (node.component != "cache_append" || !node.inputs.contains("past")) continue;
    const std::string &past = node.inputs.at("past").front().name, &out = node.outputs.at("out").name;
    if (!recorded.has(past) || !recorded.has(out)) continue;
    const int64_t before = isolated.moved().values_there;
    EXPECT_EQ(replay::tests::differing(isolated.read(out), recorded.read(out)), 0) << out;
    EXPECT_GE(isolated.moved().values_there - before, model.bytes_of(past)) << out;
    ++caches;
  }

  EXPECT_GT(caches, 0);
}

INSTANTIATE_TEST_SUITE_P(Places, Resident, ::testing::ValuesIn(backends()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(ResidentModel, AModelThatStaysAtAPlaceHasTheBitsOfTheHosts) {
  const Model there("closed"), here("cpu");
  const auto all = [&](const std::string& tap) { return here.opened->recording.has(tap); };
  for (const Mode mode : {Mode::isolated, Mode::chained, Mode::forced}) {
    const Execution a = there.run(mode, all), b = here.run(mode, all);
    for (const auto& [tap, info] : here.opened->plan.taps) {
      ASSERT_EQ(a.has(tap), b.has(tap)) << tap;
      if (!a.has(tap)) continue;
      EXPECT_EQ(replay::tests::differing(a.read(tap), b.read(tap)), 0) << tap;
    }
    EXPECT_EQ(b.moved().values_there + b.moved().values_back, 0);
  }
}

TEST(ResidentModel, WeightsThatDoNotFitAreCopiedAtEachCallAndSaidOnce) {
  const Model model("small");
  small(0).free = SmallPlace::kReserve;  // all of it is left to taps
  const Execution chained = model.run(Mode::chained, [&](const std::string& tap) { return tap == model.last(); });

  ::testing::internal::CaptureStderr();
  static_cast<void>(chained.read(model.last()));
  const std::string said = ::testing::internal::GetCapturedStderr();

  const Moved moved = model.computation->residents->moved();
  EXPECT_EQ(moved.weights, 0);
  EXPECT_GE(moved.weights_by_call, 3 * (model.weight_bytes() / 2)) << "in three calls; the embedding is read by rows";
  EXPECT_THAT(said, HasSubstr("do not fit into the memory of a small place"));
  EXPECT_EQ(said.find("do not fit", said.find("do not fit") + 1), std::string::npos) << said;
}

}  // namespace
}  // namespace parity::cases
