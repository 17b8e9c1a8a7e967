// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Faults as one line of text, which `parity run --assume` reads back: "rms_norm.eps=1e-05@*input_norm".
#pragma once

#include <string>

#include "faults/edits/fault.hpp"

namespace parity::faults {

/// COMPONENT.EDIT[;EDIT…][@GLOB[,GLOB…]], EDIT one of
///   eps=1e-05   theta*=2   scale=rsqrt(H)        a parameter
///   round(gain)=working                          a rounding point
///   as(router_mistaken)                          another component
///   from(v)=TAP   swap(cos,sin)   returns(x)     other operands; nothing but an operand
///   in(k)=round(dtype=f16)   out(out)=roll(axis=H,by=1)   weight(GLOB)=scale(number=2)    other numbers
///   weight(GLOB)=from>to   weight(GLOB)=next(experts.)                                    other tensors
[[nodiscard]] std::string notation_of(const Fault& fault);
/// The edits alone, without component and places: "eps=1e-05".
[[nodiscard]] std::string notation_of(const std::vector<Edit>& edits);

/// Error{usage} for what is no such line, or names no component. Its id is the text.
[[nodiscard]] Fault fault_of_notation(const std::string& text);

/// What an edit is called in a report: "fault", "parameter" or "function" (golden format of report.json, `causes`).
[[nodiscard]] std::string kind_of(const std::vector<Edit>& edits);
/// The edits in words: "eps is 1e-05", "k is rounded to f16".
[[nodiscard]] std::string words_of(const std::vector<Edit>& edits);

}  // namespace parity::faults
