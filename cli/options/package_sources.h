// Where the node of an embedded instance installs requirements from, as `paddock up` is told.
#pragma once

#include <string>
#include <vector>

#include "common/wire/describe.h"

namespace paddock::cli {

struct Parsed;

struct PackageSources {
  std::string python_index;
  std::string npm_registry;
  std::string wheel_dir;
  std::string ca_file = {};  // of the indexes; absolute, or empty
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("pythonIndex", &PackageSources::python_index, "given with --python-index",
                       {.omit_empty = true}),
                 field("npmRegistry", &PackageSources::npm_registry, "given with --npm-registry",
                       {.omit_empty = true}),
                 field("wheelDir", &PackageSources::wheel_dir, "given with --wheel-dir",
                       {.omit_empty = true}),
                 field("caFile", &PackageSources::ca_file, "given with --packages-ca",
                       {.omit_empty = true}));
  }
  bool operator==(const PackageSources&) const = default;
};

// The remembered sources, changed by --packages public|none first, then by --python-index,
// --npm-registry, --wheel-dir and --packages-ca; an empty value takes one back. InvalidArgument:
// PACKAGES_INVALID, PACKAGE_INDEX_INVALID, WHEEL_DIR_INVALID or CA_FILE_UNREADABLE, with the
// option.
Result<PackageSources> choose_sources(const Parsed& parsed, const std::string& cwd,
                                      PackageSources remembered);
// For the node agent's command line.
std::vector<std::string> source_args(const PackageSources& sources);
// For people: one line for each, or how to get one.
std::vector<std::string> source_lines(const PackageSources& sources);

}  // namespace paddock::cli
