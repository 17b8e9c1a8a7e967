// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The streams between all processes: each connects to those before it and accepts those after it.
#include <algorithm>
#include <array>
#include <fstream>
#include <random>
#include <sstream>

#include <unistd.h>

#include "ranks/watch.hpp"

namespace parity::ranks {
namespace {

/// Equal for two processes that reach each other by the loopback: one kernel, one network namespace.
std::string machine() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  file >> boot;
  std::array<char, 128> space{};
  if (readlink("/proc/self/ns/net", space.data(), space.size() - 1) < 0) space[0] = '?';
  return boot + space.data();
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

struct Address {
  std::string host;
  int port = 0;
  uint64_t secret = 0;
};

Address parsed(const std::string& text) {
  Address address;
  std::istringstream words(text);
  words >> address.host >> address.port >> address.secret;
  return address;
}

/// The first bytes on a stream. Who does not know the secret of rank 0 is none of us.
struct Greeting {
  uint64_t secret = 0;
  int32_t rank = -1, zero = 0;
};

}  // namespace

Mesh connected(int rank, int size, const Exchange& exchange) {
  const std::vector<std::string> machines = exchange(machine());
  const bool one =
      std::all_of(machines.begin(), machines.end(), [&](const auto& other) { return other == machines[0]; });
  const Listener listener = listening(!one);
  std::random_device random;
  const uint64_t drawn = uint64_t{random()} << 32 | random();
  std::vector<Address> addresses;
  for (const std::string& text :
       exchange(fmt::format("{} {} {}", one ? "127.0.0.1" : host_name(), listener.port, drawn)))
    addresses.push_back(parsed(text));
  const uint64_t secret = addresses.front().secret;

  Mesh mesh(static_cast<size_t>(size));
  for (int other = 0; other < rank; ++other) {
    const Address& address = addresses[static_cast<size_t>(other)];
    mesh[static_cast<size_t>(other)] = std::make_unique<LineSocket>(connected_to(address.host, address.port));
    const Greeting greeting{secret, rank};
    write_whole(mesh[static_cast<size_t>(other)]->descriptor(), reinterpret_cast<const char*>(&greeting),
                sizeof greeting);
  }
  for (int missing = size - 1 - rank; missing > 0;) {
    auto stream = std::make_unique<LineSocket>(accepted(listener));
    Greeting greeting;
    read_whole(stream->descriptor(), reinterpret_cast<char*>(&greeting), sizeof greeting);
    if (greeting.secret != secret || greeting.rank <= rank || greeting.rank >= size) continue;
    mesh[static_cast<size_t>(greeting.rank)] = std::move(stream);
    --missing;
  }
  close(listener.descriptor);
  return mesh;
}

}  // namespace parity::ranks
