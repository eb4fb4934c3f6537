#include "controller/app/bucket_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "controller/app/config.h"

namespace paddock::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The keys of blobs.s3 that are refused.
std::vector<std::string> refused(const std::string& more) {
  const auto config = load_config(cat("blobs: {s3: {", more, "}}"), {});
  std::vector<std::string> out;
  if (config) return out;
  EXPECT_EQ(config.error().reason, "CONFIG_INVALID");
  for (const Cause& each : config.error().causes)
    out.push_back(each.field.substr(std::string("blobs.s3.").size()));
  return out;
}

std::string whole(const std::string& endpoint, const std::string& more = {}) {
  return cat("endpoint: '", endpoint, "', bucket: a-bucket, credentialsFile: /keys", more);
}

TEST(BucketConfig, TakesAWholeOne) {
  EXPECT_THAT(refused(whole("https://s3.example:9000",
                            ", prefix: a/B_1/, region: eu-west-1, "
                            "addressing: virtualHost, caFile: /ca")),
              IsEmpty());
  EXPECT_THAT(refused(whole("http://127.0.0.1:9000")), IsEmpty());
  EXPECT_THAT(refused(whole("http://[::1]:9000")), IsEmpty());
}

TEST(BucketConfig, VariablesSayItToo) {
  const auto config =
      load_config("", {{"PADDOCK_CONTROLLER_BLOBS_S3_ENDPOINT", "https://s3.example"},
                       {"PADDOCK_CONTROLLER_BLOBS_S3_BUCKET", "a-bucket"},
                       {"PADDOCK_CONTROLLER_BLOBS_S3_CREDENTIALS_FILE", "/keys"}});
  EXPECT_EQ(config.value().blobs.s3.bucket, "a-bucket");
  EXPECT_TRUE(config->blobs.s3.used());
}

TEST(BucketConfig, WithoutEndpointNothingElseOfItIsGiven) {
  EXPECT_THAT(refused("region: us-east-1"), IsEmpty());
  EXPECT_THAT(refused("bucket: a-bucket"), ElementsAre("bucket"));
  EXPECT_THAT(refused("credentialsFile: /keys, prefix: a/"),
              ElementsAre("credentialsFile", "prefix"));
}

TEST(BucketConfig, NamesWhatCannotBe) {
  for (const char* endpoint :
       {"s3.example", "http://s3.example", "https://", "https://s3.example/", "https://a@b",
        "https://s3.example/path", "https://s3.example?x", "ftp://127.0.0.1", "http://10.0.0.1:9"})
    EXPECT_THAT(refused(whole(endpoint)), ElementsAre("endpoint")) << endpoint;
  EXPECT_THAT(refused("endpoint: 'https://a', credentialsFile: /keys"), ElementsAre("bucket"));
  EXPECT_THAT(refused("endpoint: 'https://a', bucket: abc"), ElementsAre("credentialsFile"));
  for (const char* prefix : {"a", "/a/", "a//", "../", "a/../", "a b/", "ä/"})
    EXPECT_THAT(refused(whole("https://a", cat(", prefix: '", prefix, "'"))), ElementsAre("prefix"))
        << prefix;
  EXPECT_THAT(refused(whole("https://a", ", addressing: host")), ElementsAre("addressing"));
  EXPECT_THAT(refused(whole("https://a", ", timeout: 10ms")), ElementsAre("timeout"));
  EXPECT_THAT(refused(whole("https://a", ", transfers: 1")), ElementsAre("transfers"));
  EXPECT_THAT(refused(whole("https://a", ", region: 'x y'")), ElementsAre("region"));
}

TEST(BucketConfig, NamesWhatDoesNotGoTogether) {
  EXPECT_THAT(refused(whole("http://127.0.0.1:1", ", caFile: /ca")), ElementsAre("caFile"));
  EXPECT_THAT(refused("endpoint: 'https://a', bucket: a.b.c, credentialsFile: /keys, "
                      "addressing: virtualHost"),
              ElementsAre("addressing"));
}

}  // namespace
}  // namespace paddock::app
