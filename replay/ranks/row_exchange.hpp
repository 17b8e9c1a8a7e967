// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Exchanges single rows of the parts of a collective between ranks: those that its component declares (Traits::sent).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/sharding/sent_rows.hpp"
#include "ranks/communicator.hpp"
#include "replay/execution/native.hpp"

namespace parity::replay {

class RowExchange {
 public:
  /// `tags`: of the messages with each tap. All arguments must outlive the object.
  RowExchange(const Plan& plan, const Registry& components, ranks::Communicator& communicator,
              const std::map<std::string, int>& tags);

  [[nodiscard]] bool takes(const Node& node) const { return sent_.some(node); }
  /// Sends the rows that the same collective of other ranks reads from this rank's parts, and returns the parts of other
  /// ranks that `node` reads: rows that were not sent are poisoned. All ranks of a collective call it. A message with no
  /// rows is not sent. `on_host` returns a tap's value in the host's memory.
  using OnHost = std::function<Tensor(const Value&)>;
  [[nodiscard]] Values exchange(const Node& node, const Values& taps, const OnHost& on_host) const;

 private:
  [[nodiscard]] int rank_of(const std::string& tap) const;
  void send(const Node& to, const Values& taps, const TensorView* ids, const OnHost& on_host) const;
  [[nodiscard]] Tensor receive(const Node& node, size_t part, const TensorView* ids) const;

  const Plan& plan_;
  SentRowsOf sent_;
  ranks::Communicator& communicator_;
  const std::map<std::string, int>& tags_;
  std::map<std::string, std::vector<const Node*>> same_;  // nodes of all ranks, by their first output without a rank
};

}  // namespace parity::replay
