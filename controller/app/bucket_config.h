// The bucket in which blobs are kept in place of the data folder: `blobs.s3` of the controller's
// configuration.
#pragma once

#include <chrono>
#include <string>

#include "common/wire/describe.h"
#include "common/wire/units.h"

namespace paddock::app {

struct BucketConfig {
  std::string endpoint;
  std::string region = "us-east-1";
  std::string bucket;
  std::string prefix;
  std::string addressing = "path";
  std::string credentials_file;
  std::string ca_file;
  wire::Quantity cache_size{int64_t{10} << 30};
  int64_t transfers = 8;
  wire::Duration timeout{std::chrono::seconds(30)};
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(
        field("endpoint", &BucketConfig::endpoint,
              "URL of a server that speaks S3, without bucket; empty: files stay in dataDir"),
        field("region", &BucketConfig::region, "what requests are signed for", {.min_length = 1}),
        field("bucket", &BucketConfig::bucket, "its name; it must exist"),
        field("prefix", &BucketConfig::prefix,
              "before the name of every object, such as paddock/; this controller's alone"),
        field("addressing", &BucketConfig::addressing,
              "path: endpoint/bucket, or virtualHost: bucket.endpoint"),
        field("credentialsFile", &BucketConfig::credentials_file,
              "aws_access_key_id and aws_secret_access_key, below [default]"),
        field("caFile", &BucketConfig::ca_file,
              "PEM, trusted for the endpoint alone; empty: the system's"),
        field("cacheSize", &BucketConfig::cache_size, "of files kept in dataDir besides"),
        field("transfers", &BucketConfig::transfers, "under way at a time", {.min = 2, .max = 64}),
        field("timeout", &BucketConfig::timeout, "without a byte for so long one is given up"));
  }
  void validate(wire::Check& check) const;
  bool used() const { return !endpoint.empty(); }
};

}  // namespace paddock::app
