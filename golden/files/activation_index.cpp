// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/files/activation_index.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "golden/files/one_line.hpp"
#include "golden/hdf5/dataset.hpp"
#include "golden/hdf5/object.hpp"

namespace parity::golden {
namespace {

constexpr int kDeepest = 32;                        // goldens nest 9 groups deep
constexpr uint64_t kFreeBytes = uint64_t{1} << 20;  // allowance, so that small files are not limited to the byte

std::string text_or_empty(const Attributes& attributes, const std::string& name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? std::string() : found->second;
}

/// Sets the fields of `info` that follow from the dataset itself.
void describe(const hdf5::Dataset& dataset, DatasetInfo& info) {
  info.axes = text_or_empty(info.attributes, "axes");
  info.role = text_or_empty(info.attributes, "role");
  info.component = text_or_empty(info.attributes, "component");
  info.shape = dataset.shape();
  info.text = dataset.type().is_text();
  info.stored_bytes = static_cast<int64_t>(dataset.stored_bytes());
  if (info.text) return;
  PARITY_CHECK(dataset.type().dtype.has_value(), schema,
               "the elements of {} bytes are of a type that goldens do not use; store bf16, f32, f64, i64, u8 or bool",
               dataset.type().size);
  info.dtype = *dataset.type().dtype;
  if (info.dtype == DType::u8 && text_or_empty(info.attributes, "dtype") == "bool") info.dtype = DType::boolean;
}

/// Limits the bytes of all structures to the size of the file. In a damaged file structures may overlap, and walking
/// them could take forever; their sizes then add up to more than the file.
class Budget {
 public:
  explicit Budget(const hdf5::Image& image) : left_(image.size() + kFreeBytes) {}
  void spend(uint64_t bytes) {
    PARITY_CHECK(bytes <= left_, schema, "the file describes more data than it contains; copy it again");
    left_ -= bytes;
  }

 private:
  uint64_t left_;
};

class Walk {
 public:
  explicit Walk(const hdf5::Image& image)
      : image_(&image), heap_(image), header_bytes_(image), element_bytes_(image), text_bytes_(image) {}

  void enter(uint64_t address, const std::string& path, int depth) {
    PARITY_CHECK(depth <= kDeepest, schema,
                 "group {} is nested more than {} levels deep; no tap is that deep: remove the group", path, kDeepest);
    PARITY_CHECK(groups_.insert(address).second, schema,
                 "group /{} has two names or contains itself; write each group once", path);
    const auto links = with_context("group /" + path, [&] {
      const hdf5::ObjectHeader header(*image_, address);
      PARITY_CHECK(hdf5::is_group(header), schema,
                   "the HDF5 object is not a group; the file is damaged, copy it again");
      index_.groups[path] = attributes_of(header);
      return hdf5::links_of(*image_, header);
    });
    for (const hdf5::Link& link : links) follow(link, path.empty() ? link.name : path + "/" + link.name, depth);
  }

  ActivationIndex finish() && {
    for (const auto& [address, entries] : names_) name_aliases(entries);
    std::vector<size_t> order(index_.datasets.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const auto& found = index_.datasets;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return found[a].path < found[b].path; });
    ActivationIndex sorted;
    for (const size_t entry : order) {
      sorted.datasets.push_back(std::move(index_.datasets[entry]));
      sorted.addresses.push_back(index_.addresses[entry]);
    }
    sorted.groups = std::move(index_.groups);
    return sorted;
  }

 private:
  void follow(const hdf5::Link& link, const std::string& path, int depth) {
    const std::string shown = one_line(path);
    const bool plain = shown == path && !link.name.empty() && link.name.find('/') == std::string::npos;
    PARITY_CHECK(
        plain, schema,
        "the path '{}' is refused: rename the group or dataset; a path has at most 200 bytes, no empty name, no "
        "control characters (shown here as ?) and no / inside a name",
        shown);
    PARITY_CHECK(link.hard, schema,
                 "{} is a soft or external link; a golden is one file with hard links: repack with h5repack", path);
    text_bytes_.spend(path.size());
    const auto known = names_.find(link.address);
    if (known != names_.end()) return add(index_.datasets[known->second.front()], link.address, path);
    const hdf5::ObjectHeader header = with_context(path, [&] { return hdf5::ObjectHeader(*image_, link.address); });
    header_bytes_.spend(header.bytes());
    if (hdf5::is_group(header)) return enter(link.address, path, depth + 1);
    PARITY_CHECK(hdf5::is_dataset(header), schema, "{} is neither a group nor a dataset; remove it", path);
    with_context("dataset " + path, [&] {
      DatasetInfo info;
      info.attributes = attributes_of(header);
      describe(hdf5::Dataset(*image_, header), info);
      element_bytes_.spend(static_cast<uint64_t>(info.stored_bytes));
      add(std::move(info), link.address, path);
    });
  }

  void add(DatasetInfo info, uint64_t address, const std::string& path) {
    info.path = path;
    names_[address].push_back(index_.datasets.size());
    index_.datasets.push_back(std::move(info));
    index_.addresses.push_back(address);
  }

  Attributes attributes_of(const hdf5::ObjectHeader& header) {
    Attributes attributes = hdf5::attributes_of(*image_, header, heap_);
    for (const auto& [name, value] : attributes) text_bytes_.spend(name.size() + value.size());
    return attributes;
  }

  /// The first name that does not end in "/in" becomes the main name, because a layer's input is another tap's output.
  void name_aliases(const std::vector<size_t>& entries) {
    const auto rank = [&](size_t entry) {
      const std::string& path = index_.datasets[entry].path;
      return std::pair(path.ends_with("/in"), std::string_view(path));
    };
    const size_t first =
        *std::min_element(entries.begin(), entries.end(), [&](size_t a, size_t b) { return rank(a) < rank(b); });
    for (const size_t entry : entries) {
      if (entry != first) index_.datasets[entry].alias_of = index_.datasets[first].path;
    }
  }

  const hdf5::Image* image_;
  hdf5::GlobalHeap heap_;
  Budget header_bytes_;
  Budget element_bytes_;
  Budget text_bytes_;
  ActivationIndex index_;
  std::set<uint64_t> groups_;
  std::map<uint64_t, std::vector<size_t>> names_;  // of each dataset, by address: its entries in index_.datasets
};

}  // namespace

ActivationIndex index_of(const hdf5::Image& image) {
  Walk walk(image);
  walk.enter(hdf5::root_address(image), "", 0);
  return std::move(walk).finish();
}

}  // namespace parity::golden
