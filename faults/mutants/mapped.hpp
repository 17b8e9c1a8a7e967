// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A tensor map as a component, so that a plan can hold one.
#pragma once

#include "core/component.hpp"
#include "faults/tensor_map.hpp"

namespace parity::faults {

/// out = map(x), element types as they are; the numbers are those of PlacedMap.
struct Mapped {
  static constexpr ComponentText text{"mapped", "out = map(x)", "faults/tensor_map.hpp"};
  struct Params {
    int64_t kind = 0, dtype = 0, axis = -1, by = 1, first = 0, last = 0, every = 1;
    double number = 0.0;
  };
  struct Inputs {
    TensorView x;
  };
  struct Outputs {
    TensorView out;
  };
  struct Points {};
  static constexpr auto params() {
    return std::tuple{param("kind", &Params::kind),   param("dtype", &Params::dtype),  param("axis", &Params::axis),
                      param("by", &Params::by),       param("first", &Params::first),  param("last", &Params::last),
                      param("every", &Params::every), param("number", &Params::number)};
  }
  static constexpr auto inputs() { return std::tuple{field("x", &Inputs::x, "*")}; }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "*")}; }
  static constexpr auto points() { return std::tuple{}; }
};

/// The same of integers.
struct MappedIds : Mapped {
  static constexpr ComponentText text{"mapped_ids", "out = map(x)", "faults/tensor_map.hpp"};
  static constexpr auto outputs() {
    return std::tuple{field("out", &Outputs::out, "*", Presence::required, Judge::exact)};
  }
};

[[nodiscard]] ParamMap params_of(const PlacedMap& map);

}  // namespace parity::faults
