// A move's end at the SQLite file.
#pragma once

#include <memory>
#include <string>

#include "common/base/result.h"
#include "common/base/time.h"
#include "controller/store/move/copy.h"
#include "controller/store/sqlite/connection.h"
#include "controller/store/sqlite/open_file.h"

namespace paddock::store::move {

// While nobody else uses the store of this name. STORE_LOCKED.
Result<os::LockFile> lock_file(const std::string& file);

// Opens the file as the source: locks it and checks all of it. STORE_NOTHING_TO_MOVE,
// STORE_SCHEMA_TOO_OLD; as Store::open.
Result<sqlite::OpenedFile> open_source(const std::string& file);
// Renames the file, which nobody has open any more, and answers with its new name. Empty: it is
// gone already.
Result<std::string> put_aside(const std::string& file, WallTime now);

// An empty store under another name, for the rows to be moved into. STORE_NOT_EMPTY: there is a
// file of the name that it is to have.
Result<std::unique_ptr<sqlite::Connection>> make_target(const std::string& file);
Status put_given(sqlite::Connection& db, const Given& given);
// Gives the target, which is closed, the name that it is to have, unless it has it already.
Status take_place(const std::string& file);
void remove_target(const std::string& file);

}  // namespace paddock::store::move
