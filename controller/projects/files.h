// A workspace's tree as a project that people look at: which of its files are shown, what they are,
// and where to begin. Trees hold regular files by content alone, so a path either names an entry or
// nothing: no link can be followed and no folder of a host is opened. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/contracts/tree.h"

namespace paddock::projects {

// InvalidArgument (PATH_INVALID) for what only an attack sends: `..`, an encoded separator that
// would be decoded once more, a drive letter. NotFound (FILE_NOT_FOUND) for what is not there or
// not shown.
Result<contracts::TreeEntry> find_file(const contracts::Tree& tree, const std::string& path);

// Whether the file is shown: no part of its path begins with a dot (.env, .git), and it is no
// artifact's sidecar.
bool is_shown(std::string_view path);

struct MediaType {
  std::string_view kind;  // html, image, video, audio, font, style, script, data, text, other
  std::string_view mime;  // application/octet-stream if unknown
};
// The media type of the path's last extension; upper and lower case are alike.
MediaType media_type(std::string_view path);

// index.html at the top, else the only HTML file there. None: no guess.
std::optional<std::string> entry_file(const contracts::Tree& tree);

// …/raw/<path>, each segment percent-encoded, below the workspace's own path in the API.
std::string raw_url(const std::string& name_space, const std::string& workspace,
                    std::string_view path);

}  // namespace paddock::projects
