// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/battery/built_kernel.hpp"

#include <chrono>
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <sys/wait.h>

#include "cases/plugin/plugin.hpp"
#include "cases/plugin/worker_image.hpp"
#include "core/error.hpp"
#include "golden/files/child.hpp"
#include "golden/files/one_line.hpp"

namespace parity::cli {
namespace {

constexpr double kCompiling = 120.0;  // s

std::string compiler(const char* variable, const char* usual) {
  const char* chosen = std::getenv(variable);
  return chosen == nullptr || *chosen == 0 ? usual : chosen;
}

/// Throws Error{io} if the file does not hold the whole text, for example on a full disk: half a source may compile.
void write_source(const std::string& file, std::string_view text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  PARITY_CHECK(stream, io, "{}: cannot be written; free disk space, or set TMPDIR to another folder", file);
}

std::string first_complaint(const std::string& messages) {
  std::ifstream file(messages);
  std::string first;
  for (std::string line; std::getline(file, line);) {
    if (first.empty()) first = line;
    if (line.find("error") != std::string::npos) return golden::one_line(line);
  }
  return golden::one_line(first);
}

}  // namespace

BuiltKernel::BuiltKernel(const nlohmann::ordered_json& request) {
  const bool has_source = request.contains("source"), has_kernel = request.contains("kernel");
  PARITY_CHECK(has_source != has_kernel, usage, "a request needs exactly one of the keys 'kernel' and 'source'");
  if (has_kernel) {
    word_ = request.at("kernel").get<std::string>();
    PARITY_CHECK(cases::is_plugin(word_), usage, "key 'kernel' is '{}'; use lib:FILE, python:FILE::FUNCTION or op:…",
                 word_);
    return;
  }
  const auto source = request.at("source").get<std::string>();
  const auto language = request.value("language", std::string("c++"));
  folder_.emplace();
  if (language != "python") {
    build(source, language);
    return;
  }
  write_source(*folder_ / "kernel.py", source);
  const auto function = request.value("function", std::string());
  const std::string component = request.value("component", std::string());
  word_ = fmt::format("python:{}{}{}", (*folder_ / "kernel.py").string(), function.empty() ? "" : "::" + function,
                      function.empty() || component.empty() ? "" : "=" + component);
}

void BuiltKernel::build(const std::string& source, const std::string& language) {
  PARITY_CHECK(language == "c" || language == "c++", usage, "key 'language' is '{}'; use c, c++ or python", language);
  const bool is_c = language == "c";
  const std::string file = *folder_ / (is_c ? "kernel.c" : "kernel.cpp"), library = *folder_ / "kernel.so";
  const std::string messages = *folder_ / "messages";
  write_source(file, source);
  write_source(*folder_ / "parity_plugin.h", cases::plugin_header());
  const std::string program = is_c ? compiler("CC", "cc") : compiler("CXX", "c++");
  const auto begin = std::chrono::steady_clock::now();
  const auto status = golden::run_child({{program, is_c ? "-std=c17" : "-std=c++20", "-O3", "-march=native", "-fopenmp",
                                          "-shared", "-fPIC", "-o", library, file},
                                         kCompiling,
                                         messages});
  milliseconds_ = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  PARITY_CHECK(status, usage, "the compiler {} did not finish within {} s", program, kCompiling);
  PARITY_CHECK(WIFEXITED(*status) && WEXITSTATUS(*status) != 127, device,
               "the compiler {} cannot be run; set the environment variable {} to a compiler", program,
               is_c ? "CC" : "CXX");
  PARITY_CHECK(*status == 0, usage, "the source does not compile: {}", first_complaint(messages));
  word_ = "lib:" + library;
}

}  // namespace parity::cli
