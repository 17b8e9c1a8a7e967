// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a user of the HDF5 C library needs: its lock, its handles, its error text. Only the writer uses the library;
// golden/hdf5 reads without it.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include <hdf5.h>

#include "core/error.hpp"

namespace parity::golden::libhdf5 {

/// Locks the library, which may be built without thread safety, while this object exists. Also stops the library from
/// printing its error stack to stderr, which is a setting per thread.
class Session {
 public:
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  std::scoped_lock<std::recursive_mutex> lock_;
  H5E_auto2_t printer_ = nullptr;
  void* printer_data_ = nullptr;
};

/// Innermost message of the library's error stack, in one line.
[[nodiscard]] std::string last_error();

/// Owns an HDF5 identifier, which the given function closes.
class Handle {
 public:
  using Closer = herr_t (*)(hid_t);

  Handle() = default;
  Handle(hid_t id, Closer closer) : id_(id), closer_(closer) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), closer_(other.closer_) {}
  Handle& operator=(Handle&& other) noexcept;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { reset(); }

  [[nodiscard]] hid_t get() const { return id_; }
  [[nodiscard]] bool valid() const { return id_ >= 0; }
  void reset();
  /// Closes the identifier. Throws Error{io} when the library cannot, for example on a full disk.
  void close(const std::string& what);

 private:
  hid_t id_ = H5I_INVALID_HID;
  Closer closer_ = nullptr;
};

/// The identifier as a handle. Throws Error{schema} "<what>: <the library's reason>" if it is invalid.
[[nodiscard]] Handle checked(hid_t id, Handle::Closer closer, const std::string& what);
/// Throws Error{code} "<what>: <the library's reason>" when `status` is negative.
void check(int64_t status, const std::string& what, ErrorCode code = ErrorCode::schema);

/// Properties for the creation of objects without times, so that equal contents give equal bytes.
[[nodiscard]] Handle reproducible_properties(hid_t property_class);

}  // namespace parity::golden::libhdf5
