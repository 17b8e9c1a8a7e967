// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A stand-in for a device: memory that the host may not touch. Access that bypasses the place ends with SIGSEGV.
#pragma once

#include <map>

#include <sys/mman.h>

#include "core/registry.hpp"

namespace parity::testing_support {

class ClosedPlace final : public Place {
 public:
  [[nodiscard]] std::string name() const override { return "closed"; }
  [[nodiscard]] bool is_host_memory() const override { return false; }

  [[nodiscard]] std::shared_ptr<std::byte[]> allocate(size_t bytes, size_t) override {
    const size_t mapped = (bytes / kPage + 1) * kPage;
    void* data = mmap(nullptr, mapped, open_ ? PROT_READ | PROT_WRITE : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    PARITY_CHECK(data != MAP_FAILED, device, "no memory for {} bytes", bytes);
    (*blocks_)[data] = mapped;
    return {static_cast<std::byte*>(data), [blocks = blocks_, mapped](std::byte* memory) {
              blocks->erase(memory);
              munmap(memory, mapped);
            }};
  }
  void write(std::byte* target, const std::byte* source, size_t bytes) override {
    const Opened now(*this);
    host().write(target, source, bytes);
  }
  void read(std::byte* target, const std::byte* source, size_t bytes) const override {
    const Opened now(*this);
    host().read(target, source, bytes);
  }
  void fill(std::byte* target, size_t bytes, std::span<const std::byte> pattern) override {
    const Opened now(*this);
    host().fill(target, bytes, pattern);
  }
  int64_t flush(std::span<std::byte> memory) const override {
    const Opened now(*this);
    return host().flush(memory);
  }

  /// The kernel as one of this place: the memory is accessible while the kernel runs.
  [[nodiscard]] static ErasedKernel here(const ErasedKernel& kernel) {
    return [kernel](const Arguments& in, const ParamMap& params, const Arguments& out, Context& context) {
      const Opened now(dynamic_cast<const ClosedPlace&>(*context.place));
      kernel(in, params, out, context);
    };
  }

 private:
  static constexpr size_t kPage = 4096;

  class Opened {
   public:
    explicit Opened(const ClosedPlace& place) : place_(place), before_(place.open_) { place_.protect(true); }
    ~Opened() { place_.protect(before_); }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;

   private:
    const ClosedPlace& place_;
    bool before_;
  };

  void protect(bool open) const {
    open_ = open;
    for (const auto& [data, bytes] : *blocks_) mprotect(data, bytes, open ? PROT_READ | PROT_WRITE : PROT_NONE);
  }

  mutable bool open_ = false;
  std::shared_ptr<std::map<void*, size_t>> blocks_ = std::make_shared<std::map<void*, size_t>>();
};

}  // namespace parity::testing_support
