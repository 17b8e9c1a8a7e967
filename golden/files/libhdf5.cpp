// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/files/libhdf5.hpp"

#include "golden/files/one_line.hpp"

namespace parity::golden::libhdf5 {
namespace {

std::recursive_mutex& library_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

extern "C" herr_t take_innermost(unsigned index, const H5E_error2_t* error, void* text) {
  if (index == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

}  // namespace

Session::Session() : lock_(library_mutex()) {
  // Handles close every file. The library would try again at exit to write what could not be written then, and would
  // crash.
  static const herr_t left_alone = H5dont_atexit();
  static_cast<void>(left_alone);
  H5Eget_auto2(H5E_DEFAULT, &printer_, &printer_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Session::~Session() { H5Eset_auto2(H5E_DEFAULT, printer_, printer_data_); }

std::string last_error() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_innermost, &text);
  H5Eclear2(H5E_DEFAULT);
  return text.empty() ? "HDF5 gives no reason" : "HDF5 says: " + one_line(text);
}

Handle& Handle::operator=(Handle&& other) noexcept {
  if (this != &other) {
    reset();
    id_ = std::exchange(other.id_, H5I_INVALID_HID);
    closer_ = other.closer_;
  }
  return *this;
}

void Handle::reset() {
  if (valid()) closer_(id_);
  id_ = H5I_INVALID_HID;
}

void Handle::close(const std::string& what) {
  if (!valid()) return;
  const herr_t status = closer_(std::exchange(id_, H5I_INVALID_HID));
  check(status, what, ErrorCode::io);
}

Handle checked(hid_t id, Handle::Closer closer, const std::string& what) {
  check(id, what);
  return {id, closer};
}

void check(int64_t status, const std::string& what, ErrorCode code) {
  if (status < 0) throw Error(code, what + "; " + last_error());
}

Handle reproducible_properties(hid_t property_class) {
  Handle properties = checked(H5Pcreate(property_class), H5Pclose, "cannot create HDF5 properties");
  check(H5Pset_obj_track_times(properties.get(), false), "cannot leave out object times");
  return properties;
}

}  // namespace parity::golden::libhdf5
