// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// For tests: functions that damage the golden in a folder.
#pragma once

#include <cstring>
#include <functional>

#include <hdf5.h>

#include "cli/testing/program.hpp"

namespace parity::cli::tests {

using Damage = std::function<void(const fs::path& folder)>;

inline Damage cut(const std::string& file, double share) {
  return [=](const fs::path& folder) {
    const auto size = static_cast<double>(fs::file_size(folder / file));
    fs::resize_file(folder / file, static_cast<uintmax_t>(share <= 1.0 ? size * share : share));
  };
}

inline Damage change(const Changes& changes) {
  return [=](const fs::path& folder) {
    const auto file = golden::ActivationFile::open(kGolden + "/activations.h5");
    (void)replay::tests::Copy(file, folder / "activations.h5", changes);
  };
}

inline Damage without(const std::string& glob) {
  Changes changes;
  changes.dropped = {glob};
  return change(changes);
}

inline Damage attribute(const std::string& name, const std::string& value) {
  Changes changes;
  changes.attributes[name] = value;
  return change(changes);
}

inline Damage tap(const std::string& path, const Tensor& value) {
  Changes changes;
  changes.values[path] = value;
  return change(changes);
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  PARITY_CHECK(at != std::string::npos, internal, "no {} in the text", from);
  return text.replace(at, from.size(), to);
}

/// Changes config.json and, if `recorded`, also its copy in the recording.
inline Damage config(const std::string& from, const std::string& to, bool recorded) {
  return [=](const fs::path& folder) {
    const std::string text = replaced(content(folder / "checkpoint/config.json"), from, to);
    write(folder / "checkpoint/config.json", text);
    Changes changes;
    changes.texts["config"] = text;
    if (recorded) change(changes)(folder);
  };
}

/// Removes a file. If `make` is not empty, it then makes something else at the same path.
inline Damage instead(const std::string& file, const Damage& make) {
  return [=](const fs::path& folder) {
    fs::remove_all(folder / file);
    if (make) make(folder / file);
  };
}

inline void folder_at(const fs::path& path) { fs::create_directory(path); }
inline void dangling_link_at(const fs::path& path) { fs::create_symlink("nowhere", path); }
inline void device_at(const fs::path& path) { fs::create_symlink("/dev/null", path); }

/// Adds a dataset of 2^60 elements, which HDF5 can declare without storing them.
inline void add_absurd_dataset(const fs::path& folder) {
  const hid_t file = H5Fopen((folder / "activations.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hsize_t extents[2] = {hsize_t{1} << 30, hsize_t{1} << 30};
  const hsize_t chunk[2] = {1024, 1024};
  const hid_t space = H5Screate_simple(2, extents, nullptr);
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(properties, 2, chunk);
  const hid_t dataset =
      H5Dcreate2(file, "steps/000/text/absurd", H5T_IEEE_F32LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  H5Dclose(dataset);
  H5Pclose(properties);
  H5Sclose(space);
  H5Fclose(file);
}

/// Edits the header of model.safetensors.
inline Damage header(const std::function<void(std::string&)>& edit) {
  return [=](const fs::path& folder) {
    std::string bytes = content(folder / "checkpoint/model.safetensors");
    edit(bytes);
    write(folder / "checkpoint/model.safetensors", bytes);
  };
}

inline void claim_2_to_the_60_elements(std::string& bytes) {
  const size_t shape = bytes.find("\"shape\":[") + 9;
  const std::string absurd = "1152921504606846976";
  const size_t end = bytes.find(']', shape);
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  length += absurd.size() - (end - shape);
  bytes.replace(shape, end - shape, absurd);
  std::memcpy(bytes.data(), &length, sizeof length);
}

}  // namespace parity::cli::tests
