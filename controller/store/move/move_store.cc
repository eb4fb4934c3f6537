#include "controller/store/move_store.h"

#include <optional>
#include <utility>

#include "common/base/text.h"
#include "common/os/file.h"
#include "controller/store/move/copy.h"
#include "controller/store/move/database_side.h"
#include "controller/store/move/file_side.h"
#include "controller/store/move/marker.h"

namespace paddock::store::move {

namespace {

Result<Moved> finish_at_database(const MovePlaces& places, WallTime now) {
  Moved out;
  ASSIGN_OR_RETURN(out.kept, put_aside(places.file, now));
  TRY(remove_marker(places.file));
  return out;
}

Result<Moved> finish_at_file(const MovePlaces& places) {
  TRY(take_place(places.file));
  TRY(remove_marker(places.file));
  return Moved();
}

// Settles an earlier move that was interrupted: either it turns out to be complete, or nothing of
// it was done.
Result<std::optional<Moved>> resume(MoveTo to, const MovePlaces& places, WallTime now) {
  ASSIGN_OR_RETURN(const auto marker, read_marker(places.file));
  if (!marker) return std::optional<Moved>();
  if (marker->to != to) return check_not_moving(places.file).error();
  ASSIGN_OR_RETURN(const os::LockFile lock, lock_file(places.file));
  const bool to_database = to == MoveTo::kPostgres;
  ASSIGN_OR_RETURN(const bool committed, to_database ? has_brought(places.postgres, marker->id)
                                                     : has_taken(places.postgres, marker->id));
  if (!committed) {
    TRY(remove_marker(places.file));
    return std::optional<Moved>();
  }
  ASSIGN_OR_RETURN(Moved done,
                   to_database ? finish_at_database(places, now) : finish_at_file(places));
  return std::optional(std::move(done));
}

// Once nothing of it was committed, nothing needs to be finished.
Status commit_or_forget(postgres::Connection& db, const std::string& file) {
  Status committed = commit(db);
  if (committed.ok() || committed.error().reason == "STORE_OUTCOME_UNKNOWN") return committed;
  TRY(remove_marker(file));
  return committed;
}

Result<Moved> to_database(const MovePlaces& places, WallTime now, const std::string& id) {
  ASSIGN_OR_RETURN(sqlite::OpenedFile source, open_source(places.file));
  ASSIGN_OR_RETURN(const Database target, begin_at(places.postgres, id));
  TRY(make_tables(*target));
  ASSIGN_OR_RETURN(Inventory copied, copy_all(*source.writer, *target));
  TRY(put_given(*target, copied.given));
  TRY(name_holder(*target, places.postgres));
  ASSIGN_OR_RETURN(const Inventory arrived, take_stock(*target));
  TRY(compare(copied, arrived));
  TRY(source.writer->execute("ROLLBACK"));
  source.writer.reset();
  TRY(mark_brought(*target, id));
  TRY(target->finish());
  TRY(write_marker(places.file, {MoveTo::kPostgres, id}));
  TRY(commit_or_forget(*target, places.file));
  ASSIGN_OR_RETURN(Moved done, finish_at_database(places, now));
  done.tables = std::move(copied.tables);
  return done;
}

// All rows, to a file that is closed and on the disk afterwards.
Result<Inventory> fill_file(const std::string& file, postgres::Connection& source) {
  ASSIGN_OR_RETURN(const auto target, make_target(file));
  ASSIGN_OR_RETURN(Inventory copied, copy_all(source, *target));
  TRY(put_given(*target, copied.given));
  ASSIGN_OR_RETURN(const Inventory arrived, take_stock(*target));
  TRY(compare(copied, arrived));
  TRY(target->execute("COMMIT"));
  return copied;
}

// Makes the file the store, and marks the database as moved away.
Status hand_over(postgres::Connection& source, const MovePlaces& places, const std::string& id) {
  TRY(mark_taken(source, id, cat(places.file, " by ", places.postgres.holder_name)));
  TRY(source.finish());
  TRY(write_marker(places.file, {MoveTo::kSqlite, id}));
  return commit_or_forget(source, places.file);
}

Result<Moved> to_file(const MovePlaces& places, const std::string& id) {
  ASSIGN_OR_RETURN(const os::LockFile lock, lock_file(places.file));
  ASSIGN_OR_RETURN(const Database source, begin_at(places.postgres, id));
  TRY(hold_source(*source, places.postgres));
  auto copied = fill_file(places.file, *source);
  const Status handed = copied.ok() ? hand_over(*source, places, id) : Status(copied.error());
  if (!handed.ok() && handed.error().reason != "STORE_OUTCOME_UNKNOWN") remove_target(places.file);
  TRY(handed);
  ASSIGN_OR_RETURN(Moved done, finish_at_file(places));
  done.tables = std::move(copied->tables);
  return done;
}

Result<Moved> move_all(MoveTo to, const MovePlaces& places, WallTime now, Random& random) {
  ASSIGN_OR_RETURN(std::optional<Moved> earlier, resume(to, places, now));
  if (earlier) return std::move(*earlier);
  const std::string id = make_uuid(random);
  return to == MoveTo::kPostgres ? to_database(places, now, id) : to_file(places, id);
}

}  // namespace

}  // namespace paddock::store::move

namespace paddock::store {

Result<Moved> move_store(MoveTo to, const MovePlaces& places, WallTime now, Random& random) {
  return move::move_all(to, places, now, random);
}

}  // namespace paddock::store
