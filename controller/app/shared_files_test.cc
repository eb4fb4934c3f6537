// Which files a standby must have in common with the leader.
#include "controller/app/shared_files.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/crypto/digest.h"
#include "controller/auth/token.h"
#include "controller/secrets/key_ring.h"
#include "tests/support/temp_dir.h"

namespace paddock::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

class FakeWatch final : public store::LeadWatch {
 public:
  Result<store::Lead> look() override { return lead; }
  Result<std::vector<std::string>> token_hashes(const std::string& subject) override {
    return tokens[subject];
  }
  Result<std::string> setting(const std::string& key) override { return settings[key]; }
  std::map<std::string, std::vector<std::string>> tokens;
  std::map<std::string, std::string> settings;
  store::Lead lead;
};

class SharedFiles : public testing::Test {
 protected:
  SharedFiles() {
    config_.data_dir = folder_.path();
    for (const char* each : {"tls", "tokens", "blobs"}) (void)os::make_dirs(folder_ / each);
    put("tokens/admin", "pdk-one");
    put("tls/ca.pem", "the CA");
    put("tls/ca-key.pem", "its key");
    put("blobs/instance-id", "0123");
    watch_.tokens = {{"admin", {auth::token_hash("pdk-one")}}};
    watch_.settings = {{"shared-files/ca", crypto::sha256_hex("the CA")},
                       {"shared-files/blobs", "0123"}};
  }
  void put(const std::string& file, const std::string& text) {
    folder_.write(file, text + "\n", 0600);
  }
  std::vector<std::string> differing() {
    const auto same = check_shared_files(watch_, config_);
    if (same.ok()) return {};
    EXPECT_EQ(same.error().reason, "STANDBY_FILES_DIFFER");
    std::vector<std::string> out;
    for (const Cause& each : same.error().causes) out.push_back(each.field);
    return out;
  }
  const test::TempDir folder_;
  Config config_;
  FakeWatch watch_;
};

TEST_F(SharedFiles, ThatAreThoseOfTheLeaderAreGood) { EXPECT_THAT(differing(), IsEmpty()); }

TEST_F(SharedFiles, EachThatIsAnotherIsNamed) {
  put("tokens/admin", "pdk-two");
  put("tls/ca.pem", "another CA");
  put("blobs/instance-id", "4567");
  EXPECT_THAT(differing(), ElementsAre("tokens/admin", "tls/ca.pem", "blobs"));
}

// A store that went into a folder without its files would be one that nobody can use.
TEST_F(SharedFiles, AStoreComesOnlyIntoAFolderThatHasThem) {
  const auto refused = [&] {
    const Status own = check_is_folder_of(watch_, config_);
    return own.ok() ? std::string() : own.error().causes.front().field;
  };
  EXPECT_EQ(refused(), "") << "there is no store: the move says so";
  watch_.lead.clock = WallTime{1};
  watch_.lead.anew = false;
  EXPECT_EQ(refused(), "") << "it has all that the leader's has";
  SeededRandom random{3};
  const secrets::SealKey key = secrets::make_key(random);
  watch_.settings[secrets::kMarkSetting] = secrets::mark_of(key);
  EXPECT_EQ(refused(), "secrets.key");
  put("secrets.key", "no key file");
  EXPECT_EQ(refused(), "secrets.key");
  folder_.write("secrets.key", secrets::ring_text({{secrets::make_key(random), key}}), 0600);
  EXPECT_EQ(refused(), "");
  put("tokens/admin", "pdk-two");
  EXPECT_EQ(refused(), "tokens/admin");
  watch_.lead.ours = true;
  EXPECT_EQ(refused(), "") << "its own, whatever became of a token";
}

// It was moved to the database, and no controller has been started with that: only the folder that
// it came from is known to be right.
TEST_F(SharedFiles, WithoutALeaderThatToldThemOnlyItsOwnFolderIsRight) {
  watch_.settings.clear();
  watch_.lead.clock = WallTime{1};
  watch_.lead.anew = false;
  const Status own = check_is_folder_of(watch_, config_);
  ASSERT_FALSE(own.ok());
  EXPECT_EQ(own.error().reason, "STANDBY_FILES_DIFFER");
  EXPECT_EQ(own.error().causes.front().field, "store-holder");
}

TEST_F(SharedFiles, AreNotComparedBeforeTheLeaderHasToldThem) {
  EXPECT_TRUE(check_shared_files(watch_, config_).value());
  watch_.tokens.clear();
  watch_.settings.clear();
  EXPECT_FALSE(check_shared_files(watch_, config_).value()) << "to be asked again";
}

TEST_F(SharedFiles, TheTokenForExecuteCountsWhereBothAskForOne) {
  watch_.settings["shared-files/execute-token"] = auth::token_hash("pdk-execute");
  EXPECT_THAT(differing(), IsEmpty()) << "no port is open here";
  config_.execute.port = 8444;
  config_.execute.host = "127.0.0.1";
  EXPECT_THAT(differing(), IsEmpty()) << "no token is asked for here";
  config_.execute.host = "0.0.0.0";
  EXPECT_THAT(differing(), ElementsAre("tokens/execute"));
  put("tokens/execute", "pdk-execute");
  EXPECT_THAT(differing(), IsEmpty());
  put("tokens/execute", "pdk-another");
  watch_.settings["shared-files/execute-token"] = "";
  EXPECT_THAT(differing(), IsEmpty()) << "the leader has none";
}

TEST_F(SharedFiles, AnEmptyFolderHasNone) {
  const test::TempDir empty;
  config_.data_dir = empty.path();
  EXPECT_THAT(differing(), Not(IsEmpty()));
}

TEST_F(SharedFiles, ACertificateOfOnesOwnNeedsNoCaOfTheLeaders) {
  put("tls/ca.pem", "another CA");
  config_.tls.cert_file = "/etc/paddock/cert.pem";
  config_.tls.key_file = "/etc/paddock/key.pem";
  EXPECT_THAT(differing(), IsEmpty());
}

// The CA of its own that it would make while it takes over is trusted by nobody who calls the port.
TEST_F(SharedFiles, TheCaCountsWhereOnlyThePortOfExecuteShowsIt) {
  put("tls/ca.pem", "another CA");
  config_.plain_http = true;
  EXPECT_THAT(differing(), IsEmpty()) << "no TLS is served here";
  config_.execute.port = 8444;
  config_.execute.host = "0.0.0.0";
  EXPECT_THAT(differing(), ElementsAre("tls/ca.pem"));
  config_.execute.host = "127.0.0.1";
  EXPECT_THAT(differing(), IsEmpty()) << "without a token that port is plain";
}

TEST_F(SharedFiles, TheTokenForAnyNodeCountsWhereThereIsOne) {
  watch_.tokens["enroll"] = {auth::token_hash("pdke-one")};
  EXPECT_THAT(differing(), ElementsAre("tokens/enroll"));
  config_.enroll_token = false;
  EXPECT_THAT(differing(), IsEmpty());
}

}  // namespace
}  // namespace paddock::app
