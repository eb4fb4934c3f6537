// What `paddock-controller --check` finds, by real folders, ports and a bucket in memory.
#include "controller/app/check.h"

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/crypto/certificate.h"
#include "common/os/file.h"
#include "common/wire/json.h"
#include "controller/http_server/listener.h"
#include "controller/store/store.h"
#include "tests/support/fake_s3.h"
#include "tests/support/temp_dir.h"

namespace paddock::app {
namespace {

class Checked : public testing::Test {
 protected:
  Checked() {
    config_.data_dir = folder_ / "data";
    config_.port = 0;
  }
  // `name=code` of each that is not well.
  std::string faults() {
    std::string out;
    for (const Finding& each : check(config_, clock_)) {
      if (each.good()) continue;
      EXPECT_FALSE(each.reason.remedy().empty()) << each.reason.text();
      EXPECT_FALSE(each.setting.empty()) << each.name;
      out += cat(out.empty() ? "" : " ", each.name, "=", each.reason.text());
    }
    return out;
  }
  void use_bucket() {
    folder_.write("keys", "aws_access_key_id=id\naws_secret_access_key=secret\n", 0600);
    config_.blobs.s3.endpoint = server_.url();
    config_.blobs.s3.bucket = "bucket";
    config_.blobs.s3.credentials_file = folder_ / "keys";
  }
  void answer(int status, const std::string& body) {
    server_.set_fault([status, body](const test::HttpRequest&) {
      return std::optional(test::answer(status, body));
    });
  }

  const test::TempDir folder_;
  SystemClock clock_;
  test::FakeS3 server_;
  Config config_;
};

TEST_F(Checked, ANewInstanceIsWellAndNothingIsMade) {
  EXPECT_EQ(faults(), "");
  EXPECT_FALSE(os::exists(config_.data_dir));
}

TEST_F(Checked, AStoreInUseIsWellAndLeftAsItIs) {
  ASSERT_TRUE(os::make_dirs(config_.data_dir).ok());
  const auto store = store::Store::open({config_.data_dir + "/paddock.db"});
  ASSERT_TRUE(store.ok());
  const auto before = os::list_dir(config_.data_dir).value();
  EXPECT_EQ(faults(), "");
  EXPECT_EQ(os::list_dir(config_.data_dir).value(), before);
}

TEST_F(Checked, ADataFolderThatIsNoFolder) {
  folder_.write("data", "", 0600);
  EXPECT_TRUE(faults().starts_with("data folder=STORE_UNWRITABLE")) << faults();
}

TEST_F(Checked, WhatIsNoStoreOfOursAndAFileBesideADatabase) {
  ASSERT_TRUE(os::make_dirs(config_.data_dir).ok());
  folder_.write("data/paddock.db", std::string(4096, 'x'), 0600);
  EXPECT_EQ(faults(), "store=STORE_NOT_OURS");
  folder_.write("url", "postgresql:///paddock\n", 0600);
  config_.store.postgres.url_file = folder_ / "url";
  EXPECT_EQ(faults(), "database=STORE_CHOSEN_TWICE");
}

TEST_F(Checked, ADatabaseThatIsAwayOrNamedByNothing) {
  folder_.write("url", "postgresql:///paddock?host=/nowhere\n", 0600);
  config_.store.postgres.url_file = folder_ / "url";
  EXPECT_EQ(faults(), "database=STORE_AWAY");
  config_.store.postgres.url_file = folder_ / "nothing";
  EXPECT_EQ(faults(), "database=STORE_URL_INVALID");
  EXPECT_FALSE(os::exists(config_.data_dir)) << "no holder was made";
}

TEST_F(Checked, CertificatesThatAreMissingOverOrOfAnotherPair) {
  const WallTime now = clock_.wall();
  const auto ca = crypto::make_ca("test", now).value();
  const auto one = crypto::make_server_certificate(ca, {"localhost"}, now).value();
  const auto other = crypto::make_server_certificate(ca, {"localhost"}, now).value();
  config_.tls = {folder_ / "cert.pem", folder_ / "key.pem"};
  EXPECT_EQ(faults(), "TLS=TLS_CERTIFICATE_INVALID");
  folder_.write("cert.pem", one.certificate_pem, 0600);
  EXPECT_EQ(faults(), "TLS=TLS_KEY_INVALID");
  folder_.write("key.pem", other.private_key_pem, 0600);
  EXPECT_EQ(faults(), "TLS=TLS_KEY_MISMATCH");
  folder_.write("key.pem", one.private_key_pem, 0600);
  EXPECT_EQ(faults(), "");
}

TEST_F(Checked, APortThatIsTakenByOthers) {
  http_server::ListenAddress address;
  const auto listener = http_server::Listener::open(address);
  ASSERT_TRUE(listener.ok());
  config_.port = (*listener)->port();
  EXPECT_EQ(faults(), "port=PORT_IN_USE");
  config_.host = "no such address";
  EXPECT_EQ(faults(), "port=ADDRESS_INVALID");
}

TEST_F(Checked, ABucketThatIsWellIsNotWrittenTo) {
  use_bucket();
  EXPECT_EQ(faults(), "");
  EXPECT_TRUE(server_.keys().empty());
  server_.add_object("claims/0123", "");
  EXPECT_EQ(faults(), "bucket=BUCKET_TAKEN");
}

TEST_F(Checked, ABucketByEachOfItsFaults) {
  use_bucket();
  answer(404, "<Error><Code>NoSuchBucket</Code></Error>");
  EXPECT_EQ(faults(), "bucket=BUCKET_NOT_FOUND");
  answer(403, "<Error><Code>SignatureDoesNotMatch</Code></Error>");
  EXPECT_EQ(faults(), "bucket=BUCKET_DENIED");
  answer(200, "<html>welcome</html>");
  EXPECT_EQ(faults(), "bucket=BUCKET_BAD_ANSWER");
  ::chmod((folder_ / "keys").c_str(), 0644);
  EXPECT_EQ(faults(), "bucket=BUCKET_CREDENTIALS");
}

TEST_F(Checked, ABucketThatWasForgotten) {
  ASSERT_TRUE(os::make_dirs(config_.data_dir).ok());
  folder_.write("data/bucket-id", "0123\n", 0600);
  EXPECT_NE(faults().find("BLOBS_ELSEWHERE"), std::string::npos) << faults();
}

TEST_F(Checked, ProgramsAreToldTheSame) {
  config_.profiles_dir = folder_ / "nothing";
  const auto findings = check(config_, clock_);
  EXPECT_FALSE(all_good(findings));
  const auto document = wire::parse_json(findings_json(findings)).value();
  EXPECT_FALSE(*document.find("ok")->boolean());
  const std::string text = findings_text(findings);
  EXPECT_NE(text.find("PROFILES_UNREADABLE"), std::string::npos);
  EXPECT_NE(text.find("profilesDir"), std::string::npos);
  EXPECT_EQ(document.find("checks")->array()->size(), findings.size());
}

TEST_F(Checked, AConfigurationThatIsNoneIsAFindingToo) {
  const auto config = load_config("stor: 1\n", {});
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(check_failed(config.error()).reason, "CONFIG_INVALID");
}

}  // namespace
}  // namespace paddock::app
