// The controller's client in the shapes that the sync loop and the executor ask for.
#pragma once

#include "common/client/controller_client.h"
#include "node-agent/executor/transport.h"
#include "node-agent/sync/sync_loop.h"
#include "node-agent/uplink/clock_watch.h"
#include "node-agent/uplink/controller_addresses.h"

namespace paddock::agent {

class ClientSyncPort final : public sync::SyncPort {
 public:
  ClientSyncPort(http::Endpoint endpoint, std::string node, ClockWatch& clocks)
      : client_(std::move(endpoint)), node_(std::move(node)), clocks_(clocks) {}
  Result<contracts::SyncAnswer> synchronize(const contracts::SyncRequest& request) override {
    Result<contracts::SyncAnswer> answer = client_.synchronize(node_, request);
    if (answer) clocks_.look(client_.clock_gap());
    return answer;
  }
  void abort() override { client_.abort(); }

 private:
  client::ControllerClient client_;
  std::string node_;
  ClockWatch& clocks_;
};

class ClientTransport final : public executor::RunTransport {
 public:
  ClientTransport(http::Endpoint endpoint, std::string node)
      : endpoint_(endpoint), client_(std::move(endpoint)), node_(std::move(node)) {}
  Result<contracts::Tree> fetch_tree(const std::string& run_uid,
                                     const std::string& volume) override {
    return client_.fetch_tree(node_, run_uid, volume);
  }
  Status fetch_blob(const std::string& run_uid, const std::string& digest, int64_t size,
                    const cas::BlobStore& store) override {
    return client_.fetch_blob(node_, run_uid, digest, size, store);
  }
  Status fetch_bundle(const std::string& run_uid, std::vector<const contracts::TreeEntry*>& missing,
                      const cas::BlobStore& store) override {
    return client_.fetch_bundle(node_, run_uid, missing, store);
  }
  Status upload_artifact(const std::string& run_uid, int fd,
                         const contracts::Artifact& artifact) override {
    return client_.upload_artifact(node_, run_uid, fd, artifact);
  }
  Status name_finished(const std::string& run_uid,
                       const contracts::FinishedArtifacts& finished) override {
    return client_.name_finished(node_, run_uid, finished);
  }
  Result<executor::RunCredential> tool_token(const std::string& run_uid, int64_t attempt) override {
    ASSIGN_OR_RETURN(std::string token, client_.run_tool_token(node_, run_uid, attempt));
    const std::string url = http::address_of(endpoint_);
    return executor::RunCredential{std::move(token), url, endpoint_.ca_pem, addresses_of_url(url)};
  }
  Result<contracts::ToolBundle> tool_bundle(const std::string& run_uid) override {
    return client_.run_tool_bundle(node_, run_uid);
  }
  Result<contracts::RunSecretsAnswer> secrets(const std::string& run_uid,
                                              int64_t attempt) override {
    return client_.run_secrets(node_, run_uid, attempt);
  }
  void abort() override { client_.abort(); }

 private:
  const http::Endpoint endpoint_;
  client::ControllerClient client_;
  std::string node_;
};

}  // namespace paddock::agent
