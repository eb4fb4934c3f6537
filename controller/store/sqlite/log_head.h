// Reads the first page of a database from the log beside its file: the newest commits are there
// until they are copied into the file. The log is read by SQLite's file format, since opening a
// database may write beside it.
#pragma once

#include <optional>
#include <string>

#include "common/base/result.h"

namespace paddock::store::sqlite {

// The first `bytes` of page 1 as of the log's last commit. Nothing where the log has none of it: it
// is missing, is no log, or ends before a commit, as SQLite would judge it.
Result<std::optional<std::string>> first_page_in_log(const std::string& path, size_t bytes);

}  // namespace paddock::store::sqlite
