// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "fuzz/mutate.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace parity::fuzz {
namespace {

constexpr size_t kLongest = size_t{1} << 20;

size_t below(size_t end, std::mt19937_64& random) { return end == 0 ? 0 : random() % end; }

/// Returns a length up to `most`; short lengths are more likely.
size_t length_of(size_t most, std::mt19937_64& random) {
  return std::min<size_t>(most, 1 + below(size_t{1} << below(11, random), random));
}

/// Writes a little-endian number of 1, 2, 4 or 8 bytes at which counts and offsets are likely to go wrong.
void write_number(std::string& text, std::mt19937_64& random) {
  constexpr std::array<uint64_t, 12> kEdges{
      0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x7FFFFFFFFFFFFFFF, ~uint64_t{0}};
  const size_t width = size_t{1} << below(4, random);
  if (text.size() < width) return;
  char* at = text.data() + below(text.size() - width + 1, random);
  uint64_t value = kEdges[below(kEdges.size(), random)];
  if (below(2, random) == 0) {
    std::memcpy(&value, at, width);
    value += below(33, random) - 16;
  }
  std::memcpy(at, &value, width);
}

/// Inserts a word of JSON or of a name at which parsers are likely to go wrong.
void write_word(std::string& text, std::mt19937_64& random) {
  constexpr std::array<const char*, 20> kWords{"-1",      "0",      "1e999",   "9223372036854775807",
                                               "null",    "true",   "[]",      "{}",
                                               "\"\"",    "[[",     "\\u0000", ",",
                                               ":",       "1e-400", "1.5",     "NaN",
                                               "\x1b[2J", "*",      "../",     "\xc2\x9b"};
  const std::string word = kWords[below(kWords.size(), random)];
  const size_t at = below(text.size() + 1, random);
  size_t end = at;
  if (below(2, random) == 0) {  // replaces the word at this position
    while (end < text.size() && std::strchr("\",:[]{}= \n", text[end]) == nullptr) ++end;
  }
  text.replace(at, end - at, word);
}

void change(std::string& text, const std::vector<std::string>& corpus, std::mt19937_64& random) {
  const size_t at = below(text.size(), random);
  switch (text.empty() ? 5 : below(9, random)) {
    case 0:
      text[at] = static_cast<char>(text[at] ^ (1 << below(8, random)));
      break;
    case 1:
      text[at] = static_cast<char>(random());
      break;
    case 2:
      text.erase(at, length_of(text.size() - at, random));
      break;
    case 3:
      text.insert(below(text.size() + 1, random), text.substr(at, length_of(text.size() - at, random)));
      break;
    case 4: {
      const std::string part = text.substr(at, length_of(text.size() - at, random));
      text.replace(below(text.size() - part.size() + 1, random), part.size(), part);
      break;
    }
    case 5: {
      const std::string& other = corpus[below(corpus.size(), random)];
      const size_t from = below(other.size(), random);
      text.insert(below(text.size() + 1, random), other.substr(from, length_of(other.size() - from, random)));
      break;
    }
    case 6:
      if (below(8, random) == 0) text.resize(at);
      break;
    case 7:
      write_word(text, random);
      break;
    default:
      write_number(text, random);
  }
}

}  // namespace

std::string mutated(const std::vector<std::string>& corpus, std::mt19937_64& random) {
  std::string text = corpus[below(corpus.size(), random)];
  for (size_t i = 1 + below(8, random); i > 0; --i) change(text, corpus, random);
  if (text.size() > kLongest) text.resize(kLongest);
  return text;
}

}  // namespace parity::fuzz
