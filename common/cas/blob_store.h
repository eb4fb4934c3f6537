// Blobs by digest in a folder: <root>/<first two hex digits>/<digest>, mode 0444, written beside
// and renamed. Content is verified against its digest before it can be seen. Thread-safe and safe
// between processes. Copies are the same store.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/guarded.h"
#include "common/cas/blobs.h"
#include "common/os/file_identity.h"

namespace paddock::cas {

class Unsynced;

class BlobStore final : public Blobs {
 public:
  // After a crash of the host, blobs that were not synchronised are checked, and damaged ones go.
  static Result<BlobStore> open(const std::string& root);
  // Whether the folder that open() opened is there still: not once it was unmounted or emptied, nor
  // if another one lies in its place, as where a mount went away over an older one. Until it is
  // back nothing is stored, listed or removed, and what is not found is no NotFound: Unavailable,
  // STORE_IO.
  bool is_there() const;
  Status check_there() const override;
  // Makes it anew, or takes the one that is in its place.
  Status make_folder() const;

  bool has(const Digest& digest) const override;
  Result<int64_t> size(const Digest& digest) const override;
  Result<os::Fd> open_blob(const Digest& digest) const override;
  Status keep(const Digest& digest, const std::string& target) const override;
  bool use(const Digest& digest) const override;
  Result<std::vector<Stored>> list() const override;
  int64_t growth() const override { return growth_->load(); }
  Result<bool> remove_unused(const Digest& digest, int64_t used_s) const override;
  Status sync() const override;

 protected:
  Result<std::unique_ptr<Writer::Target>> open_writer(const Digest& expected, int64_t size,
                                                      Durability durability,
                                                      IfHere if_here) const override;

 private:
  class FileTarget;
  BlobStore(std::string root, std::shared_ptr<Unsynced> unsynced)
      : root_(std::move(root)), unsynced_(std::move(unsynced)) {}
  Error missing(const Digest& digest) const;
  Status check_again(int64_t since_s) const;
  std::string blob_path(const Digest& digest) const;
  std::string root_;
  std::shared_ptr<Unsynced> unsynced_;  // of all copies
  std::shared_ptr<Guarded<std::optional<os::FileIdentity>>> opened_ =
      std::make_shared<Guarded<std::optional<os::FileIdentity>>>();
  std::shared_ptr<std::atomic<int64_t>> growth_ = std::make_shared<std::atomic<int64_t>>(0);
};

}  // namespace paddock::cas
