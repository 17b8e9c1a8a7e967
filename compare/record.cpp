// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/record.hpp"

namespace parity::compare {

const char* to_string(Status status) {
  switch (status) {
    case Status::pass:
      return "pass";
    case Status::fail:
      return "fail";
    case Status::mistrusted:
      return "mistrusted";
    case Status::unimplemented:
      return "unimplemented";
    case Status::not_recorded:
      return "not_recorded";
    case Status::skipped:
      return "skipped";
    case Status::error:
      return "error";
  }
  return "unknown";
}

const char* to_string(Answer answer) {
  switch (answer) {
    case Answer::conforms:
      return "conforms";
    case Answer::rounds_differently:
      return "rounds_differently";
    case Answer::wrong:
      return "wrong";
    case Answer::not_shown:
      return "not_shown";
  }
  return "unknown";
}

const char* to_string(Policy policy) { return policy == Policy::bits ? "bits" : "bounds"; }

const char* to_string(Mode mode) {
  switch (mode) {
    case Mode::isolated:
      return "isolated";
    case Mode::chained:
      return "chained";
    case Mode::forced:
      return "forced";
  }
  return "unknown";
}

bool is_green(Status status) { return status == Status::pass; }

}  // namespace parity::compare
