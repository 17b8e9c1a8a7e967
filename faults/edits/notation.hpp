// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Faults as one line of text, such as "rms_norm.eps=1e-05@*input_norm". `parity run --assume` reads these lines.
#pragma once

#include <string>

#include "faults/edits/fault.hpp"

namespace parity::faults {

/// Returns the fault as COMPONENT.EDIT[;EDIT…][@GLOB[,GLOB…]], where EDIT is one of
///   eps=1e-05   theta*=2   scale=rsqrt(H)        a parameter
///   round(gain)=working                          a rounding point
///   as(router_mistaken)                          another component
///   from(v)=TAP   swap(cos,sin)   returns(x)     other operands; only an operand is returned
///   in(k)=round(dtype=f16)   out(out)=roll(axis=H,by=1)   weight(GLOB)=scale(number=2)    other numbers
///   weight(GLOB)=from>to   weight(GLOB)=next(experts.)                                    other tensors
[[nodiscard]] std::string notation_of(const Fault& fault);
/// Returns only the edits, without component and nodes: "eps=1e-05".
[[nodiscard]] std::string notation_of(const std::vector<Edit>& edits);

/// Parses a line. The text becomes the fault's id. Throws Error{usage} for a wrong line or an unknown component.
[[nodiscard]] Fault fault_of_notation(const std::string& text);

/// Returns how a report names the edits: "fault", "parameter" or "function" (format of report.json, `causes`).
[[nodiscard]] std::string kind_of(const std::vector<Edit>& edits);
/// Describes the edits in words: "eps is 1e-05", "k is rounded to f16".
[[nodiscard]] std::string words_of(const std::vector<Edit>& edits);

}  // namespace parity::faults
