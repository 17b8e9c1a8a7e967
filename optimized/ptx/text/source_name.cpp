// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/text/source_name.hpp"

#include <cstdlib>
#include <memory>
#include <string_view>

#include <cxxabi.h>

namespace parity::ptx {
namespace {

/// "void mine::silu<float>(float const*, int)" -> "mine::silu<float>".
std::string without_types(const std::string& demangled) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)";
  int depth = 0;  // of template arguments
  size_t first = 0;
  for (size_t i = 0; i < demangled.size(); ++i) {
    const char c = demangled[i];
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (depth == 0 && c == ' ') first = i + 1;
    if (depth != 0 || c != '(') continue;
    if (!std::string_view(demangled).substr(i).starts_with(kUnnamed)) return demangled.substr(first, i - first);
    i += kUnnamed.size() - 1;
  }
  return demangled.substr(first);
}

}  // namespace

std::string source_name(const std::string& mangled) {
  if (!mangled.starts_with("_Z")) return mangled;  // __cxa_demangle reads "i" as the type int
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  return demangled == nullptr ? mangled : without_types(demangled.get());
}

}  // namespace parity::ptx
