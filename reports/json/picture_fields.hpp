// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The fields of a picture of errors in report.json. How archives read them: reports/json_fields.hpp.
#pragma once

#include <type_traits>

#include "compare/values/error_picture.hpp"

namespace parity::reports {

template <class Archive, class T>
using Ref = std::conditional_t<Archive::kWrites, const T, T>&;

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::ErrorMap> x) {
  a.field("row_axes", x.row_axes);
  a.field("column_axis", x.column_axis);
  a.field("row_extent", x.row_extent);
  a.field("column_extent", x.column_extent);
  a.field("rows", x.rows);
  a.field("columns", x.columns);
  a.field("budget", x.budget);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::UlpBin> x) {
  a.field("from", x.from);
  a.field("to", x.to);
  a.field("elements", x.elements);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::MagnitudeBin> x) {
  a.field("from", x.from);
  a.field("to", x.to);
  a.field("elements", x.elements);
  a.field("largest", x.largest);
  a.field("rms", x.rms);
  a.field("allowed", x.allowed);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::WorstElement> x) {
  a.field("index", x.index);
  a.field("exact", x.exact);
  a.field("rounded", x.rounded);
  a.field("got", x.got);
  a.field("ulp", x.ulp);
  a.field("budget_used", x.budget_used);
}

template <class Archive>
void fields(Archive& a, Ref<Archive, compare::ErrorPicture> x) {
  a.field("map", x.map);
  a.field("ulp", x.ulp);
  a.field("no_numbers", x.no_numbers);
  a.field("magnitude", x.magnitude);
  a.field("worst", x.worst);
}

}  // namespace parity::reports
