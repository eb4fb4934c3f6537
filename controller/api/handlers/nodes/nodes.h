// Nodes: removal, the agent's held call, and the files of the runs that a node holds.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

// What the agent's protocol is (common/contracts/protocol.h), and ours in an answer to it.
Result<int64_t> agent_protocol(const Request& request);
void say_protocol(Response& response);

Result<Response> delete_node(Call& call);
// Refuses an agent that speaks another protocol, and records that at its node. Otherwise it stores
// at once what the node observes, and holds the answer until something changes for the node.
Result<Response> synchronize_node(Call& call);
Result<Response> node_run_tree(Call& call);
Result<Response> node_run_blob(Call& call);
Result<Response> node_run_blobs(Call& call);  // many small ones in one answer
Result<Response> node_run_artifact(Call& call);
// Which of the artifacts that were sent are finished, while the run lives.
Result<Response> node_run_finished(Call& call);

}  // namespace paddock::api
