#include "controller/api/handlers/runs/run_call.h"

namespace paddock::api {

Result<wire::Value> ask_agent_of(const Call& call, const contracts::Run& run,
                                 calls::CallOptions options) {
  options.caller = call.principal.subject;
  options.name_space = call.principal.name_space;
  options.node = run.status.node_name;
  options.arrival_patience = call.services.node_patience;
  options.client = call.request.client;
  return call.services.calls->call(std::move(options), call.services.clock, call.services.random);
}

}  // namespace paddock::api
