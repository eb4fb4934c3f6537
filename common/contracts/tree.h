// Trees and blobs: a folder as a list of files by digest, with its links and its empty folders.
#pragma once

#include <string>
#include <vector>

#include "common/contracts/meta.h"

namespace paddock::contracts {

// SHA-256 in lower-case hex, 64 characters.
using Digest = std::string;
bool is_digest(std::string_view text);

struct TreeEntry {
  std::string path;  // relative, '/' between parts, no empty, `.` or `..` part
  Digest digest;
  int64_t size = 0;
  bool executable = false;
  friend bool operator==(const TreeEntry&, const TreeEntry&) = default;
  static constexpr auto describe(auto&& visit) {
    return visit(field("path", &TreeEntry::path, "relative path",
                       {.required = true, .min_length = 1, .max_length = 4096}),
                 field("digest", &TreeEntry::digest, "SHA-256 of the content",
                       {.required = true, .min_length = 64, .max_length = 64}),
                 field("size", &TreeEntry::size, "bytes", {.required = true, .min = 0}),
                 field("executable", &TreeEntry::executable, "whether the owner may execute it"));
  }
};

// A symbolic link of the project to something of the project.
struct TreeLink {
  std::string path;
  std::string target;  // relative to the link's folder: `..` parts first, then names
  friend bool operator==(const TreeLink&, const TreeLink&) = default;
  static constexpr auto describe(auto&& visit) {
    return visit(field("path", &TreeLink::path, "relative path",
                       {.required = true, .min_length = 1, .max_length = 4096}),
                 field("target", &TreeLink::target, "where it leads, relative to its own folder",
                       {.required = true, .min_length = 1, .max_length = 4096}));
  }
};

// A folder of the tree that has nothing in it.
struct TreeFolder {
  std::string path;
  friend bool operator==(const TreeFolder&, const TreeFolder&) = default;
  static constexpr auto describe(auto&& visit) {
    return visit(field("path", &TreeFolder::path, "relative path",
                       {.required = true, .min_length = 1, .max_length = 4096}));
  }
};

// Each list is sorted by path, bytewise. No path is there twice, in one list or in two, and none
// lies below another one: so no link is ever a folder on the way to something else.
struct Tree {
  std::vector<TreeEntry> entries;
  std::vector<TreeLink> links;
  std::vector<TreeFolder> folders;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("entries", &Tree::entries, "files", {.required = true, .max_length = 100'000}),
        field("links", &Tree::links, "symbolic links that stay inside",
              {.omit_empty = true, .max_length = 100'000}),
        field("folders", &Tree::folders, "folders with nothing in them",
              {.omit_empty = true, .max_length = 100'000}));
  }
  // Names every hostile or impossible entry: traversal, absolute, control characters, too long or
  // deep, duplicates, case collisions, a file used as a folder, unsorted, bad digests, links that
  // lead out.
  void validate(wire::Check& check) const;
};

// POST workspaces/{name}/tree: ask with a tree; `missing` lists the blobs to send first. Once none
// is missing the tree is stored and `root` is its digest. A blob goes as it is, or compressed:
// PUT …/blobs/{digest}?compression=zstd&size=N, its own size. Small ones also many at once, where
// the answer says `bundle`: POST …/blobs (common/cas/bundle.h).
struct TreeAnswer {
  Digest root;
  bool stored = false;
  std::vector<Digest> missing;
  std::vector<std::string> compressions;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("root", &TreeAnswer::root, "digest of the whole tree"),
        field("stored", &TreeAnswer::stored, "whether the tree is stored now"),
        field("missing", &TreeAnswer::missing, "blobs the server lacks"),
        field("compressions", &TreeAnswer::compressions,
              "how blobs may be sent besides as they are: zstd; bundle, many in one request"));
  }
};

}  // namespace paddock::contracts

PADDOCK_EXTERN_CODEC(paddock::contracts::Tree);
PADDOCK_EXTERN_CODEC(paddock::contracts::TreeAnswer);
