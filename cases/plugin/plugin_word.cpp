// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/plugin/plugin_word.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include <fcntl.h>

#include "cases/plugin/plugin.hpp"
#include "cases/plugin/worker_image.hpp"

namespace parity::cases {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLibrary = "lib:", kPython = "python:", kOp = "op:", kForks = "fd:";
constexpr std::array kKinds{kLibrary, kPython, kOp, kForks};

std::string existing_file(const std::string& file) {
  std::error_code ignored;
  PARITY_CHECK(fs::is_regular_file(file, ignored), usage, "{}: no such file; name the file of a kernel", file);
  return fs::absolute(file).string();
}

/// FILE::REST with an absolute path, if the part before "::" looks like a file; a module stays as it is.
std::string absolute_target(const std::string& target, bool is_file) {
  const std::string file = target.substr(0, target.find("::"));
  is_file = is_file || file.ends_with(".py") || file.find('/') != std::string::npos;
  return is_file ? existing_file(file) + target.substr(file.size()) : target;
}

/// What has to follow the kind of a word.
const char* form_of(const std::string& kind) {
  if (kind == kPython) return "FILE::FUNCTION=COMPONENT";
  if (kind == kOp) return "FILE::NS::NAME=COMPONENT";
  return kind == kForks ? "NUMBER" : "FILE";
}

/// Whether the target is FILE::NS::NAME.
bool names_op(const std::string& target) {
  const size_t space = target.find("::");
  return space != std::string::npos && target.find("::", space + 2) != std::string::npos;
}

int descriptor_of(const std::string& text) {
  int number = -1;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = failure == std::errc{} && end == text.data() + text.size() && number > 2;
  PARITY_CHECK(is_number && fcntl(number, F_GETFD) >= 0, usage,
               "fd:{}: not an open file descriptor above 2; start parity with an open socket (docs/plugins.md)", text);
  (void)fcntl(number, F_SETFD, FD_CLOEXEC);
  return number;
}

}  // namespace

bool is_plugin(const std::string& word) {
  return std::any_of(kKinds.begin(), kKinds.end(), [&](std::string_view kind) { return word.starts_with(kind); });
}

std::vector<std::string> plugin_forms() { return {"lib:FILE", "python:FILE::FUNCTION", "op:FILE::NS::NAME"}; }

PluginWord::PluginWord(const std::string& word) {
  const std::string kind = word.substr(0, word.find(':') + 1);
  std::string target = word.substr(kind.size());
  const size_t equals = kind == kPython || kind == kOp ? target.rfind('=') : std::string::npos;
  if (equals != std::string::npos) component_ = target.substr(equals + 1);
  target = target.substr(0, equals);
  const bool complete = !target.empty() && (equals == std::string::npos || !component_.empty());
  PARITY_CHECK(complete && (kind != kOp || names_op(target)), usage, "--kernel '{}' is incomplete; use {}{}", word,
               kind, form_of(kind));
  if (kind == kLibrary) source_.words = {"library", existing_file(target)};
  if (kind == kForks) source_.forks = descriptor_of(target);
  if (kind == kLibrary) return;
  source_.starts_processes = true;
  if (kind == kForks) return;
  const char* python = std::getenv("PARITY_PYTHON");
  source_.words = {"program", python == nullptr ? "python3" : python, "-c", std::string(python_worker())};
  if (kind == kOp) source_.words.emplace_back("--op");
  source_.words.push_back(absolute_target(target, kind == kOp));
  if (!component_.empty()) source_.words.insert(source_.words.end(), {"--component", component_});
}

}  // namespace parity::cases
