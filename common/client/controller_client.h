// The controller's API, typed. For the CLI and the agent; one object per thread.
// Errors carry the server's own code and reason. Only requests that are safe to repeat are retried,
// with back-off; synchronize() never is: the agent's sync loop decides that.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/guarded.h"
#include "common/base/parallel.h"
#include "common/base/random.h"
#include "common/cas/tree.h"
#include "common/client/interruptible_pause.h"
#include "common/client/left_out.h"
#include "common/client/retry.h"
#include "common/contracts/calls.h"
#include "common/contracts/events.h"
#include "common/contracts/execute.h"
#include "common/contracts/finished_artifacts.h"
#include "common/contracts/node.h"
#include "common/contracts/run.h"
#include "common/contracts/sync.h"
#include "common/contracts/workspace.h"
#include "common/http/http_client.h"
#include "common/os/file.h"

namespace paddock::client {

struct UploadProgress {
  int64_t blobs_total = 0, blobs_sent = 0;
  int64_t bytes_total = 0, bytes_sent = 0;
};

// What of an upload waits for a question whose answer may make the rest needless. It is asked once
// the first offer has shown that files are missing, so nobody is asked where nothing is to be sent.
struct UploadGate {
  std::function<bool(const contracts::TreeEntry&)> first;  // sent before it is asked; none if empty
  std::function<Status()> ask;  // the upload ends with its error, and the rest is not sent
};

// How much of each object an answer tells: all, a row of the server's table, or its metadata.
enum class ListForm { kObjects, kTable, kMetadata };

class ControllerClient {
 public:
  // `patience`: how long a request that may be repeated is sent again while nobody answers it.
  // No pause is longer than what is left of it. Given none: a few times.
  explicit ControllerClient(http::Endpoint endpoint, std::optional<Millis> patience = {});
  ~ControllerClient();
  ControllerClient(const ControllerClient&) = delete;
  ControllerClient& operator=(const ControllerClient&) = delete;
  // How uploads run their lanes; one after the other unless set, as nothing here starts threads.
  void set_parallel(Parallel parallel) { parallel_ = std::move(parallel); }
  // Whether uploads are compressed where that makes them smaller and the server takes it; unless
  // set, when the server is on another host.
  void set_compress(bool compress) { compress_ = compress; }

  // Called once, when the first few tries are over and it goes on trying: from any lane.
  void set_on_waiting(std::function<void(const Error&)> tell) { on_waiting_ = std::move(tell); }

  // By a connection of the caller's, again by the rule of every other request, but not once a piece
  // of its answer was handed on. An answer other than 2xx is an error.
  Result<http::Response> send_by(http::Client& http, const http::Request& request);

  // --- any resource, as documents (what `paddock get` prints) ---
  Result<wire::Value> get(const std::string& target, ListForm form = ListForm::kObjects);
  Result<wire::Value> send(const std::string& method, const std::string& target,
                           const wire::Value& body, const std::string& idempotency_key = {});
  // For patches that come to the same when they are done twice, as those by merge and apply do.
  Result<wire::Value> patch(const std::string& target, const std::string& media_type,
                            const wire::Value& body);
  // Reads a list, `target` with its query if it has one, in parts, and hands each on: no answer
  // grows with how much there is. What is too large for one is asked for in smaller ones. The first
  // error of `take` ends it.
  using TakePage = std::function<Status(wire::Value& page)>;
  Status list(const std::string& target, ListForm form, const TakePage& take);
  // Follows the changes of a list, `target` with its query, from behind `version`. Reconnects as
  // follow_events does. `type` is ADDED, MODIFIED or DELETED. Only the first table names its
  // columns. Gone: list again, too much has changed since. Returns once `on_change` returned false.
  using OnChange = std::function<bool(std::string_view type, const wire::Value& object)>;
  Status follow_objects(const std::string& target, const std::string& version, Millis patience,
                        const OnChange& on_change, ListForm form = ListForm::kObjects);

  // --- runs ---
  Result<contracts::Run> create_run(const contracts::Run& run, const std::string& idempotency_key);
  // Asks with which error create_run() would be refused once its workspace has these files; nothing
  // is made. A controller of an earlier release that cannot be asked refuses nothing here.
  Status try_run(const std::string& name_space, wire::Value run, const contracts::Tree& tree);
  Result<contracts::Run> get_run(const std::string& name_space, const std::string& name);
  // `at_once`: it is killed, without what its grace leaves it.
  Status cancel_run(const std::string& name_space, const std::string& name, bool at_once = false);
  // Follows a run's events from after `after`. Reconnects where the stream broke, with back-off,
  // for at most `patience` without any answer; then Unavailable, reason STREAM_LOST. Returns once
  // `end` was seen (after handing it on) or `on_event` returned false.
  Status follow_events(const std::string& name_space, const std::string& name, int64_t after,
                       Millis patience,
                       const std::function<bool(const contracts::RunEvent&)>& on_event);
  // The same of the end of a run's output: events from the one in which it begins on, of which the
  // first has the rest of its data alone. False, with nothing handed on, of a controller of an
  // earlier release, which has no such events.
  struct LogPart {
    std::optional<int64_t> tail_lines = {};
    std::optional<int64_t> since_seconds = {};
  };
  Result<bool> follow_log(const std::string& name_space, const std::string& name,
                          const LogPart& part, Millis patience,
                          const std::function<bool(const contracts::RunEvent&)>& on_event);
  // Saves one artifact to a file, verified against its digest, renamed into place when whole.
  Status download_artifact(const std::string& name_space, const std::string& run,
                           const contracts::Artifact& artifact, int folder,
                           const std::string& relative);

  // Runs a snippet. Never sent twice; who hangs up ends it.
  Result<contracts::ExecuteAnswer> execute(const contracts::ExecuteRequest& request);

  // --- workspaces ---
  using Report = std::function<void(const UploadProgress&)>;
  // Creates the workspace if needed, sends what the server lacks (several lanes) and compares the
  // root it answers with ours (ROOT_MISMATCH). FILE_CHANGED: a file is not what it was when it was
  // scanned. `progress` is called from the lanes, one call at a time.
  Result<UploadProgress> upload_workspace(const std::string& name_space, const std::string& name,
                                          const std::string& folder, const cas::Scan& scan,
                                          const Report& progress, const UploadGate& gate = {});

  // --- agent ---
  Result<contracts::EnrollAnswer> enroll(const std::string& node,
                                         const contracts::EnrollRequest& request);
  // The node's next credential; asking again replaces one that was not used.
  Result<std::string> next_credential(const std::string& node);
  Status leave(const std::string& node, bool force);
  Result<contracts::SyncAnswer> synchronize(const std::string& node,
                                            const contracts::SyncRequest& request);
  Result<contracts::CallsAnswer> exchange_calls(const std::string& node,
                                                const contracts::CallsRequest& request);
  Result<contracts::Tree> fetch_tree(const std::string& node, const std::string& run_uid,
                                     const std::string& volume = "");
  Result<contracts::ToolBundle> run_tool_bundle(const std::string& node,
                                                const std::string& run_uid);
  // The secret of a tool token for the environment of a run's attempt.
  Result<std::string> run_tool_token(const std::string& node, const std::string& run_uid,
                                     int64_t attempt);
  // The values of Secrets for a run's attempt.
  Result<contracts::RunSecretsAnswer> run_secrets(const std::string& node,
                                                  const std::string& run_uid, int64_t attempt);
  Status fetch_blob(const std::string& node, const std::string& run_uid, const std::string& digest,
                    int64_t size, const cas::BlobStore& store);
  // Stores those of `missing` that come in one answer, and leaves those that did not. These are
  // asked for by themselves, as all are of a controller that knows no such answers: NotFound.
  Status fetch_bundle(const std::string& node, const std::string& run_uid,
                      std::vector<const contracts::TreeEntry*>& missing,
                      const cas::BlobStore& store);
  Status upload_artifact(const std::string& node, const std::string& run_uid, int fd,
                         const contracts::Artifact& artifact);
  // Names files that were sent as finished. BLOB_NOT_FOUND: one of them is not there.
  Status name_finished(const std::string& node, const std::string& run_uid,
                       const contracts::FinishedArtifacts& finished);

  // How far the controller's clock is ahead of this host's, as its latest answer had it; zero if it
  // did not say.
  Millis clock_gap() const { return Millis(clock_gap_ms_.load()); }

  Servers servers() const { return http::servers_of(endpoint_); }

  void abort();  // ends a call in progress from another thread

 private:
  friend class EventFollower;
  friend class ObjectFollower;

  // Waits for the next try; false: there is none.
  bool wait_for_next(Patience& asking, const Failure& failure, bool repeatable);
  // One attempt; an answer other than 2xx is a failure.
  Result<http::Response> once(http::Client& http, const http::Request& request, Failure& failure);
  // Repeats what may be repeated. `keyed`: doing it twice is the same as once.
  Result<http::Response> call(http::Client& http, http::Request request, bool keyed);
  Result<wire::Value> call_json(http::Request request, bool keyed);
  Result<wire::Value> call_once(const http::Request& request);  // what must not be repeated
  // Repeats `attempt`, which starts anew each time, like a GET: with the time that it has.
  using Attempt = std::function<Status(std::optional<Millis> time, Failure& failure)>;
  Status repeat(const Attempt& attempt);

  Result<contracts::CallsAnswer> exchange_calls_once(const std::string& node,
                                                     const contracts::CallsRequest& request);
  Result<contracts::SyncAnswer> synchronize_once(const std::string& node,
                                                 const contracts::SyncRequest& request);
  Status ensure_workspace(const std::string& name_space, const std::string& name,
                          const std::string& source);
  // Whether the workspace has this tree already, whole.
  Result<bool> has_tree(const std::string& workspace, const cas::Digest& root);
  Result<contracts::TreeAnswer> offer_tree(const std::string& workspace,
                                           const contracts::Tree& tree);
  struct BlobTarget {
    int root;                                 // folder of the files
    const std::map<std::string, int>& added;  // see cas::Scan
    std::string workspace;
    bool compress;
    bool bundle;                                            // small ones go together
    std::function<void(int64_t sent, int64_t of)> on_sent;  // of a body
  };
  using Blobs = std::vector<const contracts::TreeEntry*>;
  using Send = std::function<Status(const http::Request&)>;
  static Result<os::RegularFile> open_blob(const contracts::TreeEntry& blob,
                                           const BlobTarget& target);
  static Status send_blob(const contracts::TreeEntry& blob, const BlobTarget& target,
                          const Send& send);
  static Status send_bundle(const Blobs& blobs, const BlobTarget& target, const Send& send);
  static Status send_together(const Blobs& blobs, const BlobTarget& target, const Send& send);
  Status send_blobs(const BlobTarget& target, const std::vector<contracts::TreeEntry>& blobs,
                    UploadProgress& progress, const Report& report);
  Status send_missing(const BlobTarget& target, const std::vector<contracts::TreeEntry>& blobs,
                      UploadProgress& done, const Report& report, const UploadGate& gate);
  std::shared_ptr<http::Client> new_lane();

  FieldPaths left_out_;  // by synchronize() or exchange_calls(): a client makes one of them
  const std::optional<Millis> patience_;
  std::function<void(const Error&)> on_waiting_;
  std::atomic<bool> told_waiting_{false};
  http::Endpoint endpoint_;
  std::unique_ptr<http::Client> http_;
  std::atomic<int64_t> clock_gap_ms_{0};  // written by every lane
  Parallel parallel_;
  bool compress_;
  SystemRandom random_;
  InterruptiblePause pause_;
  Guarded<std::vector<std::weak_ptr<http::Client>>> lanes_;  // for abort()
};

}  // namespace paddock::client
