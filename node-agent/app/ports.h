// The controller's client in the shapes that the session and the executor ask for.
#pragma once

#include "common/client/controller_client.h"
#include "node-agent/executor/transport.h"
#include "node-agent/session/session_loop.h"

namespace paddock::agent {

class ClientSyncPort final : public session::SyncPort {
 public:
  ClientSyncPort(http::Endpoint endpoint, std::string node)
      : client_(std::move(endpoint)), node_(std::move(node)) {}
  Result<contracts::SyncAnswer> synchronize(const contracts::SyncRequest& request) override {
    return client_.synchronize(node_, request);
  }
  void abort() override { client_.abort(); }

 private:
  client::ControllerClient client_;
  std::string node_;
};

class ClientTransport final : public executor::RunTransport {
 public:
  ClientTransport(http::Endpoint endpoint, std::string node)
      : client_(std::move(endpoint)), node_(std::move(node)) {}
  Result<contracts::Tree> fetch_tree(const std::string& run_uid,
                                     const std::string& volume) override {
    return client_.fetch_tree(node_, run_uid, volume);
  }
  Status fetch_blob(const std::string& run_uid, const std::string& digest, int64_t size,
                    const cas::BlobStore& store) override {
    return client_.fetch_blob(node_, run_uid, digest, size, store);
  }
  Status upload_artifact(const std::string& run_uid, int fd,
                         const contracts::Artifact& artifact) override {
    return client_.upload_artifact(node_, run_uid, fd, artifact);
  }
  void abort() override { client_.abort(); }

 private:
  client::ControllerClient client_;
  std::string node_;
};

}  // namespace paddock::agent
