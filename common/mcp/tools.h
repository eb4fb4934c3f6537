// What an agent can do here, as MCP tools over the public API: start a command on a node, wait for
// it a while, read its output, cancel it, fetch what it left; plan, and see what nodes can do.
// Whatever takes long has a name that outlives the call, the connection and the agent.
#pragma once

#include "common/base/units.h"
#include "common/contracts/tree.h"
#include "common/mcp/protocol.h"

namespace paddock::mcp {

// The API as its tools need it. Errors are the API's own.
class Api {
 public:
  virtual ~Api() = default;
  // A document; `key` makes a POST safe to repeat.
  virtual Result<wire::Value> send(const std::string& method, const std::string& target,
                                   const wire::Value& body, const std::string& key) = 0;
  // At most `limit` bytes of what a GET answers; more is cut and said so.
  struct Text {
    std::string bytes;
    bool truncated = false;
  };
  virtual Result<Text> read(const std::string& target, size_t limit) = 0;
  // Stores a folder of the caller's host as a workspace; only where the server runs beside the
  // files.
  struct Uploaded {
    std::string workspace;
    contracts::Digest root;  // of the files as they were read
  };
  virtual bool has_folders() const = 0;
  virtual Result<Uploaded> upload(const std::string& name_space, const std::string& folder) = 0;
  // Between two looks at a run. False: do not go on.
  virtual bool pause(Millis time) = 0;
};

inline constexpr int64_t kMostWaitSeconds = 45;  // clients give up after a minute
inline constexpr size_t kMostText = 64 << 10;    // of an output or a file in one answer
inline constexpr int64_t kMostListed = 100;

// `name_space`: where everything happens.
Server make_server(Api& api, const std::string& name_space, const std::string& version);

}  // namespace paddock::mcp
