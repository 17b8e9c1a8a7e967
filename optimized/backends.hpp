// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The table of backends: sets of optimized kernels, where each runs, and why one cannot be used here. A backend is a folder
// optimized/<name>/ with a backend.cpp; its kernels are found by the names of their files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/fusion.hpp"

namespace parity::optimized {

class BackendKernels;

/// All kernels of a backend at another place, asked for as "backend:name".
struct OtherPlace {
  std::string name;
  PlaceOf place = &on_host;
};

struct Backend {
  std::string name;  // "cpu", "torch"
  /// Ours are held to every guard. What a library promises of threads, layouts and hidden NaN is its own.
  bool own = true;
  PlaceOf place = &on_host;
  /// Error{device} when it cannot be used on this machine or in this build, with what to do; Error{usage} for a setting of it
  /// that is wrong.
  void (*require)() = nullptr;
  /// What computes: "avx2", "LibTorch 2.11.0"; or what `require` says.
  std::string (*version)() = nullptr;
  void (*add)(BackendKernels& kernels) = nullptr;
  std::vector<OtherPlace> others{};
};

/// Backend::version: what computes, or why nothing does.
template <void (*require)(), std::string (*what)()>
std::string version_or_reason() {
  try {
    require();
    return what();
  } catch (const Error& error) {
    return error.what();
  }
}

/// In alphabetical order, those that cannot be used too.
[[nodiscard]] const std::vector<Backend>& backends();
/// nullptr when there is none of this name.
[[nodiscard]] const Backend* find_backend(std::string_view name);
/// The backends whose kernels a bench compares: ours on the host, and the library's.
[[nodiscard]] const std::string& own_backend();
[[nodiscard]] const std::string& library_backend();

/// Where a backend registers its kernels. `variant` is the working type ("f32", "bf16"), with the name of a special one after it
/// ("bf16-mask").
class BackendKernels {
 public:
  /// `others`: at its other places, too.
  BackendKernels(const Backend& backend, Registry& registry, Fusions& fusions, bool others)
      : backend_(backend), registry_(registry), fusions_(fusions), others_(others) {}

  template <class C>
  void add(const std::string& variant, Kernel<C>* run, bool rounds_as_oracle = false) {
    registry_.add<C>(backend_.name, variant, run, rounds_as_oracle, backend_.place);
    if (!others_) return;
    for (const OtherPlace& other : backend_.others)
      registry_.add<C>(backend_.name, variant + "-" + other.name, run, rounds_as_oracle, other.place);
  }
  template <class F>
  void fuse(const std::string& variant, Kernel<F>* run) {
    fusions_.add<F>(backend_.name, variant, run, backend_.place);
  }

 private:
  const Backend& backend_;
  Registry& registry_;
  Fusions& fusions_;
  bool others_;
};

}  // namespace parity::optimized
