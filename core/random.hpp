// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Counter-based random numbers: value i of a stream depends on (seed, stream, i) only, so any slice can be made anywhere.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace parity {

/// Random numbers by Philox4x32-10 (Salmon et al., SC'11), with one counter per draw.
class Random {
 public:
  Random(uint64_t seed, uint64_t stream) : key_(seed), stream_(stream) {}
  Random(uint64_t seed, std::string_view stream) : Random(seed, hash(stream)) {}

  /// The 128 random bits of counter `index`.
  [[nodiscard]] std::array<uint32_t, 4> block(uint64_t index) const {
    std::array<uint32_t, 4> counter = {static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32),
                                       static_cast<uint32_t>(stream_), static_cast<uint32_t>(stream_ >> 32)};
    auto key0 = static_cast<uint32_t>(key_);
    auto key1 = static_cast<uint32_t>(key_ >> 32);
    for (int round = 0; round < 10; ++round) {
      const uint64_t product0 = uint64_t{0xD2511F53} * counter[0];
      const uint64_t product1 = uint64_t{0xCD9E8D57} * counter[2];
      const uint32_t next0 = static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key0;
      const uint32_t next2 = static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key1;
      counter[1] = static_cast<uint32_t>(product1);
      counter[3] = static_cast<uint32_t>(product0);
      counter[0] = next0;
      counter[2] = next2;
      key0 += 0x9E3779B9U;
      key1 += 0xBB67AE85U;
    }
    return counter;
  }

  [[nodiscard]] uint64_t bits(uint64_t index) const {
    const auto words = block(index);
    return (uint64_t{words[1]} << 32) | words[0];
  }

  [[nodiscard]] double uniform(uint64_t index) const {
    return static_cast<double>(bits(index) >> 11) * 0x1p-53;
  }  // [0, 1)
  [[nodiscard]] uint64_t below(uint64_t index, uint64_t limit) const { return bits(index) % limit; }

  /// A standard normal number by Box-Muller, from the counters 2 * index and 2 * index + 1.
  [[nodiscard]] double normal(uint64_t index) const {
    constexpr double kTwoPi = 6.283185307179586476925;
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform(2 * index)));
    return radius * std::cos(kTwoPi * uniform(2 * index + 1));
  }

 private:
  static uint64_t hash(std::string_view text) {  // FNV-1a
    uint64_t value = 0xcbf29ce484222325ULL;
    for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return value;
  }

  uint64_t key_;
  uint64_t stream_;
};

}  // namespace parity
