// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a DriverPlace times: a stretch of its stream, recorded as a graph where that can be.
#pragma once

#include <list>
#include <vector>

#include "optimized/cuda/driver_place.hpp"

namespace parity::optimized::cuda {

/// Two points in time of the GPU.
struct DriverPlace::Interval {
  explicit Interval(const Driver& of);
  ~Interval();
  Interval(const Interval&) = delete;
  Interval& operator=(const Interval&) = delete;

  /// Once the stream is done.
  [[nodiscard]] double seconds() const;

  const Driver& driver;
  void *begin = nullptr, *end = nullptr;
};

/// Launches and copies that are queued as one.
struct DriverPlace::Graph {
  explicit Graph(const Driver& of) : driver(of) {}
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// A copy of what the host gives: a copy to the device reads it when the graph runs.
  [[nodiscard]] const std::byte* keep(const std::byte* host, size_t bytes) {
    return kept.emplace_back(host, host + bytes).data();
  }

  const Driver& driver;
  void *graph = nullptr, *instance = nullptr;
  std::list<std::vector<std::byte>> kept;
  std::string why_not;  // there is no graph
};

}  // namespace parity::optimized::cuda
