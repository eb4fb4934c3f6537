// The marker beside the file while a move ends: from before the database commits until the file has
// its final name. It names the move, so that after a crash the database can be asked whether the
// move was committed.
#pragma once

#include <optional>
#include <string>

#include "common/base/result.h"
#include "controller/store/move_store.h"

namespace paddock::store::move {

struct Marker {
  MoveTo to = MoveTo::kPostgres;
  std::string id;  // a UUID
};

// Reads the marker beside this store's file. STORE_MOVE_UNFINISHED: it cannot be read.
Result<std::optional<Marker>> read_marker(const std::string& file);
Status write_marker(const std::string& file, const Marker& marker);
Status remove_marker(const std::string& file);

}  // namespace paddock::store::move
