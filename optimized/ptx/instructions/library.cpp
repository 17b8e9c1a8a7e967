// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/instructions/library.hpp"

#include <algorithm>
#include <cstdio>

#include "optimized/ptx/machine/machine.hpp"

namespace parity::ptx {
namespace {

constexpr size_t kLongest = 4096;  // characters of a text

/// Returns the bytes at a generic address, or null if the address is invalid.
const uint8_t* bytes_at(const Warp& warp, uint32_t lane, uint64_t address, uint64_t& count) {
  if (window_of(address) == kLocalWindow) {
    const uint64_t offset = address - kLocalWindow;
    if (offset >= warp.local_bytes) return nullptr;
    count = warp.local_bytes - offset;
    return warp.local.data() + size_t{lane} * warp.local_bytes + offset;
  }
  const Allocation* found = warp.worker->machine.device.nearest(address);
  if (found == nullptr || found->freed || address - found->base >= found->bytes) return nullptr;
  count = found->bytes - (address - found->base);
  return found->data.get() + (address - found->base);
}

std::string text_at(const Warp& warp, uint32_t lane, uint64_t address) {
  uint64_t count = 0;
  const uint8_t* bytes = bytes_at(warp, lane, address, count);
  if (bytes == nullptr) return "(null)";
  const uint8_t* end = std::find(bytes, bytes + std::min<uint64_t>(count, kLongest), 0);
  return {bytes, end};
}

uint64_t argument(const Warp& warp, const Step& step, uint32_t lane, uint32_t which, uint32_t bytes) {
  const uint32_t offset = warp.frame->code->lists[step.list + step.mode + which];
  uint64_t value = 0;
  std::memcpy(&value, warp.frame->params.data() + size_t{lane} * warp.frame->code->param_bytes + offset, bytes);
  return value;
}

/// One conversion of C's printf, whose flags it keeps; the argument has 4 or 8 bytes.
std::string converted(const Warp& warp, uint32_t lane, std::string flags, char kind, bool wide, const uint8_t* from) {
  std::array<char, kLongest> text{};
  uint64_t bits = 0;
  const bool real = std::string_view("eEfFgGaA").find(kind) != std::string_view::npos;
  std::memcpy(&bits, from, wide || real || kind == 's' || kind == 'p' ? 8 : 4);
  if (kind == 's') return text_at(warp, lane, bits);
  if (kind == 'p') return fmt::format("0x{:x}", bits);
  if (kind == 'c') return {static_cast<char>(bits)};
  const std::string format = "%" + flags + (real ? "" : "ll") + kind;
  if (real) {
    std::snprintf(text.data(), text.size(), format.c_str(), std::bit_cast<double>(bits));
  } else if (kind == 'd' || kind == 'i') {
    const auto value = wide ? static_cast<int64_t>(bits) : int64_t{static_cast<int32_t>(bits)};
    std::snprintf(text.data(), text.size(), format.c_str(), static_cast<long long>(value));
  } else {
    std::snprintf(text.data(), text.size(), format.c_str(), static_cast<unsigned long long>(bits));
  }
  return text.data();
}

/// Arguments lie one after the other, each aligned to its size. Source: CUDA programming guide, vprintf.
std::string formatted(const Warp& warp, uint32_t lane, const std::string& format, uint64_t list) {
  uint64_t left = 0, at = 0;
  const uint8_t* bytes = bytes_at(warp, lane, list, left);
  std::string result;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      result += format[i];
      continue;
    }
    std::string flags;
    bool wide = false;
    for (++i; i < format.size() && std::string_view("-+ #0123456789.lhzjt").find(format[i]) != std::string_view::npos;
         ++i) {
      wide = wide || std::string_view("lzjt").find(format[i]) != std::string_view::npos;
      if (std::string_view("lhzjt").find(format[i]) == std::string_view::npos) flags += format[i];
    }
    if (i == format.size()) break;
    const char kind = format[i];
    if (kind == '%') {
      result += '%';
      continue;
    }
    if (std::string_view("diuoxXeEfFgGaAcsp").find(kind) == std::string_view::npos) return result + "(?)";
    const bool eight = wide || std::string_view("eEfFgGaAsp").find(kind) != std::string_view::npos;
    const uint64_t size = eight ? 8 : 4;
    at = (at + size - 1) / size * size;
    if (bytes == nullptr || at + size > left) return result + "(?)";
    result += converted(warp, lane, flags, kind, wide, bytes + at);
    at += size;
  }
  return result;
}

void print(Warp& warp, const Step& step) {
  Machine& machine = warp.worker->machine;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if (!has_lane(warp.mask, lane)) continue;
    const std::string format = text_at(warp, lane, argument(warp, step, lane, 0, 8));
    std::string text = formatted(warp, lane, format, argument(warp, step, lane, 1, 8));
    const std::lock_guard lock(machine.mutex);
    machine.printed.push_back(std::move(text));
  }
}

/// __assertfail(message, file, line, function, size of a character)
void fail_assertion(Warp& warp, const Step& step) {
  const uint32_t lane = warp.first_lane();
  warp.find(Finding::Kind::assertion, step, lane,
            fmt::format("{}:{}: {}: assertion '{}' failed", text_at(warp, lane, argument(warp, step, lane, 1, 8)),
                        argument(warp, step, lane, 2, 4), text_at(warp, lane, argument(warp, step, lane, 3, 8)),
                        text_at(warp, lane, argument(warp, step, lane, 0, 8))));
  warp.worker->machine.stop = true;
  warp.polling = true;
}

}  // namespace

bool is_library(std::string_view name) { return name == "vprintf" || name == "__assertfail"; }

void call_library(Warp& warp, const Step& step) {
  if (step.mode2 == 2) {  // vprintf(format, arguments)
    print(warp, step);
  } else {
    fail_assertion(warp, step);
  }
}

}  // namespace parity::ptx
