// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "ranks/testing/engines.hpp"

#include <optional>

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "ranks/mpi_transport.hpp"
#include "ranks/process_communicator.hpp"
#include "ranks/thread_communicator.hpp"

namespace parity::ranks::tests {
namespace {


/// The processes of mpirun, from the first test to the last.
class Processes final : public ::testing::Environment {
 public:
  void SetUp() override {
    if (!launched_by_mpi()) return;
    transport_ = mpi_transport();
    const auto exchange = [this](const std::string& own) { return transport_->exchange(own); };
    const auto say = [](const RankFailed& failure) { fmt::print(stderr, "{}\n", failure.what()); };
    watch_.emplace(transport_->rank(), connected(transport_->rank(), transport_->size(), exchange), kPatience,
                   Watch::Ends{say, [] { std::_Exit(1); }});
    communicator_.emplace(*transport_, *watch_);
    instance = this;
  }
  void TearDown() override {
    if (!transport_) return;
    transport_->finish();
    watch_->part();
  }
  Communicator& communicator() { return *communicator_; }

  static inline Processes* instance = nullptr;

 private:
  std::unique_ptr<Transport> transport_;
  std::optional<Watch> watch_;
  std::optional<ProcessCommunicator> communicator_;
};

const auto* const kProcesses = ::testing::AddGlobalTestEnvironment(new Processes);

double element(int rank, int64_t i) {
  const auto bits = (static_cast<uint64_t>(i) * 0x9E3779B97F4A7C15ULL) ^ (static_cast<uint64_t>(rank) << 40);
  return (static_cast<double>((bits * 0xD1342543DE82EF95ULL) >> 40) - 0x1p23) / 7.0;
}

double tree_sum(std::vector<double> terms, DType type) {
  while (terms.size() > 1) {
    std::vector<double> sums;
    for (size_t k = 0; k + 1 < terms.size(); k += 2) sums.push_back(round_to(type, terms[k] + terms[k + 1]));
    if (terms.size() % 2 != 0) sums.push_back(terms.back());
    terms = sums;
  }
  return terms.front();
}

}  // namespace

bool on_processes() { return Processes::instance != nullptr; }

void run_ranks(int count, const std::function<void(Communicator&)>& body) {
  if (!on_processes()) return run_threads(count, kPatience, body);
  Communicator& communicator = Processes::instance->communicator();
  ASSERT_GE(communicator.size(), count) << "start more processes";
  if (communicator.rank() < count) body(communicator);
}

Group everyone(int count) {
  Group group;
  for (int r = 0; r < count; ++r) group.push_back(r);
  return group;
}

Tensor part_of_rank(int rank, DType type, int64_t count) {
  Tensor part(type, {count}, "H");
  for (int64_t i = 0; i < count; ++i) store_element(type, part.view().data + i * size_of(type), element(rank, i));
  return part;
}

double sum_of(const Group& group, DType type, int64_t count, int64_t i, Order order) {
  std::vector<double> terms;
  for (const int rank : group) terms.push_back(round_to(type, element(rank, i)));
  if (order == Order::tree) return tree_sum(terms, type);
  const auto ranks = static_cast<int64_t>(terms.size());
  const int64_t chunk = std::max<int64_t>((count + ranks - 1) / ranks, 1);
  const int64_t whole = 8 / size_of(type);  // elements that gloo does not cut
  std::vector<int64_t> way;                 // of the sum, by rank
  for (int64_t r = 0; r < ranks; ++r) {
    if (order == Order::by_rank) way.push_back(r);
    if (order == Order::ring) way.push_back((i / chunk + 1 + r) % ranks);
    if (order == Order::gloo) way.push_back((i / ((chunk + whole - 1) / whole * whole) + 2 * ranks - 1 - r) % ranks);
  }
  double total = terms[static_cast<size_t>(way.front())];
  for (size_t r = 1; r < way.size(); ++r) total = round_to(type, total + terms[static_cast<size_t>(way[r])]);
  return total;
}

void dawdle(int rank, int step) {
  const Random random(static_cast<uint64_t>(rank), "delay");
  std::this_thread::sleep_for(std::chrono::microseconds(random.bits(static_cast<uint64_t>(step)) % 200));
}

}  // namespace parity::ranks::tests
