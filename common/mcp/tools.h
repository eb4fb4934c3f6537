// The MCP tools by which an agent uses the public API: sandbox sessions (create, run shell
// commands, write and read files), workspaces of files that it sends, and runs that outlive it.
// Whatever takes long has a name that outlives the call, the connection and the agent.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/base/units.h"
#include "common/contracts/artifact.h"
#include "common/contracts/tree.h"
#include "common/mcp/protocol.h"

namespace paddock::mcp {

// The API as its tools need it. Errors are the API's own.
class Api {
 public:
  virtual ~Api() = default;
  struct Ask {
    std::string method = "GET";
    std::string target;
    wire::Value body = {};    // null: none
    std::string key = {};     // makes a POST safe to repeat
    Millis patience{30'000};  // zero: as long as it takes
  };
  virtual Result<wire::Value> send(const Ask& ask) = 0;
  // The same API for another thread, which asks while this one waits for an answer.
  virtual std::unique_ptr<Api> beside() = 0;
  // From another thread: what waits for a server now fails, and whatever comes after it.
  virtual void give_up() {}
  // Bytes as they are.
  virtual Result<wire::Value> put(const std::string& target, const std::string& bytes) = 0;
  // A part of the answer to a GET: at most `limit` bytes behind the first `from`.
  struct Part {
    std::string bytes;
    bool more = false;  // something follows
    bool json = false;  // it is a document
  };
  virtual Result<Part> read(const std::string& target, int64_t from, size_t limit) = 0;
  // Stores a folder of the caller's host as a workspace; only where the server runs beside the
  // files. `run`: what they are for; if it would be refused, that is said before they are sent.
  struct LeftOut {
    std::vector<contracts::LeftOut> told;  // secrets first; the rest are only counted
    size_t count = 0;
    size_t secrets = 0;
  };
  struct Uploaded {
    std::string workspace;
    contracts::Digest root;  // of the files as they were read
    LeftOut left_out;
  };
  virtual bool has_folders() const = 0;
  // The files that `upload` would leave out.
  virtual Result<LeftOut> left_out_of(const std::string& folder) = 0;
  virtual Result<Uploaded> upload(const std::string& name_space, const std::string& folder,
                                  const wire::Value& run) = 0;
  // Between two looks at a run. False: do not go on.
  virtual bool pause(Millis time) = 0;
};

inline constexpr int64_t kMostWaitSeconds = 45;     // clients give up after a minute
inline constexpr int64_t kMostSnippetSeconds = 20;  // or after half of one
inline constexpr int64_t kMostListed = 50;

// `name_space`: where everything happens.
Server make_server(Api& api, const std::string& name_space, const std::string& version);

}  // namespace paddock::mcp
