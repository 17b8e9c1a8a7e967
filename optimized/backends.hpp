// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The table of backends: sets of optimized kernels, where each runs, and why it cannot be used on this machine. A
// backend is a folder optimized/<name>/ with a backend.cpp; CMake finds its kernels by the names of their files.
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
  /// Whether the backend is ours and must pass every guard. A library decides itself about threads, layouts and NaN.
  bool own = true;
  PlaceOf place = &on_host;
  /// Throws Error{device} if the backend cannot be used on this machine or in this build, with a remedy, and
  /// Error{usage} if a setting of the backend is wrong.
  void (*require)() = nullptr;
  /// Returns the version, such as "avx2" or "LibTorch 2.11.0", or the message of `require` if that throws.
  std::string (*version)() = nullptr;
  void (*add)(BackendKernels& kernels) = nullptr;
  std::vector<OtherPlace> others{};
};

/// The function Backend::version of a backend: returns `what()`, or the message of `require` if that throws.
template <void (*require)(), std::string (*what)()>
std::string version_or_reason() {
  try {
    require();
    return what();
  } catch (const Error& error) {
    return error.what();
  }
}

/// Returns all backends in alphabetical order, including those that cannot be used here.
[[nodiscard]] const std::vector<Backend>& backends();
/// Returns the backend of this name, or nullptr.
[[nodiscard]] const Backend* find_backend(std::string_view name);
/// Names of the two backends that benches compare: our kernels on the host, and the library's.
[[nodiscard]] const std::string& own_backend();
[[nodiscard]] const std::string& library_backend();

/// Registers the kernels of one backend. `variant` is the working type ("f32", "bf16"), followed by a dash and a name
/// for a special variant ("bf16-mask").
class BackendKernels {
 public:
  /// `others`: also registers them at the backend's other places. Fused kernels are at all places.
  BackendKernels(const Backend& backend, Registry& registry, Fusions& fusions, bool others)
      : backend_(backend), registry_(registry), fusions_(fusions), others_(others) {}

  template <class C>
  void add(const std::string& variant, Kernel<C>* run, bool rounds_as_oracle = false) {
    registry_.add<C>(backend_.name, variant, run, rounds_as_oracle, backend_.place);
    if (!others_) return;
    for (const OtherPlace& other : backend_.others)
      registry_.add<C>(backend_.name, variant + "-" + other.name, run, rounds_as_oracle, other.place);
  }
  /// A special variant, which runs only where it is asked for by name: not among the backend's own kernels.
  template <class C>
  void add_special(const std::string& variant, Kernel<C>* run) {
    if (others_) add<C>(variant, run);
  }
  template <class F>
  void fuse(const std::string& variant, Kernel<F>* run) {
    fusions_.add<F>(backend_.name, variant, run, backend_.place);
    for (const OtherPlace& other : backend_.others)
      fusions_.add<F>(backend_.name, variant + "-" + other.name, run, other.place);
  }

 private:
  const Backend& backend_;
  Registry& registry_;
  Fusions& fusions_;
  bool others_;
};

}  // namespace parity::optimized
