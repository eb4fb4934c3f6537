// A RunTransport that outlasts a controller restart: calls that may succeed later are made again,
// with back-off, until the run is stopped (then the last error is returned).
#pragma once

#include "common/base/random.h"
#include "node-agent/executor/stop_signal.h"
#include "node-agent/executor/transport.h"

namespace paddock::executor {

class RetryingTransport final : public RunTransport {
 public:
  // Gives up once the wish is at least `give_up`; calls are then aborted too.
  RetryingTransport(std::unique_ptr<RunTransport> inner, StopSignal& stop, StopKind give_up,
                    Random& random);
  Result<contracts::Tree> fetch_tree(const std::string& run_uid,
                                     const std::string& volume) override;
  Status fetch_blob(const std::string& run_uid, const std::string& digest, int64_t size,
                    const cas::BlobStore& store) override;
  Status fetch_bundle(const std::string& run_uid, std::vector<const contracts::TreeEntry*>& missing,
                      const cas::BlobStore& store) override;
  Status upload_artifact(const std::string& run_uid, int fd,
                         const contracts::Artifact& artifact) override;
  Status name_finished(const std::string& run_uid,
                       const contracts::FinishedArtifacts& finished) override;
  Result<RunCredential> tool_token(const std::string& run_uid, int64_t attempt) override;
  Result<contracts::ToolBundle> tool_bundle(const std::string& run_uid) override;
  Result<contracts::RunSecretsAnswer> secrets(const std::string& run_uid, int64_t attempt) override;
  void abort() override { inner_->abort(); }

 private:
  template <class Call>
  auto retry(Call call);
  std::unique_ptr<RunTransport> inner_;
  StopSignal& stop_;
  StopKind give_up_;
  Random& random_;
  StopSignal::Watch watch_;
};

}  // namespace paddock::executor
