// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/registry.hpp"

#include <algorithm>

#include "optimized/backends.hpp"

namespace parity::optimized {

#define PARITY_BACKEND(name) Backend name##_backend();
#include "optimized/backends.def"
#undef PARITY_BACKEND

const std::vector<Backend>& backends() {
  static const std::vector<Backend> table{
#define PARITY_BACKEND(name) name##_backend(),
#include "optimized/backends.def"
#undef PARITY_BACKEND
  };
  return table;
}

const Backend* find_backend(std::string_view name) {
  const auto& table = backends();
  const auto found = std::find_if(table.begin(), table.end(), [&](const Backend& b) { return b.name == name; });
  return found == table.end() ? nullptr : &*found;
}

namespace {

const std::string& first_on_host(bool own) {
  const auto& table = backends();
  const auto fits = [&](const Backend& b) { return b.own == own && b.place == &on_host; };
  return std::find_if(table.begin(), table.end(), fits)->name;
}

struct Kernels {
  Registry own, all;
  Fusions fusions;

  Kernels() {
    Fusions of_libraries;
    for (const Backend& backend : backends()) {
      BackendKernels into_all(backend, all, of_libraries, true), into_own(backend, own, fusions, false);
      backend.add(into_all);
      if (backend.own) backend.add(into_own);
    }
  }
};

const Kernels& kernels() {
  static const Kernels instance;
  return instance;
}

}  // namespace

const std::string& own_backend() { return first_on_host(true); }
const std::string& library_backend() { return first_on_host(false); }

const Registry& registry() { return kernels().own; }
const Fusions& fusions() { return kernels().fusions; }
const Registry& registry_with_libraries() { return kernels().all; }

}  // namespace parity::optimized
