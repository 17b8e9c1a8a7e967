// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/edits/notation.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "faults/catalogue.hpp"
#include "faults/edits/edit.hpp"

namespace parity::faults {
namespace {

TEST(Notation, EveryFaultOfTheCatalogueIsReadBackAsItWas) {
  for (const Fault& fault : catalogue()) {
    const Fault read = fault_of_notation(notation_of(fault));

    EXPECT_EQ(notation_of(read), notation_of(fault)) << fault.id;
    EXPECT_EQ(read.component, fault.component);
    EXPECT_EQ(read.at, fault.at);
    EXPECT_EQ(read.edits.size(), fault.edits.size()) << fault.id;
  }
}

TEST(Notation, AParameterAtSomeNodes) {
  const Fault fault = fault_of_notation("rms_norm.eps=1e-05@*input_norm,*final_norm");

  EXPECT_EQ(fault.component, "rms_norm");
  EXPECT_EQ(fault.at, (std::vector<std::string>{"*input_norm", "*final_norm"}));
  const auto& edit = std::get<SetParam>(fault.edits.at(0));
  EXPECT_EQ(edit.name, "eps");
  EXPECT_EQ(std::get<double>(edit.value), 1e-5);
  EXPECT_EQ(kind_of(fault.edits), "parameter");
}

TEST(Notation, AnOperandOfANarrowerType) {
  const Fault fault = fault_of_notation("attention_dense.in(k)=round(dtype=f16);in(v)=round(dtype=f16)");

  EXPECT_EQ(fault.edits.size(), 2U);
  EXPECT_EQ(std::get<MapInput>(fault.edits.at(1)).field, "v");
  EXPECT_EQ(std::get<MapInput>(fault.edits.at(1)).map.dtype, DType::f16);
  EXPECT_EQ(kind_of(fault.edits), "function");
  EXPECT_EQ(words_of(fault.edits), "k is rounded to f16, v is rounded to f16");
}

TEST(Notation, WhatIsNoEditIsRefused) {
  for (const char* text : {"rms_norm", "rms_norm.eps", "no_component.eps=1", "rms_norm.in(x)=shake(by=1)",
                           "rms_norm.round(gain)=loudly", "rms_norm.in(x)=roll(every=0)"})
    EXPECT_THROW(static_cast<void>(fault_of_notation(text)), Error) << text;
}

}  // namespace
}  // namespace parity::faults
