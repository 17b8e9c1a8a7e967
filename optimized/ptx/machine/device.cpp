// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/machine/device.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "core/error.hpp"
#include "optimized/ptx/machine/program.hpp"
#include "optimized/ptx/machine/shadow.hpp"

namespace parity::ptx {
namespace {

constexpr uint64_t kGap = uint64_t{1} << 20U;  // an access beyond a buffer meets no other one
constexpr uint8_t kPoison = 0xFF;

void put_initial(Allocation& allocation, const Variable& variable, const std::map<std::string, uint64_t>& symbols) {
  uint64_t at = 0;
  for (const Variable::Initial& initial : variable.initial) {
    uint64_t bits = initial.bits;
    if (!initial.symbol.empty()) {
      const auto found = symbols.find(initial.symbol);
      PARITY_CHECK(found != symbols.end(), unsupported, "variable {}: the address of {} is no address of a variable",
                   allocation.name, initial.symbol);
      bits += found->second;
    }
    std::memcpy(allocation.data.get() + at, &bits, std::min<uint64_t>(variable.element, sizeof bits));
    at += variable.element;
  }
}

}  // namespace

Allocation::Allocation() = default;
Allocation::~Allocation() = default;

uint64_t Device::allocate(uint64_t bytes) {
  PARITY_CHECK(bytes < uint64_t{1} << 40U, usage, "an allocation of {} bytes; ask for less than 1 TiB", bytes);
  auto made = std::make_unique<Allocation>();
  made->base = next_;
  made->bytes = bytes;
  made->data.reset(static_cast<uint8_t*>(std::calloc(bytes + 1, 1)));  // the system's zeros: no page is touched
  if (made->data == nullptr) throw std::bad_alloc();
  if (tracks()) {
    std::memset(made->data.get(), kPoison, bytes);
    made->written.assign(bytes, Mark::unwritten);
    made->last = bytes;
  }
  next_ += (bytes / kGap + 2) * kGap;
  allocations_.push_back(std::move(made));
  return allocations_.back()->base;
}

Allocation* Device::nearest(uint64_t address) const {
  const auto after = std::upper_bound(allocations_.begin(), allocations_.end(), address,
                                      [](uint64_t a, const auto& b) { return a < b->base; });
  return after == allocations_.begin() ? nullptr : std::prev(after)->get();
}

Allocation& Device::within(uint64_t address, uint64_t bytes) const {
  Allocation* found = nearest(address);
  const bool inside = found != nullptr && !found->freed && address - found->base <= found->bytes &&
                      bytes <= found->bytes - (address - found->base);
  PARITY_CHECK(inside, usage, "{} bytes at 0x{:x} are not within a living allocation; check address and size", bytes,
               address);
  return *found;
}

void Device::free(uint64_t address) {
  Allocation& found = within(address, 0);
  PARITY_CHECK(found.base == address, usage,
               "0x{:x} is not the beginning of an allocation; free what allocate() returned", address);
  found.freed = true;
  found.data.reset();
  found.written = {};
}

void Device::write(uint64_t address, const void* from, uint64_t bytes) {
  Allocation& found = within(address, bytes);
  if (bytes == 0) return;
  std::memcpy(found.data.get() + (address - found.base), from, bytes);
  if (tracks()) std::memset(found.written.data() + (address - found.base), Mark::written, bytes);
}

void Device::mark(uint64_t address, uint64_t bytes, Mark::Byte mark) {
  Allocation& found = within(address, bytes);
  if (!tracks()) return;
  auto& marks = found.written;
  std::fill_n(marks.begin() + static_cast<int64_t>(address - found.base), bytes, mark);
  const auto inside = [](uint8_t one) { return one != Mark::outside; };
  found.first = static_cast<uint64_t>(std::find_if(marks.begin(), marks.end(), inside) - marks.begin());
  found.last = static_cast<uint64_t>(marks.rend() - std::find_if(marks.rbegin(), marks.rend(), inside));
  found.last = std::max(found.first, found.last);
}

void Device::read(uint64_t address, void* to, uint64_t bytes) const {
  const Allocation& found = within(address, bytes);
  if (bytes > 0) std::memcpy(to, found.data.get() + (address - found.base), bytes);
}

const std::map<std::string, uint64_t>& Device::symbols(const Program& program) {
  const auto [place, fresh] = symbols_.try_emplace(program.identity());
  std::map<std::string, uint64_t>& symbols = place->second;
  if (!fresh) return symbols;
  for (const auto& [name, variable] : program.module().variables) {
    if (variable.space != ".shared") symbols[name] = allocate(variable.bytes);
  }
  for (const auto& [name, address] : symbols) {
    const Variable& variable = program.module().variables.at(name);
    Allocation& allocation = *nearest(address);
    allocation.name = name;
    allocation.read_only = variable.space == ".const";
    std::memset(allocation.data.get(), 0, allocation.bytes);
    std::fill(allocation.written.begin(), allocation.written.end(), uint8_t{Mark::written});
    put_initial(allocation, variable, symbols);
  }
  return symbols;
}

uint64_t Device::symbol(const Program& program, std::string_view name) {
  const auto& all = symbols(program);
  const auto found = all.find(std::string(name));
  PARITY_CHECK(found != all.end(), not_found, "the module has no variable {}; look at the names in its text", name);
  return found->second;
}

}  // namespace parity::ptx
