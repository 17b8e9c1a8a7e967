// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A libnccl.so.2 for threads of one process. Buffers on a stream are in the memory of the driver that is loaded, a stand-in
// too; buffers without a stream are the host's. It adds in the order of a ring, and refuses what the documentation forbids.
#include <bit>
#include <condition_variable>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <dlfcn.h>

#include "ranks/nccl_library.hpp"

#define PARITY_LIBRARY_ENTRY extern "C" __attribute__((visibility("default")))

namespace {

using parity::ranks::nccl_bf16, parity::ranks::nccl_f32, parity::ranks::nccl_f64, parity::ranks::nccl_sum;
using parity::ranks::NcclId;

enum Status : int { done = 0, device_error = 1, invalid_argument = 4, invalid_usage = 5 };

template <class Function>
Function of_driver(const char* name) {
  return reinterpret_cast<Function>(dlsym(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), name));
}

bool read(std::vector<std::byte>& to, const void* from, void* stream) {
  if (stream == nullptr) return std::memcpy(to.data(), from, to.size()), true;
  const auto copy = of_driver<int (*)(void*, uint64_t, size_t, void*)>("cuMemcpyDtoHAsync_v2");
  const auto wait = of_driver<int (*)(void*)>("cuStreamSynchronize");
  return copy(to.data(), std::bit_cast<uint64_t>(from), to.size(), stream) == 0 && wait(stream) == 0;
}
bool write(void* to, const std::vector<std::byte>& from, void* stream) {
  if (stream == nullptr) return std::memcpy(to, from.data(), from.size()), true;
  const auto copy = of_driver<int (*)(uint64_t, const void*, size_t, void*)>("cuMemcpyHtoDAsync_v2");
  const auto wait = of_driver<int (*)(void*)>("cuStreamSynchronize");
  return copy(std::bit_cast<uint64_t>(to), from.data(), from.size(), stream) == 0 && wait(stream) == 0;
}

size_t element(int type) { return type == nccl_f64 ? 8 : type == nccl_f32 ? 4 : 2; }

double number(const std::byte* from, int type) {
  if (type == nccl_f64) {
    double value = 0.0;
    return std::memcpy(&value, from, sizeof value), value;
  }
  uint32_t bits = 0;
  std::memcpy(reinterpret_cast<std::byte*>(&bits) + (4 - element(type)), from, element(type));
  return std::bit_cast<float>(bits);  // bf16 is the upper half of binary32
}

void store(std::byte* to, int type, double value) {
  if (type == nccl_f64) {
    std::memcpy(to, &value, sizeof value);
    return;
  }
  auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  if (type == nccl_bf16) bits += 0x7FFFU + (bits >> 16U & 1U);  // finite numbers, to nearest, ties to even
  std::memcpy(to, reinterpret_cast<const std::byte*>(&bits) + (4 - element(type)), element(type));
}

/// The ranks of one communicator. Each call of all of them is a round.
struct Meeting {
  std::mutex mutex;
  std::condition_variable changed;
  size_t size = 0, joined = 0, given = 0, taken = 0;
  std::vector<std::vector<std::byte>> parts;  // by rank, of the round
  std::vector<int> types;
  std::vector<std::byte> sum;

  bool add_up() {
    for (size_t r = 1; r < size; ++r) {
      if (types[r] != types[0] || parts[r].size() != parts[0].size()) return false;
    }
    sum.resize(parts[0].size());
    const size_t bytes = element(types[0]), count = sum.size() / bytes;
    const size_t chunk = (count + size - 1) / size;
    for (size_t i = 0; i < count; ++i) {
      for (size_t k = 0; k < size; ++k) {
        const std::byte* term = parts[(i / chunk + 1 + k) % size].data() + i * bytes;
        const double total = k == 0 ? 0.0 : number(sum.data() + i * bytes, types[0]);
        store(sum.data() + i * bytes, types[0], total + number(term, types[0]));
      }
    }
    return true;
  }
};

struct Member {
  std::shared_ptr<Meeting> meeting;
  size_t rank = 0;
};

std::mutex g_mutex;
std::map<uint64_t, std::shared_ptr<Meeting>> g_meetings;

}  // namespace

PARITY_LIBRARY_ENTRY int ncclGetVersion(int* version) {
  *version = 22803;
  return done;
}
PARITY_LIBRARY_ENTRY const char* ncclGetErrorString(int status) {
  return status == invalid_usage ? "the stand-in of NCCL is used by its ranks for different things"
                                 : "the stand-in of NCCL is called against the documentation";
}
PARITY_LIBRARY_ENTRY int ncclGetUniqueId(NcclId* id) {
  static uint64_t made = 0;
  const std::scoped_lock lock(g_mutex);
  ++made;
  std::memcpy(id->bytes, &made, sizeof made);
  return done;
}
PARITY_LIBRARY_ENTRY int ncclCommInitRank(void** communicator, int size, NcclId id, int rank) {
  if (rank < 0 || rank >= size) return invalid_argument;
  uint64_t key = 0;
  std::memcpy(&key, id.bytes, sizeof key);
  std::shared_ptr<Meeting> meeting;
  {
    const std::scoped_lock lock(g_mutex);
    auto& known = g_meetings[key];
    if (!known) known = std::make_shared<Meeting>();
    meeting = known;
  }
  std::unique_lock lock(meeting->mutex);
  meeting->size = static_cast<size_t>(size);
  meeting->parts.resize(meeting->size);
  meeting->types.resize(meeting->size);
  ++meeting->joined;
  meeting->changed.notify_all();
  meeting->changed.wait(lock, [&] { return meeting->joined == meeting->size; });
  *communicator = new Member{meeting, static_cast<size_t>(rank)};  // NOLINT(cppcoreguidelines-owning-memory)
  return done;
}
PARITY_LIBRARY_ENTRY int ncclCommDestroy(void* communicator) {
  delete static_cast<Member*>(communicator);  // NOLINT(cppcoreguidelines-owning-memory)
  return done;
}
PARITY_LIBRARY_ENTRY int ncclAllReduce(const void* send, void* receive, size_t count, int type, int operation,
                                       void* communicator, void* stream) {
  const bool known = type == nccl_f32 || type == nccl_f64 || type == nccl_bf16;
  if (!known || operation != nccl_sum || communicator == nullptr) return invalid_argument;
  const Member& own = *static_cast<Member*>(communicator);
  Meeting& meeting = *own.meeting;
  std::vector<std::byte> part(count * element(type));
  if (!read(part, send, stream)) return device_error;
  std::vector<std::byte> sum;
  {
    std::unique_lock lock(meeting.mutex);
    meeting.changed.wait(lock, [&] { return meeting.taken == 0; });  // of the round before
    meeting.parts[own.rank] = std::move(part);
    meeting.types[own.rank] = type;
    if (++meeting.given == meeting.size) {
      if (!meeting.add_up()) meeting.sum.clear();
      meeting.taken = meeting.size;
      meeting.given = 0;
      meeting.changed.notify_all();
    }
    meeting.changed.wait(lock, [&] { return meeting.taken > 0; });
    sum = meeting.sum;
    if (--meeting.taken == 0) meeting.changed.notify_all();
  }
  if (sum.size() != count * element(type)) return invalid_usage;
  return write(receive, sum, stream) ? done : device_error;
}
