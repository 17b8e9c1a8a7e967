// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/driver/parameters.hpp"

#include <charconv>
#include <cstring>

#include "core/error.hpp"

namespace parity::ptx {
namespace {

using Json = nlohmann::json;

struct Piece {
  std::vector<uint8_t> bytes;
  size_t alignment = 1;
};

template <class T>
Piece piece_of(const T& value) {
  Piece piece{std::vector<uint8_t>(sizeof(T)), alignof(T)};
  std::memcpy(piece.bytes.data(), &value, sizeof(T));
  return piece;
}

void pad(std::vector<uint8_t>& bytes, size_t alignment) {
  bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
}

size_t alignment_of(const Json& given) {
  const size_t alignment = given.value("align", size_t{1});
  PARITY_CHECK(alignment > 0 && alignment <= 4096, schema, "\"align\" is {}; use 1 to 4096", alignment);
  return alignment;
}

Piece from_hex(const Json& given) {
  const auto text = given.at("hex").get<std::string>();
  Piece piece{{}, alignment_of(given)};
  for (size_t i = 0; i < text.size(); i += 2) {
    uint8_t byte = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + std::min(i + 2, text.size()), byte, 16);
    PARITY_CHECK(error == std::errc() && end == text.data() + i + 2, schema,
                 "\"hex\" is not pairs of hexadecimal digits at character {}; write \"00ff\"", i);
    piece.bytes.push_back(byte);
  }
  return piece;
}

Piece from(const Json& given, const AddressOf& address_of);

Piece from_fields(const Json& given, const AddressOf& address_of) {
  Piece whole{{}, alignment_of(given)};
  for (const Json& field : given.at("fields")) {
    const Piece piece = from(field, address_of);
    pad(whole.bytes, piece.alignment);
    whole.bytes.insert(whole.bytes.end(), piece.bytes.begin(), piece.bytes.end());
    whole.alignment = std::max(whole.alignment, piece.alignment);
  }
  pad(whole.bytes, whole.alignment);
  return whole;
}

Piece from(const Json& given, const AddressOf& address_of) {
  for (const char* key : {"buffer", "symbol"}) {
    if (given.contains(key))
      return piece_of(address_of(key, given.at(key).get<std::string>()) + given.value("offset", uint64_t{0}));
  }
  if (given.contains("u8")) return piece_of(given.at("u8").get<uint8_t>());
  if (given.contains("i8")) return piece_of(given.at("i8").get<int8_t>());
  if (given.contains("i16")) return piece_of(given.at("i16").get<int16_t>());
  if (given.contains("i32")) return piece_of(given.at("i32").get<int32_t>());
  if (given.contains("i64")) return piece_of(given.at("i64").get<int64_t>());
  if (given.contains("f32")) return piece_of(given.at("f32").get<float>());
  if (given.contains("f64")) return piece_of(given.at("f64").get<double>());
  if (given.contains("hex")) return from_hex(given);
  if (given.contains("fields")) return from_fields(given, address_of);
  throw Error(ErrorCode::schema, fmt::format("{} is no parameter; use buffer, symbol, u8, i8, i16, i32, i64, f32, f64, "
                                             "hex or fields",
                                             given.dump()));
}

}  // namespace

std::vector<uint8_t> parameter_bytes(const Json& given, const Function& function, const AddressOf& address_of) {
  PARITY_CHECK(given.is_array() && given.size() == function.parameters.size(), schema,
               "{} has {} parameters, {} were given; list each of them", function.name, function.parameters.size(),
               given.size());
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < given.size(); ++i) {
    const Variable& declared = function.parameters[i].second;
    const Piece piece =
        with_context(fmt::format("{} parameter {}", function.name, i), [&] { return from(given[i], address_of); });
    PARITY_CHECK(piece.bytes.size() == declared.bytes, schema, "{} parameter {}: {} bytes were given, it has {}",
                 function.name, i, piece.bytes.size(), declared.bytes);
    pad(bytes, declared.alignment);
    bytes.insert(bytes.end(), piece.bytes.begin(), piece.bytes.end());
  }
  return bytes;
}

}  // namespace parity::ptx
