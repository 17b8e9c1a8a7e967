// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/reports/document.hpp"

#include "cli/commands.hpp"
#include "cli/runs/sources.hpp"
#include "reports/document.hpp"
#include "reports/files/files.hpp"
#include "reports/text/page.hpp"
#include "reports/text/sarif.hpp"

namespace parity::cli {
namespace {

std::string g_command;
Renderings g_renderings;

}  // namespace

void remember_command(const std::string& command) { g_command = command; }

void remember_renderings(const Renderings& files) { g_renderings = files; }
const Renderings& renderings() { return g_renderings; }
bool wants_document(const std::string& path) {
  return !path.empty() || !g_renderings.html.empty() || !g_renderings.sarif.empty();
}

void write_renderings(const nlohmann::ordered_json& document) {
  if (!g_renderings.html.empty()) reports::write_text_atomically(g_renderings.html, reports::html_page({document}));
  if (!g_renderings.sarif.empty())
    reports::write_text_atomically(g_renderings.sarif, reports::sarif_text(document, sources(g_renderings.sources)));
}

void write_document(const std::string& path, const std::string& kind, int exit_code,
                    const nlohmann::ordered_json& body) {
  const char* verdict = exit_code == holds ? "pass" : exit_code == nothing_ran ? "not_run" : "fail";
  const reports::Frame frame{kind, verdict, g_command};
  if (!path.empty()) reports::write_text_atomically(path, reports::framed_text(frame, body));
  if (wants_document({})) write_renderings(reports::framed(frame, body));
}

}  // namespace parity::cli
