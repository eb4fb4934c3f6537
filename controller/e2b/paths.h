// Paths as E2B's tools write them, and what a session says of its files, as they read it. Pure.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/contracts/session_calls.h"
#include "common/wire/value.h"

namespace paddock::e2b {

// The path of a file beneath the session's folder; empty for that folder itself. Relative paths, ~
// and /home/user begin there too. InvalidArgument (INVALID_FIELD at `field`) for all others, `..`,
// control characters, `\` and what is no UTF-8.
Result<std::string> inner_path(std::string_view path, std::string_view field);
// The same path as commands of the session see it.
std::string shown_path(std::string_view inner);

// The same error; if it is FILE_NOT_FOUND, with the path as its caller wrote it.
Error of_file(Error error, std::string_view path);

// The parts of a path from inner_path(): the folder that it is in, and its last name.
std::string folder_of(std::string_view inner);
std::string name_of(std::string_view inner);

// A filesystem.EntryInfo. Owner, mode and times are not known, and are not there.
wire::Value entry_info(const contracts::SessionFile& file, std::string_view inner);
// An EntryInfo for a path that is known to be a folder.
wire::Value folder_info(std::string_view inner);
// The answer of POST /files about a file that it wrote.
wire::Value written_info(std::string_view inner);

}  // namespace paddock::e2b
