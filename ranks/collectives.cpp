// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "ranks/collectives.hpp"

#include <algorithm>

namespace parity::ranks {
namespace {

/// Where the caller is in its group.
struct Seat {
  Seat(const Communicator& ranks, const Group& all) : group(all), count(static_cast<int>(all.size())) {
    const auto found = std::find(all.begin(), all.end(), ranks.rank());
    PARITY_CHECK(found != all.end(), internal, "rank {} is not in the group of its collective", ranks.rank());
    index = static_cast<int>(found - all.begin());
  }
  [[nodiscard]] int at(int i) const { return group[static_cast<size_t>((i % count + count) % count)]; }

  const Group& group;
  int count;
  int index = 0;
};

ConstBytes bytes_of(const Tensor& tensor, Range range = {0, -1}) {
  const auto size = size_of(tensor.dtype());
  const int64_t count = range.count < 0 ? tensor.view().count() : range.count;
  return {tensor.view().data + range.first * size, static_cast<size_t>(count * size)};
}
Bytes writable(const Tensor& tensor, Range range = {0, -1}) {
  const ConstBytes bytes = bytes_of(tensor, range);
  return {const_cast<std::byte*>(bytes.data()), bytes.size()};
}

/// target = target + part, rounded to the type.
void add(const Tensor& target, Range range, const std::vector<std::byte>& part) {
  const DType type = target.dtype();
  const int64_t size = size_of(type);
  std::byte* y = target.view().data + range.first * size;
  for (int64_t i = 0; i < range.count; ++i) {
    const double sum = load_element(type, y + i * size) + load_element(type, part.data() + i * size);
    store_element(type, y + i * size, sum);
  }
}

/// Receives elements and adds them. Addition commutes, so it does not matter whose term is the first.
void receive_and_add(Communicator& ranks, int from, int tag, const Tensor& target, Range range) {
  std::vector<std::byte> part(static_cast<size_t>(range.count * size_of(target.dtype())));
  ranks.receive(from, tag, part);
  add(target, range, part);
}

/// A ring: chunk c ends, summed, at rank c. It comes from rank c + 1, and goes up, or from rank c - 1, and goes down.
class Ring {
 public:
  Ring(Communicator& ranks, const Seat& seat, int tag, const Tensor& sums, Order order)
      : ranks_(ranks),
        seat_(seat),
        tag_(tag),
        sums_(sums),
        chunk_(route_of(order, sums.view().count(), seat.count, size_of(sums.dtype())).chunk),
        up_(order == Order::ring ? 1 : -1) {}

  /// Reduce-scatter.
  void sum() {
    for (int step = 1; step < seat_.count; ++step) {
      send(seat_.index - up_ * step);
      receive_and_add(ranks_, seat_.at(seat_.index - up_), tag_, sums_, range(seat_.index - up_ * (step + 1)));
    }
  }
  /// All-gather: every rank passes the chunk on that it got last.
  void gather() {
    for (int step = 0; step + 1 < seat_.count; ++step) {
      send(seat_.index - up_ * step);
      ranks_.receive(seat_.at(seat_.index - up_), tag_, writable(sums_, range(seat_.index - up_ * (step + 1))));
    }
  }

 private:
  [[nodiscard]] Range range(int c) const {
    const int64_t count = sums_.view().count();
    const int64_t first = std::min(((c % seat_.count + seat_.count) % seat_.count) * chunk_, count);
    return {first, std::min(chunk_, count - first)};
  }
  void send(int c) { ranks_.send(seat_.at(seat_.index + up_), tag_, bytes_of(sums_, range(c))); }

  Communicator& ranks_;
  const Seat& seat_;
  int tag_;
  const Tensor& sums_;
  int64_t chunk_;
  int up_;
};

/// Sums of neighbours go to the lower rank, then the total back the same way.
void sum_in_tree(Communicator& ranks, const Seat& seat, int tag, const Tensor& sums) {
  const Range all{0, sums.view().count()};
  int span = 1;
  for (; span < seat.count && seat.index % (2 * span) == 0; span *= 2) {
    if (seat.index + span < seat.count) receive_and_add(ranks, seat.at(seat.index + span), tag, sums, all);
  }
  if (seat.index > 0) {
    ranks.send(seat.at(seat.index - span), tag, bytes_of(sums));
    ranks.receive(seat.at(seat.index - span), tag, writable(sums));
  }
  for (span /= 2; span >= 1; span /= 2) {
    if (seat.index + span < seat.count) ranks.send(seat.at(seat.index + span), tag, bytes_of(sums));
  }
}

Tensor copy_of(const Tensor& tensor) { return convert(tensor.view(), tensor.dtype()); }

Tensor sum_by_rank(const std::vector<Tensor>& parts) {
  Tensor sums = copy_of(parts.front());
  for (size_t r = 1; r < parts.size(); ++r) {
    const ConstBytes part = bytes_of(parts[r]);
    add(sums, {0, sums.view().count()}, {part.begin(), part.end()});
  }
  return sums;
}

}  // namespace

Tensor all_reduce(Communicator& ranks, const Group& group, int tag, const Tensor& own, Order order) {
  const Seat seat(ranks, group);
  const Tensor sums = copy_of(own);
  if (ranks.sum(group, tag, own.dtype(), writable(sums))) return sums;
  if (order == Order::by_rank)
    return sum_by_rank(all_gather(ranks, group, tag, own, std::vector<Shape>(group.size(), own.shape())));
  if (order == Order::tree) {
    sum_in_tree(ranks, seat, tag, sums);
  } else {
    Ring ring(ranks, seat, tag, sums, order);
    ring.sum();
    ring.gather();
  }
  return sums;
}

std::vector<Tensor> all_gather(Communicator& ranks, const Group& group, int tag, const Tensor& own,
                               const std::vector<Shape>& shapes) {
  return all_to_all(ranks, group, tag, std::vector<Tensor>(group.size(), own), shapes);
}

Tensor reduce_scatter(Communicator& ranks, const Group& group, int tag, const Tensor& own) {
  const Seat seat(ranks, group);
  const Tensor sums = copy_of(own);
  Ring(ranks, seat, tag, sums, Order::ring).sum();
  const Range chunk = chunk_of(sums.view().count(), seat.index, seat.count);
  Tensor result = Tensor::unwritten(own.dtype(), {chunk.count});
  const ConstBytes bytes = bytes_of(sums, chunk);
  std::copy(bytes.begin(), bytes.end(), result.view().data);
  return result;
}

std::vector<Tensor> all_to_all(Communicator& ranks, const Group& group, int tag, const std::vector<Tensor>& parts,
                               const std::vector<Shape>& shapes) {
  const Seat seat(ranks, group);
  std::vector<Tensor> result;
  for (int i = 0; i < seat.count; ++i) {
    if (i != seat.index) ranks.send(seat.at(i), tag, bytes_of(parts[static_cast<size_t>(i)]));
  }
  for (int i = 0; i < seat.count; ++i) {
    const auto index = static_cast<size_t>(i);
    if (i == seat.index) {
      result.push_back(parts[index]);
      continue;
    }
    result.push_back(Tensor::unwritten(parts[index].dtype(), shapes[index], parts[index].view().axes));
    ranks.receive(seat.at(i), tag, writable(result.back()));
  }
  return result;
}

Tensor broadcast(Communicator& ranks, const Group& group, int tag, const Tensor& own, int root) {
  const Seat seat(ranks, group);
  if (seat.index != root) {
    const Tensor result = Tensor::unwritten(own.dtype(), own.shape(), own.view().axes);
    ranks.receive(seat.at(root), tag, writable(result));
    return result;
  }
  for (int i = 0; i < seat.count; ++i) {
    if (i != root) ranks.send(seat.at(i), tag, bytes_of(own));
  }
  return own;
}

}  // namespace parity::ranks
