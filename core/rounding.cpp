// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/rounding.hpp"

#include "core/error.hpp"

namespace parity {

const char* to_string(Precision precision) {
  switch (precision) {
    case Precision::exact:
      return "exact";
    case Precision::working:
      return "working";
    case Precision::single:
      return "single";
    case Precision::binary32:
      return "binary32";
  }
  return "unknown";
}

Precision precision_named(const std::string& name) {
  for (const Precision precision : {Precision::exact, Precision::working, Precision::single, Precision::binary32}) {
    if (name == to_string(precision)) return precision;
  }
  throw Error(ErrorCode::schema, fmt::format("'{}' is not a precision; use exact, working, single or binary32", name));
}

Round Rounding::point(const std::string& component, const std::string& name, Precision fallback) const {
  const auto row = table_.find(component + "." + name);
  return {row == table_.end() ? fallback : row->second, working_, active_};
}

}  // namespace parity
