// How changes of phase are found.
#pragma once

#include "controller/store/records.h"

namespace paddock::store::sql {

// A literal, for what the query names: ?1 and ?2 are the object and the event after which it goes
// on, ?3 the limit; then the namespace, if the query has one, and the name of the run.
const char* phase_statement(const PhaseQuery& query);

}  // namespace paddock::store::sql
