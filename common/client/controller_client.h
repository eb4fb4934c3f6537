// The controller's API, typed. For the CLI and the agent; one object per thread.
// Errors carry the server's own code and reason. Only requests that are safe to repeat are retried.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/cas/tree.h"
#include "common/contracts/events.h"
#include "common/contracts/run.h"
#include "common/contracts/session.h"
#include "common/http/http_client.h"

namespace paddock::client {

struct UploadProgress {
  int64_t blobs_total = 0, blobs_sent = 0;
  int64_t bytes_total = 0, bytes_sent = 0;
};

class ControllerClient {
 public:
  explicit ControllerClient(http::Endpoint endpoint);
  ~ControllerClient();

  // --- any resource, as documents (what `paddock get` prints) ---
  Result<wire::Value> get(const std::string& target);
  Result<wire::Value> send(const std::string& method, const std::string& target, const wire::Value& body,
                           const std::string& idempotency_key = {});

  // --- runs ---
  Result<contracts::Run> create_run(const contracts::Run& run, const std::string& idempotency_key);
  Result<contracts::Run> get_run(const std::string& name_space, const std::string& name);
  Status cancel_run(const std::string& name_space, const std::string& name);
  // Follows a run's events from after `after`. Reconnects where the stream broke, with back-off, for at
  // most `patience` without any answer; then Unavailable, reason STREAM_LOST. Returns once `end` was
  // seen (after handing it on) or `on_event` returned false.
  Status follow_events(const std::string& name_space, const std::string& name, int64_t after, Millis patience,
                       const std::function<bool(const contracts::RunEvent&)>& on_event);
  // Saves one artifact to a file, verified against its digest, renamed into place when whole.
  Status download_artifact(const std::string& name_space, const std::string& run, const contracts::Artifact& artifact,
                           int folder, const std::string& relative);

  // --- workspaces ---
  // Creates the workspace if needed, sends what the server lacks (several lanes) and compares the root
  // it answers with ours (ROOT_MISMATCH).
  Result<UploadProgress> upload_workspace(const std::string& name_space, const std::string& name, const std::string& folder,
                                          const cas::Scan& scan, const std::function<void(const UploadProgress&)>& progress);

  // --- agent ---
  Result<contracts::EnrollAnswer> enroll(const std::string& node, const contracts::EnrollRequest& request);
  Result<contracts::SyncAnswer> synchronize(const std::string& node, const contracts::SyncRequest& request);
  Result<contracts::Tree> fetch_tree(const std::string& node, const std::string& run_uid);
  Status fetch_blob(const std::string& node, const std::string& run_uid, const std::string& digest, int64_t size,
                    const cas::BlobStore& store);
  Status upload_artifact(const std::string& node, const std::string& run_uid, int fd, const contracts::Artifact& artifact);

  void abort();  // ends a call in progress from another thread

 private:
  http::Endpoint endpoint_;
  std::unique_ptr<http::Client> http_;
};

}  // namespace paddock::client
