#include "controller/app/migrate_store.h"

#include <string>

#include "common/base/log.h"
#include "common/base/random.h"
#include "common/base/text.h"
#include "common/base/time.h"
#include "common/os/file.h"
#include "controller/app/database.h"
#include "controller/app/shared_files.h"
#include "controller/store/lead_watch.h"

namespace paddock::app {

Status check_may_move(const Config& config, store::MoveTo to) {
  if (!os::exists(config.data_dir))
    return invalid_argument("CONFIG_INVALID",
                            cat("is ", config.data_dir,
                                ", which is not there: name the data folder of the controller that "
                                "has the store (--data-dir, or its --config)"),
                            "dataDir");
  if (to == store::MoveTo::kPostgres) return {};
  ASSIGN_OR_RETURN(const store::PostgresOptions postgres, postgres_options_as_they_are(config));
  ASSIGN_OR_RETURN(const auto watch, store::LeadWatch::open(postgres));
  const Status own = check_is_folder_of(*watch, config);
  if (own.ok()) return {};
  return own.error().within(cat("moving the store to ", config.data_dir));
}

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
            {"data_folder", config.data_dir},
            {"former_store", to_database ? moved.kept : "the database's paddock_moved_away"},
            {"next", to_database ? "start the controller, with store.postgres as it is now"
                                 : "remove store.postgres from the configuration, then start it"}});
  return {};
}

}  // namespace paddock::app
