// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Type traits for the kinds of values in report.json.
#pragma once

#include <map>
#include <optional>
#include <vector>

namespace parity::reports {

template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = true;

template <class T>
inline constexpr bool kIsNullable = false;
template <class T>
inline constexpr bool kIsNullable<std::optional<T>> = true;

template <class T>
inline constexpr bool kIsMap = false;
template <class Key, class T>
inline constexpr bool kIsMap<std::map<Key, T>> = true;

}  // namespace parity::reports
