// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/document.hpp"

#include "cli/commands.hpp"
#include "reports/document.hpp"
#include "reports/files.hpp"

namespace parity::cli {
namespace {

std::string g_command;

}  // namespace

void remember_command(const std::string& command) { g_command = command; }

void write_document(const std::string& path, const std::string& kind, int exit_code,
                    const nlohmann::ordered_json& body) {
  if (path.empty()) return;
  const char* verdict = exit_code == holds ? "pass" : exit_code == nothing_ran ? "not_run" : "fail";
  reports::write_text_atomically(path, reports::framed_text({kind, verdict, g_command}, body));
}

}  // namespace parity::cli
