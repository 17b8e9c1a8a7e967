// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/ranks/row_exchange.hpp"

#include <cstring>

#include "core/poison.hpp"
#include "core/sharding/rank_names.hpp"
#include "replay/execution/computation.hpp"

namespace parity::replay {
namespace {

using Message = std::vector<std::byte>;

const std::vector<Operand>& parts_of(const Node& node) { return node.inputs.at("parts"); }

std::string key_of(const Node& node) { return without_rank(Computation::key_of(node)); }

int64_t row_bytes(const Tensor& tensor) { return tensor.shape().back() * size_of(tensor.dtype()); }

Message packed(const Tensor& tensor, const std::vector<int64_t>& rows) {
  const auto bytes = static_cast<size_t>(row_bytes(tensor));
  Message message(rows.size() * bytes);
  for (size_t i = 0; i < rows.size(); ++i)
    std::memcpy(message.data() + i * bytes, tensor.view().data + static_cast<size_t>(rows[i]) * bytes, bytes);
  return message;
}

void unpack(const Message& message, const std::vector<int64_t>& rows, const Tensor& tensor) {
  const auto bytes = static_cast<size_t>(row_bytes(tensor));
  for (size_t i = 0; i < rows.size(); ++i)
    std::memcpy(tensor.view().data + static_cast<size_t>(rows[i]) * bytes, message.data() + i * bytes, bytes);
}

/// The ids as (N, T).
Tensor flat(const Tensor& ids) {
  const int64_t slots = ids.shape().back();
  return ids.reshaped({slots == 0 ? 0 : ids.view().count() / slots, slots}, "N,T");
}

}  // namespace

RowExchange::RowExchange(const Plan& plan, const Registry& components, ranks::Communicator& communicator,
                         const std::map<std::string, int>& tags)
    : plan_(plan), sent_(plan, components), communicator_(communicator), tags_(tags) {
  for (const Node& node : plan.nodes) {
    if (takes(node)) same_[key_of(node)].push_back(&node);
  }
}

int RowExchange::rank_of(const std::string& tap) const {
  const int producer = plan_.tap(tap).producer;
  return producer < 0 ? communicator_.rank() : plan_.nodes[static_cast<size_t>(producer)].rank;
}

void RowExchange::send(const Node& to, const Values& taps, const TensorView* ids, const OnHost& on_host) const {
  for (size_t part = 0; part < parts_of(to).size(); ++part) {
    const std::string& tap = parts_of(to)[part].name;
    if (rank_of(tap) != communicator_.rank()) continue;
    const auto value = taps.find(tap);
    PARITY_CHECK(value != taps.end(), unsupported,
                 "{}: rank {} must send rows of {} to this node, but has not computed them", to.prefix,
                 communicator_.rank(), tap);
    const Message message = packed(on_host(value->second), sent_.rows(to, part, ids));
    if (!message.empty()) communicator_.send(to.rank, tags_.at(tap), message);
  }
}

Tensor RowExchange::receive(const Node& node, size_t part, const TensorView* ids) const {
  const std::string& tap = parts_of(node)[part].name;
  const TapInfo& info = plan_.tap(tap);
  const Tensor value = Tensor::unwritten(held_type(plan_, tap), info.shape, info.axes);
  fill_with(Poison::nan, value);
  const std::vector<int64_t> rows = sent_.rows(node, part, ids);
  Message message(rows.size() * static_cast<size_t>(row_bytes(value)));
  if (!message.empty()) communicator_.receive(rank_of(tap), tags_.at(tap), message);
  unpack(message, rows, value);
  return value;
}

Values RowExchange::exchange(const Node& node, const Values& taps, const OnHost& on_host) const {
  Tensor chosen;
  if (sent_.by_ids(node)) chosen = flat(on_host(taps.at(SentRowsOf::ids_tap(node))));
  const TensorView* const ids = sent_.by_ids(node) ? &chosen.view() : nullptr;
  for (const Node* other : same_.at(key_of(node))) {
    if (other->rank != communicator_.rank()) send(*other, taps, ids, on_host);
  }
  Values received;
  for (size_t part = 0; part < parts_of(node).size(); ++part) {
    const std::string& tap = parts_of(node)[part].name;
    if (rank_of(tap) != communicator_.rank() && !received.contains(tap)) received[tap] = receive(node, part, ids);
  }
  return received;
}

}  // namespace parity::replay
