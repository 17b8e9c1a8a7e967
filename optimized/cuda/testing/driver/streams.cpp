// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Entry points of the driver: streams, events, graphs.
#include "optimized/cuda/testing/driver/entry.hpp"

using namespace parity::optimized::cuda::stand_in;

namespace {

constexpr double kMillisecondsPerInstruction = 1e-3;  // so long that no sample takes many calls

int record(void* handle, void* on, bool in_graph) {
  return on_stream(on, [&](Gpu& gpu, Stream& stream) -> int {
    Event* event = member(gpu.events, handle);
    if (event == nullptr) return invalid_handle;
    if ((stream.capture != nullptr) != in_graph) return invalid_value;  // else it would not be part of the timed work
    event->recorded = true;
    event->over = false;
    gpu.queue(stream, [event, &gpu] {
      event->at = gpu.clock;
      event->over = true;
    });
    return success;
  });
}

template <class Item>
int destroy(std::list<Item>& all, const void* handle) {
  return all.remove_if([&](const Item& each) { return &each == handle; }) == 1 ? success : invalid_handle;
}

}  // namespace

PARITY_DRIVER_ENTRY int cuStreamCreate(void** stream, unsigned) {
  return uncaptured([&](Gpu& gpu) -> int {
    *stream = &gpu.streams.emplace_back();
    return success;
  });
}

PARITY_DRIVER_ENTRY int cuStreamSynchronize(void* on) {
  return uncaptured([&](Gpu& gpu) -> int {
    Stream* stream = member(gpu.streams, on);
    return stream == nullptr ? invalid_handle : gpu.drain(*stream);
  });
}

PARITY_DRIVER_ENTRY int cuEventCreate(void** event, unsigned) {
  return within([&](Gpu& gpu) -> int {
    *event = &gpu.events.emplace_back();
    return success;
  });
}

PARITY_DRIVER_ENTRY int cuEventDestroy_v2(void* event) {
  return within([&](Gpu& gpu) -> int {
    for (const Stream& stream : gpu.streams)
      if (!stream.queue.empty()) return not_ready;  // it may be the event's
    return destroy(gpu.events, event);
  });
}

PARITY_DRIVER_ENTRY int cuEventRecord(void* event, void* on) { return record(event, on, false); }

PARITY_DRIVER_ENTRY int cuEventRecordWithFlags(void* event, void* on, unsigned flags) {
  return flags > 1 ? invalid_value : record(event, on, flags == 1);
}

PARITY_DRIVER_ENTRY int cuEventElapsedTime(float* milliseconds, void* begin, void* end) {
  return within([&](Gpu& gpu) -> int {
    const Event *first = member(gpu.events, begin), *last = member(gpu.events, end);
    if (first == nullptr || last == nullptr || !first->recorded || !last->recorded) return invalid_handle;
    if (!first->over || !last->over) return not_ready;
    *milliseconds = static_cast<float>(kMillisecondsPerInstruction * static_cast<double>(last->at - first->at));
    return success;
  });
}

PARITY_DRIVER_ENTRY int cuStreamBeginCapture_v2(void* on, int mode) {
  return on_stream(on, [&](Gpu&, Stream& stream) -> int {
    constexpr int kModes = 3;
    if (stream.capture != nullptr || mode < 0 || mode >= kModes) return invalid_value;
    stream.capture = std::make_unique<Graph>();
    return success;
  });
}

PARITY_DRIVER_ENTRY int cuStreamEndCapture(void* on, void** graph) {
  return within([&](Gpu& gpu) -> int {
    Stream* stream = member(gpu.streams, on);
    *graph = nullptr;
    if (stream == nullptr || stream->capture == nullptr) return invalid_handle;
    const bool spoiled = stream->invalidated;
    if (!spoiled) *graph = &gpu.graphs.emplace_back(std::move(*stream->capture));
    stream->capture.reset();
    stream->invalidated = false;
    return spoiled ? capture_invalidated : success;
  });
}

PARITY_DRIVER_ENTRY int cuGraphInstantiateWithFlags(void** instance, void* graph, unsigned long long) {
  return within([&](Gpu& gpu) -> int {
    const Graph* of = member(gpu.graphs, graph);
    if (of == nullptr) return invalid_handle;
    *instance = &gpu.instances.emplace_back(*of);
    return success;
  });
}

PARITY_DRIVER_ENTRY int cuGraphLaunch(void* instance, void* on) {
  return on_stream(on, [&](Gpu& gpu, Stream& stream) -> int {
    const Graph* of = member(gpu.instances, instance);
    if (of == nullptr) return invalid_handle;
    for (const Work& node : of->nodes) gpu.queue(stream, node);
    return success;
  });
}

PARITY_DRIVER_ENTRY int cuGraphDestroy(void* graph) {
  return within([&](Gpu& gpu) -> int { return destroy(gpu.graphs, graph); });
}

PARITY_DRIVER_ENTRY int cuGraphExecDestroy(void* instance) {
  return within([&](Gpu& gpu) -> int { return destroy(gpu.instances, instance); });
}
