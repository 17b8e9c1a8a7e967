// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/battery/judge_request.hpp"

#include "core/error.hpp"
#include "golden/files/one_line.hpp"
#include "golden/files/strict_json.hpp"

namespace parity::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kMost = 999;           // cases, and timed calls
constexpr int64_t kLargest = 1LL << 31;  // of an extent

int64_t count_of(const Json& request, const char* key, int64_t least, int64_t usual) {
  if (!request.contains(key)) return usual;
  const Json& count = request[key];
  PARITY_CHECK(count.is_number_integer() && count >= least && count <= kMost, usage,
               "key '{}' is {}; use a number from {} to {}", key,
               golden::one_line(count.dump(-1, ' ', false, Json::error_handler_t::replace), 60), least, kMost);
  return count.get<int64_t>();
}

}  // namespace

LineRead read_line(std::istream& stream, size_t most, std::string& line) {
  using Traits = std::istream::traits_type;
  line.clear();
  std::streambuf& buffer = *stream.rdbuf();
  auto next = buffer.sbumpc();
  if (next == Traits::eof()) return LineRead::end;
  for (; next != Traits::eof() && next != '\n'; next = buffer.sbumpc()) {
    if (line.size() == most) return LineRead::too_long;
    line += Traits::to_char_type(next);
  }
  return LineRead::whole;
}

Json parse_request(const std::string& line) {
  golden::check_nesting(line);
  Json request;
  try {
    request = Json::parse(line);
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::usage,
                fmt::format("the request is not valid JSON: {}; write one object per line", error.what()));
  }
  PARITY_CHECK(request.is_object(), usage, "the request is not a JSON object; write one object per line");
  return request;
}

cases::FreshOptions fresh_options(const Json& request) {
  for (const char* key : {"kernel", "source", "language", "function", "component"}) {
    const auto found = request.find(key);
    PARITY_CHECK(found == request.end() || found->is_string(), usage, "key '{}' is of type {}; expected a string", key,
                 found->type_name());
  }
  cases::FreshOptions options;
  options.component = request.value("component", "");
  options.cases = count_of(request, "cases", 1, options.cases);
  options.timed = count_of(request, "timed", 0, options.timed);
  const Json extents = request.value("extents", Json::object());
  PARITY_CHECK(extents.is_object(), usage, "key 'extents' is not an object; write for example {{\"N\": 128}}");
  for (const auto& [letter, extent] : extents.items()) {
    PARITY_CHECK(letter.size() == 1, usage,
                 "'extents' has the key '{}'; each key must be one axis letter, as parity show COMPONENT prints it",
                 letter);
    PARITY_CHECK(extent.is_number_integer() && extent >= 0 && extent <= kLargest, usage,
                 "'extents' has the value {} for axis {}; use a number of elements",
                 golden::one_line(extent.dump(), 60), letter);
    options.extents[letter.front()] = extent.get<int64_t>();
  }
  return options;
}

}  // namespace parity::cli
