#include "controller/app/migrate_store.h"

#include <string>

#include "common/base/log.h"
#include "common/base/random.h"
#include "common/base/time.h"
#include "controller/app/database.h"

namespace paddock::app {

Status migrate_store(const Config& config, store::MoveTo to) {
  SystemRandom random;
  const bool to_database = to == store::MoveTo::kPostgres;
  ASSIGN_OR_RETURN(const store::PostgresOptions postgres, postgres_options(config, random));
  ASSIGN_OR_RETURN(const store::Moved moved, store::move_store(to, {store_file(config), postgres},
                                                               SystemClock().wall(), random));
  int64_t rows = 0;
  for (const store::MovedTable& table : moved.tables) {
    log_info(
        "moved and compared",
        {{"table", table.name}, {"rows", std::to_string(table.rows)}, {"digest", table.digest}});
    rows += table.rows;
  }
  log_info(moved.tables.empty() ? "finished the move that was cut off" : "moved the store",
           {{"to", std::string(store::word_of(to))},
            {"rows", std::to_string(rows)},
            {"former_store", to_database ? moved.kept : "the database's paddock_moved_away"},
            {"next", to_database ? "start the controller, with store.postgres as it is now"
                                 : "remove store.postgres from the configuration, then start it"}});
  return {};
}

}  // namespace paddock::app
