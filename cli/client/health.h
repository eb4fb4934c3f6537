// Looks at an instance, or at a controller elsewhere, as it is right now.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/client/connection.h"
#include "common/contracts/readiness.h"

namespace paddock::cli {

struct NodeHealth {
  std::string name;
  bool ready = false;
  bool open = false;                        // it is ready and begins new runs
  std::string message;                      // why not
  std::vector<std::string> closed_by = {};  // as lists of nodes say it: DiskFull
};
// Reads a Node as the API shows it. Pure.
NodeHealth node_health(const wire::Value& node);
// `gpu-2 ready, DiskFull: its disk is full`.
std::string node_text(const NodeHealth& node);

struct Health {
  std::string instance;  // empty for a controller elsewhere
  std::string url;
  std::optional<InstancePointer> pointer;    // of an instance on this host
  std::string no_pointer;                    // why it is not known whether there is one
  std::optional<InstanceSettings> settings;  // likewise
  bool controller_alive = false;
  bool agent_alive = false;
  bool controller_ready = false;
  std::vector<NodeHealth> nodes;
  bool nodes_listed = false;
  std::string nodes_hidden;  // why this caller is not shown them; the controller alone decides then
  wire::Value runs;          // how many in each phase, and `ended`; null where that is not known
  std::string no_runs;       // why not
  wire::Value stored;        // by namespace: {bytes, quota}; null where the controller does not say
  // {reason, message} where something fails: files for want of room, secrets of runs for want of
  // their key, all placing of runs for want of what cannot be read; else null.
  wire::Value files;
  wire::Value secrets;
  wire::Value scheduling;
  std::string reason;                                   // why not ready
  wire::Value readiness = contracts::readiness(false);  // what GET /readyz said

  // How far the controller's clock is ahead of this host's, once it answered; until then,
  // controller_error says why it did not.
  std::optional<Millis> clock_gap;
  std::optional<Error> controller_error;

  // Whether it can take work: the controller answers, and a node is there that begins runs.
  bool ready() const;
};

// Never fails: what cannot be found out is the reason.
Health gather_health(const ConnectionOptions& options, const Env& env);
// The answer of GET /readyz within `timeout`.
struct Ready {
  Status status;  // see readiness_of()
  wire::Value said = contracts::readiness(false);
  std::optional<Millis> clock_gap = {};  // absent: it did not answer
};
Ready ask_ready(const http::Endpoint& endpoint, Millis timeout);
// The meaning of that answer: an error unless it is 200, the one that it names or else
// CONTROLLER_NOT_READY. Pure.
Status readiness_of(int http_status, const wire::Value& said);
// The same as ask_ready(), with what the controller says of why to who has a token.
Status check_ready(const http::Endpoint& endpoint, Millis timeout);
// Whether it is there and does what frees something, and nothing else: STORE_FULL.
bool serves_on_full_disk(const http::Endpoint& endpoint);
// Why it cannot, as far as the nodes say it; empty while one of them can.
std::string why_no_node(const Health& health);
wire::Value ready_document(const Health& health);

}  // namespace paddock::cli
