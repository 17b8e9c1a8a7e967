// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/text/page.hpp"

#include <string_view>

#include "core/error.hpp"
#include "reports/json/json.hpp"
#include "reports/json/page_data.hpp"
#include "reports/json/page_parts.hpp"

namespace parity::reports {
namespace {

/// No "</script>" and no "<!--" of a name ends the block of data, because it has no "<" at all.
std::string harmless(const std::string& data) {
  std::string text;
  text.reserve(data.size());
  for (const char c : data) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

void replace(std::string& text, std::string_view mark, const std::string& by) {
  const size_t at = text.find(mark);
  PARITY_CHECK(at != std::string::npos, internal, "the template of the HTML page has no mark {}", mark);
  text.replace(at, mark.size(), by);
}

}  // namespace

std::string html_page(const std::vector<nlohmann::ordered_json>& documents, size_t longest) {
  std::string page{page_frame()};
  replace(page, "/*style*/", std::string(page_style()));
  replace(page, "/*script*/", std::string(page_script()));
  const size_t data_bytes = longest > page.size() ? longest - page.size() : 0;
  const auto data = page_data(documents, data_bytes - data_bytes / 20);  // the rest is for "<" written as \u003c
  replace(page, "/*data*/", harmless(printable_json(data, -1)));
  return page;
}

}  // namespace parity::reports
