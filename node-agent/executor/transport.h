// What one run's life needs of the controller. One object per thread of use; abort() from any.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/cas/blob_store.h"
#include "common/contracts/run.h"

namespace paddock::executor {

class RunTransport {
 public:
  virtual ~RunTransport() = default;
  // The workspace's, or that of one of the run's volumes.
  virtual Result<contracts::Tree> fetch_tree(const std::string& run_uid,
                                             const std::string& volume) = 0;
  virtual Status fetch_blob(const std::string& run_uid, const std::string& digest, int64_t size,
                            const cas::BlobStore& store) = 0;
  virtual Status upload_artifact(const std::string& run_uid, int fd,
                                 const contracts::Artifact& artifact) = 0;
  virtual void abort() = 0;  // ends the call in progress and all later ones
};

using TransportFactory = std::function<std::unique_ptr<RunTransport>()>;

}  // namespace paddock::executor
