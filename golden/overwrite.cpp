// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/overwrite.hpp"

#include "golden/libhdf5.hpp"

namespace parity::golden {
namespace {

void overwrite(hid_t file, const std::string& what, const std::string& dataset, const Tensor& values) {
  using libhdf5::checked;
  PARITY_CHECK(H5Lexists(file, dataset.c_str(), H5P_DEFAULT) > 0, not_found, "{}: no such dataset", what);
  const auto target = checked(H5Dopen2(file, dataset.c_str(), H5P_DEFAULT), H5Dclose, what);
  const auto type = checked(H5Dget_type(target.get()), H5Tclose, what);
  const auto space = checked(H5Dget_space(target.get()), H5Sclose, what);
  const auto bytes = H5Sget_simple_extent_npoints(space.get()) * static_cast<int64_t>(H5Tget_size(type.get()));
  PARITY_CHECK(bytes == values.bytes(), schema, "{}: holds {} bytes, {} are to be written", what, bytes,
               values.bytes());
  PARITY_CHECK(values.view().contiguous(), internal, "{}: values are not contiguous", what);
  libhdf5::check(H5Dwrite(target.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.view().data), what,
                 ErrorCode::io);
}

}  // namespace

void overwrite_datasets(const std::filesystem::path& path, const std::map<std::string, Tensor>& values) {
  const libhdf5::Session session;
  auto file = libhdf5::checked(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, path.string());
  for (const auto& [dataset, tensor] : values)
    overwrite(file.get(), fmt::format("{}: dataset {}", path.string(), dataset), dataset, tensor);
  file.close(path.string());
}

void remove_datasets(const std::filesystem::path& path, const std::vector<std::string>& datasets) {
  const libhdf5::Session session;
  auto file = libhdf5::checked(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, path.string());
  for (const std::string& dataset : datasets) {
    const std::string what = fmt::format("{}: dataset {}", path.string(), dataset);
    PARITY_CHECK(H5Lexists(file.get(), dataset.c_str(), H5P_DEFAULT) > 0, not_found, "{}: no such dataset", what);
    libhdf5::check(H5Ldelete(file.get(), dataset.c_str(), H5P_DEFAULT), what, ErrorCode::io);
  }
  file.close(path.string());
}

}  // namespace parity::golden
