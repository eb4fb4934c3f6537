// Who this agent is: files in the data folder, readable by the agent alone. Beside those of
// common/client/node_identity.h:
//   generation   of the newest agent process; grows even if the clock goes back
//   agent.json   the running process, for people and `paddock status`
#pragma once

#include <map>
#include <string>

#include "common/base/random.h"
#include "common/base/time.h"
#include "common/client/controller_client.h"

namespace paddock::agent {

struct NodeIdentity {
  std::string name;
  std::map<std::string, std::string> labels;
  std::string server;
  std::string data_dir;
  std::string enroll_token_file;  // for the first start
};

// Enrols with the token of enrollTokenFile and stores the credential. ENROLL_TOKEN_MISSING where
// there is no token.
Result<std::string> enroll(const NodeIdentity& node, const http::Endpoint& endpoint,
                           Random& random);
// The generation of this process, on disk before it is used.
Result<int64_t> take_generation(const std::string& data_dir, WallTime now);
Status write_agent_file(const NodeIdentity& node, const std::string& nonce);

}  // namespace paddock::agent
