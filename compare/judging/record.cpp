// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/judging/record.hpp"

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

const char* to_string(ValueKind kind) {
  switch (kind) {
    case ValueKind::zero:
      return "zero";
    case ValueKind::constant:
      return "constant";
    case ValueKind::negated:
      return "negated";
    case ValueKind::scaled:
      return "scaled";
    case ValueKind::offset:
      return "offset";
    case ValueKind::scaled_rows:
      return "scaled_rows";
    case ValueKind::shifted:
      return "shifted";
    case ValueKind::reversed:
      return "reversed";
    case ValueKind::permuted:
      return "permuted";
    case ValueKind::exchanged:
      return "exchanged";
    case ValueKind::transposed:
      return "transposed";
    case ValueKind::interleaved:
      return "interleaved";
    case ValueKind::rounded:
      return "rounded";
    case ValueKind::truncated:
      return "truncated";
    case ValueKind::stale:
      return "stale";
    case ValueKind::input:
      return "input";
    case ValueKind::unwritten:
      return "unwritten";
    case ValueKind::nan:
      return "nan";
  }
  return "unknown";
}

bool is_green(Status status) { return status == Status::pass; }

}  // namespace parity::compare
