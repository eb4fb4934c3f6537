#include "controller/api/handlers/runs/pool_reports.h"

#include "common/contracts/names.h"
#include "common/contracts/pool_report.h"
#include "controller/api/server/documents.h"
#include "controller/runs/pool_words.h"
#include "controller/store/run_writes.h"

namespace paddock::api {

Result<Response> put_pool_report(Call& call) {
  ASSIGN_OR_RETURN(const auto report, wire::decode<contracts::PoolReport>(call.body));
  constexpr size_t kLongestPoolName = 32;
  const std::string& pool = call.param("pool");
  if (!contracts::is_dns_label(pool) || pool.size() > kLongestPoolName)
    return invalid_argument("INVALID_FIELD", "a pool's name is a DNS label of at most 32", "pool");
  TRY(call.services.store.write([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(contracts::Run run, txn.get<contracts::Run>(call.key()));
    ASSIGN_OR_RETURN(runs::Events events, runs::hear_pool(run, pool, report, call.now()));
    return events.empty() ? Status() : store::save_run(txn, run, std::move(events));
  }));
  return json_response(wire::Value::Object{});
}

}  // namespace paddock::api
