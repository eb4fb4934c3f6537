// Says which controller owns the blobs of a bucket: an object `claims/<id>` beside them. A
// controller claims a bucket's prefix at its start, and removes nothing unless its claim is still
// the only one: a blob that it does not need may be named by another's record. Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "common/base/random.h"
#include "common/base/time.h"
#include "controller/s3/bucket.h"

namespace paddock::bucket {

class Claim {
 public:
  // `id_file` has this data folder's identity; it is made at the first start. FailedPrecondition,
  // BUCKET_TAKEN; and what Bucket says.
  static Result<std::unique_ptr<Claim>> take(const s3::Bucket& bucket, const std::string& id_file,
                                             const Clock& clock, Random& random);
  // Whether take() would find it free, without taking it. FailedPrecondition, BUCKET_TAKEN; and
  // what Bucket says.
  static Status check_free(const s3::Bucket& bucket, const std::string& id_file,
                           const Clock& clock);
  // Whether it is still the only one; asked anew once a minute. FailedPrecondition, BUCKET_TAKEN.
  Status check();

 private:
  Claim(const s3::Bucket& bucket, std::string id, const Clock& clock)
      : bucket_(bucket), id_(std::move(id)), clock_(clock) {}
  Status look(bool ours_must_be_there) const;

  const s3::Bucket& bucket_;
  const std::string id_;
  const Clock& clock_;
  std::mutex mutex_;
  std::optional<MonoTime> checked_;
};

}  // namespace paddock::bucket
