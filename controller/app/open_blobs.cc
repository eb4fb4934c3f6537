#include "controller/app/open_blobs.h"

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/cas/blob_store.h"
#include "common/os/file.h"
#include "controller/bucket/bucket_blobs.h"
#include "controller/bucket/claim.h"

namespace paddock::app {
namespace {

Result<s3::BucketSettings> settings_of(const BucketConfig& config) {
  s3::BucketSettings out;
  out.endpoint = config.endpoint;
  out.region = config.region;
  out.bucket = config.bucket;
  out.prefix = config.prefix;
  out.path_style = config.addressing == "path";
  out.credentials_file = config.credentials_file;
  out.transfers = static_cast<size_t>(config.transfers);
  out.silence = config.timeout.value;
  if (config.ca_file.empty()) return out;
  Result<std::string> pem = os::read_file(config.ca_file);
  if (!pem) return std::move(pem).error().within("reading blobs.s3.caFile");
  out.ca_pem = std::move(*pem);
  return out;
}

// Sends the bucket the blobs of the folder that it lacks. The folder is then kept whole, under
// another name.
Status move_in(const std::string& folder, const cas::Blobs& blobs) {
  ASSIGN_OR_RETURN(const bool there, os::is_there(folder));
  if (!there) return {};
  TRY(blobs.list());  // so that nothing is asked for one by one
  int64_t sent = 0;
  {
    ASSIGN_OR_RETURN(const cas::BlobStore before, cas::BlobStore::open(folder));
    ASSIGN_OR_RETURN(const std::vector<cas::Blobs::Stored> all, before.list());
    for (const cas::Blobs::Stored& each : all) {
      if (blobs.has(each.digest)) continue;
      ASSIGN_OR_RETURN(const os::Fd file, before.open_blob(each.digest));
      Status stored = blobs.put_fd(file.get(), each.digest);
      if (!stored.ok() && stored.error().reason == "DIGEST_MISMATCH") {
        log_error("a damaged file stays behind", {{"digest", each.digest}});
        continue;
      }
      if (!stored.ok()) return std::move(stored).error().within("moving files into the bucket");
      if (++sent % 1000 == 0)
        log_info("moving files into the bucket", {{"files", std::to_string(sent)}});
    }
  }
  TRY(os::rename_durably(folder, folder + ".moved"));
  log_info("the files of the data folder are in the bucket",
           {{"sent", std::to_string(sent)}, {"kept", "blobs.moved"}});
  return {};
}

}  // namespace

std::string bucket_mark(const std::string& data_dir) {
  return os::join_path(data_dir, "bucket-id");
}

Status check_bucket(const Config& config, const Clock& clock) {
  ASSIGN_OR_RETURN(const s3::BucketSettings settings, settings_of(config.blobs.s3));
  const s3::Bucket bucket(settings, clock);
  TRY(bucket.check());
  return bucket::Claim::check_free(bucket, bucket_mark(config.data_dir), clock);
}

Result<OpenedBlobs> open_blobs(const Config& config, const Clock& clock, Random& random) {
  const std::string folder = os::join_path(config.data_dir, "blobs");
  const std::string mark = bucket_mark(config.data_dir);
  const BucketConfig& there = config.blobs.s3;
  if (!there.used()) {
    ASSIGN_OR_RETURN(const bool in_bucket, os::is_there(mark));
    if (in_bucket) {
      return Error{Code::kFailedPrecondition, "BLOBS_ELSEWHERE",
                   "the files of this data folder lie in a bucket: set blobs.s3 again"};
    }
    ASSIGN_OR_RETURN(cas::BlobStore blobs, cas::BlobStore::open(folder));
    return OpenedBlobs{std::make_unique<cas::BlobStore>(std::move(blobs)), folder};
  }
  const std::string cache = os::join_path(config.data_dir, "bucket-cache");
  ASSIGN_OR_RETURN(const s3::BucketSettings settings, settings_of(there));
  ASSIGN_OR_RETURN(std::unique_ptr<bucket::BucketBlobs> blobs,
                   bucket::BucketBlobs::open(settings, {cache, mark},
                                             {there.cache_size.bytes, config.blobs.min_free.bytes},
                                             clock, random));
  TRY(move_in(folder, *blobs));
  log_info("files lie in a bucket", {{"bucket", there.bucket}, {"prefix", there.prefix}});
  OpenedBlobs out{nullptr, cache, [opened = blobs.get()] { opened->stop(); }};
  out.blobs = std::move(blobs);
  return out;
}

}  // namespace paddock::app
