// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Requests of `parity judge --jsonl`, line by line. No kernel is compiled or called.
#include <sstream>

#include "cli/battery/judge_request.hpp"
#include "fuzz/fuzz.hpp"

namespace parity::fuzz {
namespace {

void try_request(const std::string& line) {
  try {
    const nlohmann::ordered_json request = cli::parse_request(line);
    static_cast<void>(cli::fresh_options(request));
    static_cast<void>(request.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  } catch (const nlohmann::json::exception&) {  // answered in a line
  } catch (const Error& error) {
    if (error.code() == ErrorCode::internal) throw;
  }
}

}  // namespace

void try_input(std::string_view input) {
  constexpr size_t kLongest = 4096;
  std::istringstream stream{std::string(input)};
  std::string line;
  for (auto read = cli::LineRead::whole; read != cli::LineRead::end;) {
    read = cli::read_line(stream, kLongest, line);
    if (read == cli::LineRead::too_long) return;
    if (read == cli::LineRead::whole) try_request(line);
  }
}

}  // namespace parity::fuzz
