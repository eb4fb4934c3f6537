// The requests to the controller that one run needs. One object per thread of use; abort() from
// any.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/cas/blob_store.h"
#include "common/contracts/finished_artifacts.h"
#include "common/contracts/run.h"

namespace paddock::executor {

// The token and URL with which a run's command can call the controller.
struct RunCredential {
  std::string token;
  std::string controller_url;
  std::string ca_pem = {};                  // of the controller; empty: the system's
  std::vector<std::string> addresses = {};  // that its name leads to from here
};

class RunTransport {
 public:
  virtual ~RunTransport() = default;
  // The workspace's, or that of one of the run's volumes.
  virtual Result<contracts::Tree> fetch_tree(const std::string& run_uid,
                                             const std::string& volume) = 0;
  virtual Status fetch_blob(const std::string& run_uid, const std::string& digest, int64_t size,
                            const cas::BlobStore& store) = 0;
  // Fetches as many of these blobs as come in one answer, and leaves those that did not: they are
  // fetched by themselves.
  virtual Status fetch_bundle(const std::string& run_uid,
                              std::vector<const contracts::TreeEntry*>& missing,
                              const cas::BlobStore& store) {
    (void)run_uid, (void)missing, (void)store;
    return {};
  }
  virtual Status upload_artifact(const std::string& run_uid, int fd,
                                 const contracts::Artifact& artifact) = 0;
  // Says that they are finished, while the run lives. BLOB_NOT_FOUND: one was not sent.
  virtual Status name_finished(const std::string& run_uid,
                               const contracts::FinishedArtifacts& finished) = 0;
  // A tool token for this attempt's environment; the one before it ends.
  virtual Result<RunCredential> tool_token(const std::string& run_uid, int64_t attempt) {
    (void)run_uid, (void)attempt;
    return Error{Code::kFailedPrecondition, "TOOL_TOKEN_NOT_WANTED", "there are no tool tokens"};
  }
  // The run's tool bundle, as it was sent.
  virtual Result<contracts::ToolBundle> tool_bundle(const std::string& run_uid) {
    (void)run_uid;
    return Error{Code::kNotFound, "TOOL_BUNDLE_NOT_FOUND", "there are no tool bundles"};
  }
  // The values of Secrets that this attempt gets.
  virtual Result<contracts::RunSecretsAnswer> secrets(const std::string& run_uid, int64_t attempt) {
    (void)run_uid, (void)attempt;
    return Error{Code::kNotFound, "SECRET_NOT_FOUND", "there are no secrets"};
  }
  virtual void abort() = 0;  // ends the call in progress and all later ones
};

using TransportFactory = std::function<std::unique_ptr<RunTransport>()>;

}  // namespace paddock::executor
