#include "controller/standby/takeover_faults.h"

namespace paddock::standby {

bool all_lack_it(const Error& error) {
  return is_one_of(error.reason,
                   {"STORE_FULL", "STORE_OUTCOME_UNKNOWN", "BUCKET_BUSY", "BUCKET_UNREACHABLE",
                    "BUCKET_SLOW", "BUCKET_FAILED", "BUCKET_FULL"});
}

bool may_pass(const Error& error) {
  return all_lack_it(error) ||
         is_one_of(error.reason, {"STORE_AWAY", "STORE_BUSY", "STORE_IO", "STORE_LOCKED",
                                  "STORE_READ_ONLY", "NOT_LEADER", "STORE_SCHEMA_TOO_NEW"});
}

}  // namespace paddock::standby
