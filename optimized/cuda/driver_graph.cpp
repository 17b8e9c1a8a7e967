// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cuda/driver_graph.hpp"

#include <algorithm>
#include <exception>
#include <set>

namespace parity::optimized::cuda {
namespace {

/// Times with and without the host's part are not to be compared: each reason is said once.
void say_why_no_graph(const std::string& reason) {
  static std::mutex mutex;
  static auto& said = *new std::set<std::string>;  // NOLINT(cppcoreguidelines-owning-memory)
  const std::scoped_lock lock(mutex);
  if (said.insert(reason).second)
    fmt::print(stderr,
               "parity: a timed call cannot be recorded as a graph, so its time includes that of the host: {}\n",
               reason);
}

}  // namespace

DriverPlace::Interval::Interval(const Driver& of) : driver(of) {
  require_success(driver.create_event(&begin, 0), "cuEventCreate");
  const int status = driver.create_event(&end, 0);
  if (status != 0) static_cast<void>(driver.destroy_event(begin));
  require_success(status, "cuEventCreate");
}

DriverPlace::Interval::~Interval() {
  for (void* event : {begin, end}) static_cast<void>(driver.destroy_event(event));
}

double DriverPlace::Interval::seconds() const {
  float milliseconds = 0.0F;
  require_success(driver.elapsed(&milliseconds, begin, end), "cuEventElapsedTime");
  return static_cast<double>(milliseconds) * 1e-3;
}

DriverPlace::Graph::~Graph() {
  const Driver& driver = place_.driver_;
  if (instance != nullptr) static_cast<void>(driver.destroy_instance(instance));
  if (graph != nullptr) static_cast<void>(driver.destroy_graph(graph));
}

void DriverPlace::Graph::launch() {
  place_.require_no_capture("a graph is launched");
  place_.enter();
  place_.failures_.started(kernels);
  place_.require(place_.driver_.launch_graph(instance, place_.stream_), "cuGraphLaunch");
  place_.wait();
  place_.note(each);
}

double DriverPlace::Graph::seconds() {
  launch();
  return interval.seconds();
}

void DriverPlace::require_no_capture(const char* what) const {
  PARITY_CHECK(capturing_ == nullptr, unsupported, "{} while a graph is recorded", what);
}

void DriverPlace::note(const PlaceTraffic& more) const {
  if (capturing_ != nullptr) {
    capturing_->each += more;
  } else {
    count(more);
  }
}

std::unique_ptr<DriverPlace::Graph> DriverPlace::captured(const std::function<void()>& work) const {
  wait();
  auto graph = std::make_unique<Graph>(*this);
  enter();
  require(driver_.begin_capture(stream_, capture_of_thread), "cuStreamBeginCapture");
  capturing_ = graph.get();
  std::exception_ptr failure;
  try {
    // As nodes of the graph: recorded on the stream, the first would be over while the host still launches.
    require(driver_.record_with_flags(graph->interval.begin, stream_, record_in_graph), "cuEventRecordWithFlags");
    work();
    require(driver_.record_with_flags(graph->interval.end, stream_, record_in_graph), "cuEventRecordWithFlags");
  } catch (...) {
    failure = std::current_exception();
  }
  capturing_ = nullptr;
  const int status = driver_.end_capture(stream_, &graph->graph);
  if (failure) std::rethrow_exception(failure);
  require(status, "cuStreamEndCapture");
  require(driver_.instantiate(&graph->instance, graph->graph, 0), "cuGraphInstantiate");
  return graph;
}

std::unique_ptr<Recorded> DriverPlace::record(const std::function<void()>& work) { return captured(work); }

double DriverPlace::seconds(const std::function<void()>& work) const {
  try {
    return captured(work)->seconds();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    say_why_no_graph(error.what());
  }
  const Interval interval(driver_);
  require(driver_.record(interval.begin, stream_), "cuEventRecord");
  work();
  require(driver_.record(interval.end, stream_), "cuEventRecord");
  wait();
  return interval.seconds();
}

int64_t DriverPlace::flush(std::span<std::byte> memory) const {
  // Other bytes push these out. L2 has two halves, which may both hold a line; what is replaced is not documented.
  constexpr size_t kTimes = 4, kLine = 128;
  const size_t bytes = kTimes * static_cast<size_t>(cache_);
  enter();
  if (bytes == 0 || (other_ == 0 && driver_.allocate(&other_, bytes) != 0)) return 0;
  require(driver_.set_bytes(other_, 0, bytes, stream_), "cuMemsetD8Async");
  wait();
  return static_cast<int64_t>((memory.size() + kLine - 1) / kLine);
}

}  // namespace parity::optimized::cuda
