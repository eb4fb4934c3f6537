#include "controller/store/sql/phase_statement.h"

namespace paddock::store::sql {

// Each literal walks over runs in their order and over each one's phases by the partial index on
// them, past all output, and stops at the limit. SQLite sees that nothing is left to sort only if
// it is told which way to go, and begins where the page does only by `o.id >= ?1`: it joined and
// sorted all phases that were left for each page.
const char* phase_statement(const PhaseQuery& query) {
  if (query.name_space && !query.run_name.empty()) {
    return "SELECT o.id, o.namespace, o.name, o.uid, e.id, e.time_ms, e.data, "
           "coalesce(e.resource_version, 1) "
           "FROM objects o JOIN run_events e ON e.run_uid = o.uid AND e.type = 'phase' "
           "WHERE o.kind = 'Run' AND o.namespace = ?4 AND o.name = ?5 "
           "AND (o.id, e.id) > (?1, ?2) ORDER BY e.id LIMIT ?3";
  }
  if (query.name_space) {
    return "SELECT o.id, o.namespace, o.name, o.uid, e.id, e.time_ms, e.data, "
           "coalesce(e.resource_version, 1) "
           "FROM objects o INDEXED BY objects_newest "
           "JOIN run_events e ON e.run_uid = o.uid AND e.type = 'phase' "
           "WHERE o.kind = 'Run' AND o.namespace = ?4 AND o.id >= ?1 "
           "AND (o.id, e.id) > (?1, ?2) ORDER BY o.id, e.id LIMIT ?3";
  }
  return "SELECT o.id, o.namespace, o.name, o.uid, e.id, e.time_ms, e.data, "
         "coalesce(e.resource_version, 1) "
         "FROM objects o NOT INDEXED "
         "JOIN run_events e ON e.run_uid = o.uid AND e.type = 'phase' "
         "WHERE o.kind = 'Run' AND (?4 = '' OR o.name = ?4) AND o.id >= ?1 "
         "AND (o.id, e.id) > (?1, ?2) ORDER BY o.id, e.id LIMIT ?3";
}

}  // namespace paddock::store::sql
