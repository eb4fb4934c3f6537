#include "controller/store/move/marker.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "common/base/text.h"
#include "common/os/fd.h"
#include "common/os/file.h"

namespace paddock::store::move {

namespace {

std::string marker_of(const std::string& file) { return file + ".move"; }

// It becomes part of a statement at the database.
bool is_id(const std::string& text) {
  return text.size() == 36 && text.find_first_not_of("0123456789abcdef-") == std::string::npos;
}

}  // namespace

Result<std::optional<Marker>> read_marker(const std::string& file) {
  ASSIGN_OR_RETURN(const bool made, os::is_there(marker_of(file)));
  if (!made) return std::optional<Marker>();
  const auto text = os::read_file(marker_of(file), 1024);
  const std::vector<std::string> words = split(trim(text.ok() ? *text : std::string()), ' ');
  for (const MoveTo to : {MoveTo::kPostgres, MoveTo::kSqlite}) {
    if (words.size() == 2 && words[0] == word_of(to) && is_id(words[1]))
      return std::optional(Marker{to, words[1]});
  }
  return Error{Code::kFailedPrecondition, "STORE_MOVE_UNFINISHED",
               "paddock.db.move beside the store cannot be understood; remove it once you know "
               "which of the two stores is the whole one"};
}

Status write_marker(const std::string& file, const Marker& marker) {
  return os::write_file_atomic(marker_of(file), cat(word_of(marker.to), " ", marker.id, "\n"));
}

Status remove_marker(const std::string& file) {
  if (::unlink(marker_of(file).c_str()) == 0 || errno == ENOENT) return {};
  return system_error("cannot remove what is written of the move", errno);
}

}  // namespace paddock::store::move

namespace paddock::store {

std::string_view word_of(MoveTo to) { return to == MoveTo::kPostgres ? "postgres" : "sqlite"; }

Status check_not_moving(const std::string& file) {
  ASSIGN_OR_RETURN(const auto marker, move::read_marker(file));
  if (!marker) return {};
  return Error{Code::kFailedPrecondition, "STORE_MOVE_UNFINISHED",
               cat("the move of this store was not finished; paddock-controller --migrate-store ",
                   word_of(marker->to), " finishes it")};
}

}  // namespace paddock::store
