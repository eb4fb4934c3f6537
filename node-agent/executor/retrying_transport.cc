#include "node-agent/executor/retrying_transport.h"

#include <algorithm>

#include "common/base/backoff.h"
#include "common/contracts/node.h"
#include "common/contracts/status.h"

namespace paddock::executor {

RetryingTransport::RetryingTransport(std::unique_ptr<RunTransport> inner, StopSignal& stop,
                                     StopKind give_up, Random& random)
    : inner_(std::move(inner)),
      stop_(stop),
      give_up_(give_up),
      random_(random),
      watch_(stop, give_up, [this] { inner_->abort(); }) {}

namespace {

bool is_of_server(const Error& error) {
  return std::ranges::any_of(
      error.facts, [](const auto& fact) { return fact.first == contracts::kServerFailed; });
}

// Whether a request may succeed later. Any failure of the server itself may pass, whatever it calls
// it: a disk of its own is not this host's, whose errors do not pass. Nor does a blob that is
// damaged.
bool may_pass(const Error& error) {
  if (error.reason == "BLOB_DAMAGED") return false;
  if (is_of_server(error)) return true;
  return retryable(error.code) && !contracts::is_host_fault(contracts::name_full_disk(error));
}

}  // namespace

template <class Call>
auto RetryingTransport::retry(Call call) {
  for (int failed = 1;; ++failed) {
    auto result = call();
    if (result.ok() || !may_pass(result.error())) return result;
    if (stop_.wait(backoff(failed, random_), give_up_)) return result;
  }
}

Result<contracts::Tree> RetryingTransport::fetch_tree(const std::string& run_uid,
                                                      const std::string& volume) {
  return retry([&] { return inner_->fetch_tree(run_uid, volume); });
}

Status RetryingTransport::fetch_blob(const std::string& run_uid, const std::string& digest,
                                     int64_t size, const cas::BlobStore& store) {
  return retry([&] { return inner_->fetch_blob(run_uid, digest, size, store); });
}

Status RetryingTransport::fetch_bundle(const std::string& run_uid,
                                       std::vector<const contracts::TreeEntry*>& missing,
                                       const cas::BlobStore& store) {
  return retry([&] { return inner_->fetch_bundle(run_uid, missing, store); });
}

Status RetryingTransport::upload_artifact(const std::string& run_uid, int fd,
                                          const contracts::Artifact& artifact) {
  return retry([&] { return inner_->upload_artifact(run_uid, fd, artifact); });
}

Status RetryingTransport::name_finished(const std::string& run_uid,
                                        const contracts::FinishedArtifacts& finished) {
  return retry([&] { return inner_->name_finished(run_uid, finished); });
}

Result<RunCredential> RetryingTransport::tool_token(const std::string& run_uid, int64_t attempt) {
  return retry([&] { return inner_->tool_token(run_uid, attempt); });
}

Result<contracts::RunSecretsAnswer> RetryingTransport::secrets(const std::string& run_uid,
                                                               int64_t attempt) {
  return retry([&] { return inner_->secrets(run_uid, attempt); });
}

Result<contracts::ToolBundle> RetryingTransport::tool_bundle(const std::string& run_uid) {
  return retry([&] { return inner_->tool_bundle(run_uid); });
}

}  // namespace paddock::executor
