// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/ranks/ranked_run.hpp"

#include <algorithm>
#include <mutex>
#include <set>

#include <omp.h>

#include "core/sharding/rank_names.hpp"
#include "ranks/collectives.hpp"
#include "ranks/counting_communicator.hpp"
#include "ranks/thread_communicator.hpp"
#include "replay/execution/counted_links.hpp"
#include "replay/execution/lifetimes.hpp"
#include "replay/ranks/row_exchange.hpp"

namespace parity::replay {
namespace {

constexpr const char* kSum = "all_reduce";

int rank_count(const Plan& plan) {
  int most = 0;
  for (const Node& node : plan.nodes) most = std::max(most, node.rank);
  return most + 1;
}

/// The walk of one rank.
class RankWalk {
 public:
  RankWalk(const RankedWalk& walk, ranks::Communicator& communicator)
      : walk_(walk),
        plan_(walk.computation.plan),
        communicator_(communicator),
        runner_(walk.computation, walk.source, walk.wanted),
        tags_(message_tags(plan_)),
        rows_(plan_, *walk.computation.registry, communicator, tags_) {
    for (const std::string& key : walk.computation.edited) edited_.insert(without_rank(key));
    for (size_t i = 0; i < plan_.nodes.size(); ++i) {
      if (plan_.nodes[i].rank == communicator.rank()) own_.push_back(static_cast<int>(i));
    }
    find_readers();
  }

  RankResults run() {
    const auto uses = last_uses(plan_, own_);
    for (const int index : own_) {
      const Node& node = plan_.nodes[static_cast<size_t>(index)];
      Values values = is_engine_sum(node) ? sum(node) : rows_.takes(node) ? exchange(node) : compute(node);
      for (const auto& [tap, value] : values) send(tap, value);
      values.merge(taps_);
      taps_ = std::move(values);
      release(taps_, uses, index);
    }
    results_.refused = runner_.refused();
    results_.moved = runner_.moved();
    return std::move(results_);
  }

 private:
  /// Whether the communicator adds. Where one rank's sum is edited, all ranks exchange taps, as the sum takes all.
  [[nodiscard]] bool is_engine_sum(const Node& node) const {
    return node.component == kSum && !edited_.contains(without_rank(Computation::key_of(node)));
  }
  [[nodiscard]] int rank_of(const std::string& tap) const {
    const int producer = plan_.tap(tap).producer;
    return producer < 0 ? communicator_.rank() : plan_.nodes[static_cast<size_t>(producer)].rank;
  }

  /// The other ranks that need a tap of this one.
  void find_readers() {
    for (const Node& node : plan_.nodes) {
      if (node.rank == communicator_.rank() || is_engine_sum(node) || rows_.takes(node)) continue;
      for (const auto& [field, list] : node.inputs) {
        for (const Operand& operand : list) {
          if (operand.kind == Operand::Kind::tap && plan_.tap(operand.name).producer >= 0 &&
              rank_of(operand.name) == communicator_.rank())
            readers_[operand.name].insert(node.rank);
        }
      }
    }
  }

  void send(const std::string& tap, const Value& value) {
    const auto readers = readers_.find(tap);
    if (readers == readers_.end()) return;
    const Tensor& here = runner_.on_host(value);
    for (const int reader : readers->second)
      communicator_.send(reader, tags_.at(tap), {here.view().data, static_cast<size_t>(here.bytes())});
  }

  void receive(const std::string& tap) {
    const TapInfo& info = plan_.tap(tap);
    Tensor value = Tensor::unwritten(held_type(plan_, tap), info.shape, info.axes);
    communicator_.receive(rank_of(tap), tags_.at(tap), {value.view().data, static_cast<size_t>(value.bytes())});
    taps_[tap] = value;
  }

  Values compute(const Node& node) {
    runner_.read_inputs(node, taps_);
    for (const auto& [field, list] : node.inputs) {
      for (const Operand& operand : list) {
        const bool other = operand.kind == Operand::Kind::tap && rank_of(operand.name) != communicator_.rank();
        if (other && !taps_.contains(operand.name)) receive(operand.name);
      }
    }
    Values values = runner_.run(node, taps_);
    Values continued;
    if (walk_.forced) continued = runner_.follow(node, taps_, values);
    keep(values);
    continued.merge(values);
    return continued;
  }

  /// Computes a collective of which ranks send each other single rows.
  Values exchange(const Node& node) {
    Values parts = rows_.exchange(node, taps_, [this](const Value& value) { return runner_.on_host(value); });
    std::vector<std::string> received;
    for (const auto& [tap, part] : parts) received.push_back(tap);
    taps_.merge(parts);
    Values values = compute(node);
    for (const std::string& tap : received) taps_.erase(tap);  // no other node may read rows that were not sent
    return values;
  }

  Values sum(const Node& node) {
    ranks::Group group;
    const Tensor* own = nullptr;
    for (const Operand& part : node.inputs.at("parts")) {
      group.push_back(rank_of(part.name));
      if (group.back() == communicator_.rank()) own = &runner_.on_host(taps_.at(part.name));
    }
    PARITY_CHECK(own != nullptr, internal, "{}: rank {} takes part in this sum, but has no term for it", node.prefix,
                 communicator_.rank());
    const auto order = node.params.find("order");
    const auto wanted = order == node.params.end() ? int64_t{0} : std::get<int64_t>(order->second);
    const std::string& tap = node.outputs.at("out").name;
    const int tag = tags_.at(node.inputs.at("parts").front().name);
    const Tensor total = ranks::all_reduce(communicator_, group, tag, *own, static_cast<ranks::Order>(wanted));
    const TapInfo& info = plan_.tap(tap);
    Values values{{tap, total.reshaped(info.shape, info.axes)}};
    keep(values);
    return values;
  }

  void keep(const Values& values) {
    for (const auto& [tap, value] : values) {
      if (walk_.wanted(tap)) results_.taps.emplace(tap, runner_.on_host(value));
    }
  }

  const RankedWalk& walk_;
  const Plan& plan_;
  ranks::Communicator& communicator_;
  NodeRunner runner_;
  std::map<std::string, int> tags_;
  RowExchange rows_;
  std::set<std::string> edited_;  // first outputs of edited nodes, without their ranks
  std::vector<int> own_;          // nodes of this rank
  std::map<std::string, std::set<int>> readers_;
  Values taps_;
  RankResults results_;
};

}  // namespace

bool has_ranks(const Plan& plan) { return rank_count(plan) > 1; }

std::map<std::string, int> message_tags(const Plan& plan) {
  std::map<std::string, int> tags;
  for (const auto& [tap, info] : plan.taps) tags.emplace_hint(tags.end(), tap, static_cast<int>(tags.size()));
  return tags;
}

RankResults walk_rank(const RankedWalk& walk, ranks::Communicator& communicator) {
  const std::unique_ptr<ranks::Communicator> outer = walk.wrap ? walk.wrap(communicator) : nullptr;
  ranks::Communicator& engine = outer ? *outer : communicator;
  const auto link = walk.computation.link ? walk.computation.link(engine) : nullptr;
  ranks::CountingCommunicator counted(link ? *link : engine);
  RankResults results = RankWalk(walk, counted).run();
  results.links = links_of(walk.computation.plan, counted);
  return results;
}

RankResults walk_ranks(const RankedWalk& walk, std::chrono::milliseconds timeout, const ranks::Hung& hung) {
  RankResults all;
  std::mutex joining;
  const int count = rank_count(walk.computation.plan);
  const int threads = std::max(omp_get_max_threads() / count, 1);
  const auto body = [&](ranks::Communicator& communicator) {
    omp_set_num_threads(threads);
    RankResults own = walk_rank(walk, communicator);
    const std::scoped_lock lock(joining);
    all.taps.merge(own.taps);
    all.refused.merge(own.refused);
    all.links.merge(own.links);
    all.moved += own.moved;
  };
  ranks::run_threads(count, timeout, body, hung);
  return all;
}

}  // namespace parity::replay
