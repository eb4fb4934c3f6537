// Makes one HTML document that needs no other file: files of its own project that it links to are
// put into it. It is a scanner of tags, not a browser: a tag that it does not recognise stays as it
// is. Pure except for `fetch`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace paddock::projects {

inline constexpr int64_t kMostOwnerBytes = 2 << 20;
inline constexpr int64_t kMostAssetBytes = 5 << 20;  // a larger one stays a link
inline constexpr int64_t kMostInlinedBytes = 50
                                             << 20;  // together; what would exceed it stays a link
inline constexpr int kMostCandidates = 500;          // links that are looked at

// The content of a file of the project, or nothing: it is not there, not shown or larger than
// `most`.
using Fetch = std::function<std::optional<std::string>(const std::string& path, int64_t most)>;

// `path`: of the document itself, for links that are relative.
std::string inline_html(std::string_view html, const std::string& path, const Fetch& fetch);

// The path within the project that a link in the file `from` leads to. Nothing if it leaves the
// project, names another host, or is data already.
std::optional<std::string> resolve_link(const std::string& from, std::string_view link);

}  // namespace paddock::projects
