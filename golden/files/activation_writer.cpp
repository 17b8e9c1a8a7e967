// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/files/activation_writer.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "golden/checks/value_checksum.hpp"
#include "golden/files/libhdf5_create.hpp"
#include "golden/files/libhdf5_dtype.hpp"
#include "golden/files/temporary_file.hpp"

namespace parity::golden {
namespace {

using libhdf5::check;
using libhdf5::checked;
using libhdf5::Handle;
using libhdf5::space_of;

void check_labels(const std::string& path, const Shape& shape, const TapLabels& labels) {
  const size_t letters = split_axes(labels.axes).size();
  PARITY_CHECK(letters == shape.size(), internal, "dataset {}: axes '{}' do not fit shape {}", path, labels.axes,
               to_string(shape));
  constexpr std::array<std::string_view, 4> roles{"input", "output", "parameter", "state"};
  PARITY_CHECK(std::find(roles.begin(), roles.end(), labels.role) != roles.end(), internal,
               "dataset {}: role '{}' is not one of input, output, parameter, state", path, labels.role);
}

}  // namespace

struct ActivationWriter::State {
  struct Streamed {
    DType dtype;
    Shape shape;
    int64_t rows = 0;
    Handle dataset;
    ValueChecksum sum;
  };

  explicit State(const std::filesystem::path& path) : temporary(path) {}
  ~State() {
    const libhdf5::Session session;
    streamed.clear();
    file.reset();
  }

  void make_groups(const std::string& path) {
    for (size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
      make_group(path.substr(0, slash));
    }
  }

  void make_group(const std::string& path) {
    if (!groups.insert(path).second) return;
    const Handle properties = libhdf5::reproducible_properties(H5P_GROUP_CREATE);
    const Handle group = checked(H5Gcreate2(file.get(), path.c_str(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
                                 H5Gclose, "cannot create group " + path);
  }

  Handle make_dataset(const std::string& path, hid_t type, hid_t space, hid_t properties) {
    PARITY_CHECK(!path.empty() && path.front() != '/' && path.back() != '/' && path.find("//") == std::string::npos,
                 internal, "'{}' is not a dataset path; expected names joined by '/'", path);
    PARITY_CHECK(datasets.insert(path).second, internal, "dataset {} is written twice", path);
    make_groups(path);
    return checked(H5Dcreate2(file.get(), path.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose,
                   "cannot create dataset " + path);
  }

  Handle make_tap(const std::string& path, DType dtype, const Shape& shape, const TapLabels& labels) {
    check_labels(path, shape, labels);
    const Handle type = libhdf5::type_of(dtype);
    Handle dataset =
        make_dataset(path, type.get(), space_of(shape).get(), libhdf5::storage_properties(shape, dtype).get());
    libhdf5::write_fixed_text(dataset.get(), "axes", labels.axes);
    libhdf5::write_fixed_text(dataset.get(), "dtype", to_string(dtype));
    libhdf5::write_fixed_text(dataset.get(), "role", labels.role);
    libhdf5::write_fixed_text(dataset.get(), "component", labels.component);
    return dataset;
  }

  void note_sum(hid_t dataset, const ValueChecksum& sum) const {
    if (sums) libhdf5::write_fixed_text(dataset, kChecksum, sum.text());
  }

  template <class Body>
  auto run(const Body& body) {
    return with_context(temporary.target().string(), [&] {
      PARITY_CHECK(file.valid(), internal, "the file has already been completed and cannot be written to");
      const libhdf5::Session session;
      return body();
    });
  }

  TemporaryFile temporary;
  Handle file;
  std::set<std::string> groups;
  std::set<std::string> datasets;
  std::map<std::string, Streamed> streamed;
  bool sums = false;
};

ActivationWriter::ActivationWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
ActivationWriter::ActivationWriter(ActivationWriter&&) noexcept = default;
ActivationWriter::~ActivationWriter() = default;

ActivationWriter ActivationWriter::create(const std::filesystem::path& path,
                                          const std::map<std::string, AttributeValue>& root) {
  auto state = std::make_unique<State>(path);
  const libhdf5::Session session;
  const Handle access = checked(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "cannot create HDF5 properties");
  check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110), "cannot set HDF5 properties");
  check(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG), "cannot set HDF5 properties");
  const Handle creation = libhdf5::reproducible_properties(H5P_FILE_CREATE);
  const hid_t file = H5Fcreate(state->temporary.path().c_str(), H5F_ACC_EXCL, creation.get(), access.get());
  check(file, path.string() + ": cannot be created; check the folder and its permissions", ErrorCode::io);
  state->file = Handle(file, H5Fclose);
  std::map<std::string, AttributeValue> attributes = root;
  attributes["format"] = "parity-golden";
  attributes.try_emplace("format_version", "1.0");
  for (const auto& [name, value] : attributes) libhdf5::write_value(file, name, value);
  return ActivationWriter(std::move(state));
}

void ActivationWriter::keep_checksums() { state_->sums = true; }

void ActivationWriter::write(const std::string& path, const TensorView& tensor, const TapLabels& labels) {
  state_->run([&] {
    PARITY_CHECK(!tensor.empty(), internal, "dataset {} has no data", path);
    Handle dataset = state_->make_tap(path, tensor.dtype, tensor.shape, labels);
    const Tensor packed = tensor.contiguous() ? Tensor() : convert(tensor, tensor.dtype);
    const void* data = packed.empty() ? tensor.data : packed.view().data;
    check(H5Dwrite(dataset.get(), libhdf5::type_of(tensor.dtype).get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, data),
          "cannot write dataset " + path, ErrorCode::io);
    state_->note_sum(dataset.get(), ValueChecksum().add(packed.empty() ? tensor : packed.view()));
    dataset.close("cannot finish dataset " + path);  // values may be written only now: a full disk shows here
  });
}

void ActivationWriter::write_text(const std::string& path, const std::string& text) {
  state_->run([&] {
    const Handle type = libhdf5::text_type(std::max<size_t>(text.size(), 1));
    const Handle properties = libhdf5::reproducible_properties(H5P_DATASET_CREATE);
    Handle dataset = state_->make_dataset(path, type.get(), space_of({}).get(), properties.get());
    const std::string padded = text.empty() ? std::string(1, '\0') : text;
    check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()), "cannot write " + path,
          ErrorCode::io);
    dataset.close("cannot finish dataset " + path);
  });
}

void ActivationWriter::write_texts(const std::string& path, const std::vector<std::string>& texts) {
  state_->run([&] {
    size_t longest = 1;
    for (const std::string& text : texts) longest = std::max(longest, text.size());
    std::string padded;
    for (const std::string& text : texts) padded += text + std::string(longest - text.size(), '\0');
    const Handle type = libhdf5::text_type(longest);
    const Handle properties = libhdf5::reproducible_properties(H5P_DATASET_CREATE);
    const Handle space = space_of({static_cast<int64_t>(texts.size())});
    Handle dataset = state_->make_dataset(path, type.get(), space.get(), properties.get());
    check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()),
          "cannot write dataset " + path, ErrorCode::io);
    dataset.close("cannot finish dataset " + path);
  });
}

void ActivationWriter::link(const std::string& new_path, const std::string& existing_path) {
  state_->run([&] {
    PARITY_CHECK(state_->datasets.contains(existing_path), internal,
                 "{} cannot be linked, because there is no dataset {}", new_path, existing_path);
    PARITY_CHECK(state_->datasets.insert(new_path).second, internal, "dataset {} is written twice", new_path);
    state_->make_groups(new_path);
    const hid_t file = state_->file.get();
    check(H5Lcreate_hard(file, existing_path.c_str(), file, new_path.c_str(), H5P_DEFAULT, H5P_DEFAULT),
          "cannot link " + new_path);
  });
}

void ActivationWriter::group_attribute(const std::string& group, const std::string& name, const AttributeValue& value) {
  state_->run([&] {
    state_->make_groups(group + "/");
    const Handle handle =
        checked(H5Gopen2(state_->file.get(), group.c_str(), H5P_DEFAULT), H5Gclose, "cannot open " + group);
    libhdf5::write_value(handle.get(), name, value);
  });
}

void ActivationWriter::dataset_attribute(const std::string& path, const std::string& name,
                                         const AttributeValue& value) {
  state_->run([&] {
    PARITY_CHECK(state_->datasets.contains(path), internal,
                 "attribute {} cannot be written, because there is no dataset {}", name, path);
    const Handle handle =
        checked(H5Dopen2(state_->file.get(), path.c_str(), H5P_DEFAULT), H5Dclose, "cannot open " + path);
    libhdf5::write_value(handle.get(), name, value);
  });
}

void ActivationWriter::create_dataset(const std::string& path, DType dtype, const Shape& shape,
                                      const TapLabels& labels) {
  state_->run([&] {
    PARITY_CHECK(!shape.empty(), internal, "dataset {} is a scalar, so it cannot be written row by row", path);
    state_->streamed[path] = {dtype, shape, 0, state_->make_tap(path, dtype, shape, labels), {}};
  });
}

void ActivationWriter::append_rows(const std::string& path, const TensorView& rows) {
  state_->run([&] {
    const auto found = state_->streamed.find(path);
    PARITY_CHECK(found != state_->streamed.end(), internal, "dataset {} was not created for appending", path);
    State::Streamed& target = found->second;
    Shape expected = target.shape;
    if (!rows.shape.empty()) expected.front() = rows.shape.front();
    PARITY_CHECK(
        rows.dtype == target.dtype && rows.shape == expected && target.rows + expected.front() <= target.shape.front(),
        internal, "a tensor ({}, shape {}) cannot be appended to dataset {} of shape {}, which already has {} rows",
        to_string(rows.dtype), to_string(rows.shape), path, to_string(target.shape), target.rows);
    if (rows.count() == 0) return;
    const Handle space = space_of(target.shape);
    std::vector<hsize_t> start(expected.size(), 0);
    start.front() = static_cast<hsize_t>(target.rows);
    const std::vector<hsize_t> extents(expected.begin(), expected.end());
    check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, extents.data(), nullptr),
          "cannot select rows");
    const Tensor packed = rows.contiguous() ? Tensor() : convert(rows, rows.dtype);
    const void* data = packed.empty() ? rows.data : packed.view().data;
    check(H5Dwrite(target.dataset.get(), libhdf5::type_of(rows.dtype).get(), space_of(expected).get(), space.get(),
                   H5P_DEFAULT, data),
          "cannot write rows of " + path, ErrorCode::io);
    target.sum.add(packed.empty() ? rows : packed.view());
    target.rows += expected.front();
  });
}

void ActivationWriter::commit() {
  state_->run([&] {
    for (const auto& [path, target] : state_->streamed) {
      PARITY_CHECK(target.rows == target.shape.front(), internal, "only {1} of {2} rows of dataset {0} were written",
                   path, target.rows, target.shape.front());
    }
    for (auto& [path, target] : state_->streamed) {
      state_->note_sum(target.dataset.get(), target.sum);
      target.dataset.close("cannot finish dataset " + path);
    }
    state_->file.close("cannot be finished; check the free space");
    state_->temporary.commit();
  });
}

}  // namespace parity::golden
