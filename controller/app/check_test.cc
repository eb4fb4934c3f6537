// What `paddock-controller --check` finds, by real folders, ports and a bucket in memory.
#include "controller/app/check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/crypto/certificate.h"
#include "common/os/fd.h"
#include "common/os/file.h"
#include "common/os/start_reserve.h"
#include "common/wire/json.h"
#include "controller/http_server/listener.h"
#include "controller/store/store.h"
#include "tests/support/fake_s3.h"
#include "tests/support/small_disk.h"
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

TEST(Findings, OfAFullDiskOfTheDatabaseTheRemedyIsThere) {
  Finding full{"database", "store.postgres.urlFile", "the database's disk is full", "STORE_FULL"};
  for (const std::string& told : {findings_text({full}), findings_json({full})}) {
    EXPECT_NE(told.find("on the disk of the database's server"), told.npos) << told;
    EXPECT_EQ(told.find("beside the data folder"), told.npos) << told;
  }
  full.setting = "dataDir";
  EXPECT_NE(findings_text({full}).find("beside the data folder"), std::string::npos);
}

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

void fill_up(const std::string& path) {
  const os::Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  const std::string bytes(4096, 'x');
  while (::write(file.get(), bytes.data(), bytes.size()) > 0) {
  }
}

// With what was kept for that a start goes well; without it, it would not.
TEST_F(Checked, AFullDiskIsAWarningAsLongAsSomeIsKeptForAStart) {
  const std::string said = test::in_child([this]() -> std::string {
    if (!test::mount_disk(folder_.path(), "16m")) return test::kNoMounts;
    if (!os::make_dirs(config_.data_dir).ok()) return "no folder";
    (void)os::make_room_to_start(config_.data_dir);
    fill_up(folder_ / "filler");
    const std::vector<Finding> found = check(config_, clock_);
    if (!all_good(found)) return findings_text(found);
    if (findings_text(found).find("warn   data folder: ") != 0) return findings_text(found);
    if (::unlink((config_.data_dir + "/" + os::kStartReserve).c_str()) != 0) return "no reserve";
    fill_up(folder_ / "filler2");
    return faults().starts_with("data folder=DISK_FULL") ? "well" : faults();
  });
  if (said == test::kNoMounts) GTEST_SKIP() << said;
  EXPECT_EQ(said, "well");
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

// As SQLite's file format has it: the page that lists the tables begins behind the header.
TEST_F(Checked, ADatabaseOfAnotherProgramThatHasNoMarkOfItsOwn) {
  ASSERT_TRUE(os::make_dirs(config_.data_dir).ok());
  std::string bytes = "SQLite format 3";
  bytes.resize(4096, '\0');
  bytes[100] = '\x0D';
  folder_.write("data/paddock.db", bytes, 0600);
  EXPECT_EQ(faults(), "") << "without tables it may become ours";
  bytes[104] = '\x01';
  folder_.write("data/paddock.db", bytes, 0600);
  EXPECT_EQ(faults(), "store=STORE_NOT_OURS");
  bytes[100] = '\x05';
  bytes[104] = '\0';
  folder_.write("data/paddock.db", bytes, 0600);
  EXPECT_EQ(faults(), "store=STORE_NOT_OURS") << "a list of more than one page";
}

// The check says the same of it as the start, and neither waits.
TEST_F(Checked, WhatIsNoFileWhereTheStoreOrSomethingBesideItBelongs) {
  ASSERT_TRUE(os::make_dirs(config_.data_dir).ok());
  for (const std::string name : {"paddock.db", "paddock.db-wal", "paddock.db-journal"}) {
    const std::string path = config_.data_dir + "/" + name;
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    EXPECT_EQ(faults(), "store=STORE_NOT_OURS") << name;
    EXPECT_EQ(store::Store::open({config_.data_dir + "/paddock.db"}).error().reason,
              "STORE_NOT_OURS")
        << name;
    ::unlink(path.c_str());
  }
  ASSERT_TRUE(os::make_dirs(config_.data_dir + "/paddock.db-wal").ok());
  EXPECT_EQ(faults(), "store=STORE_NOT_OURS");
}

TEST_F(Checked, FilesThatNobodyWritesAreNotWaitedFor) {
  const std::string pipe = folder_ / "pipe.yaml";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  config_.profiles_dir = folder_.path();
  EXPECT_EQ(faults(), "profiles=PROFILES_UNREADABLE");
  config_.profiles_dir.clear();
  config_.tls = {pipe, pipe};
  EXPECT_EQ(faults(), "TLS=TLS_CERTIFICATE_INVALID");
  config_.tls = {};
  config_.store.postgres.url_file = pipe;
  EXPECT_EQ(faults(), "database=STORE_URL_INVALID");
}

TEST_F(Checked, TheHolderOfADatabaseThatIsNoFile) {
  ASSERT_TRUE(os::make_dirs(config_.data_dir).ok());
  folder_.write("url", "postgresql:///paddock?host=/nowhere\n", 0600);
  config_.store.postgres.url_file = folder_ / "url";
  ASSERT_EQ(::mkfifo((config_.data_dir + "/store-holder").c_str(), 0600), 0);
  EXPECT_EQ(faults(), "database=STORE_NOT_OURS");
}

TEST_F(Checked, DataFoldersThatCannotBeMade) {
  config_.data_dir = folder_ / (std::string("missing/") + std::string(300, 'x'));
  EXPECT_TRUE(faults().starts_with("data folder=STORE_UNWRITABLE")) << faults();
  ASSERT_EQ(::symlink("nowhere", (folder_ / "link").c_str()), 0);
  config_.data_dir = folder_ / "link/data";
  EXPECT_TRUE(faults().starts_with("data folder=STORE_UNWRITABLE")) << faults();
  config_.data_dir = "/proc/paddock";
  const std::string in_proc = ::geteuid() == 0 ? "FOLDER_IMPOSSIBLE" : "STORE_UNWRITABLE";
  EXPECT_TRUE(faults().starts_with("data folder=" + in_proc)) << faults();
}

TEST_F(Checked, ALockThatCannotBeHadIsNoControllerThatRuns) {
  ASSERT_TRUE(os::make_dirs(config_.data_dir + "/controller.lock").ok());
  EXPECT_EQ(faults(), "data folder=STORE_NOT_OURS");
  ASSERT_EQ(::rmdir((config_.data_dir + "/controller.lock").c_str()), 0);
  ASSERT_EQ(::symlink("elsewhere", (config_.data_dir + "/controller.lock").c_str()), 0);
  EXPECT_EQ(faults(), "data folder=STORE_NOT_OURS");
}

TEST_F(Checked, FoldersThatAreFilesAndFilesThatAreFolders) {
  ASSERT_TRUE(os::make_dirs(config_.data_dir).ok());
  for (const std::string name : {"tokens", "tls", "blobs"}) {
    folder_.write("data/" + name, "", 0600);
    EXPECT_TRUE(faults().ends_with("=STORE_UNWRITABLE")) << name << ": " << faults();
    ::unlink((config_.data_dir + "/" + name).c_str());
  }
  for (const std::string name : {"controller.json", "tokens/admin", "tokens/enroll",
                                 "tls/server.pem", "tls/ca-key.pem", "tls/server-names"}) {
    const std::string path = config_.data_dir + "/" + name;
    ASSERT_TRUE(os::make_dirs(path).ok());
    EXPECT_EQ(faults(), "data folder=STORE_NOT_OURS") << name;
    ::rmdir(path.c_str());
  }
  ASSERT_EQ(::mkfifo((config_.data_dir + "/tokens/admin").c_str(), 0600), 0);
  EXPECT_EQ(faults(), "data folder=STORE_NOT_OURS");
}

TEST_F(Checked, ASocketFileThatCannotBeMade) {
  config_.unix_socket = folder_ / "missing/socket";
  EXPECT_EQ(faults(), "unix socket=UNIX_SOCKET_PATH_INVALID");
  folder_.write("file", "", 0600);
  config_.unix_socket = folder_ / "file";
  EXPECT_EQ(faults(), "unix socket=UNIX_SOCKET_PATH_INVALID");
  config_.unix_socket = folder_ / "file/socket";
  EXPECT_EQ(faults(), "unix socket=UNIX_SOCKET_PATH_INVALID");
  config_.unix_socket = folder_ / std::string(108, 's');
  EXPECT_EQ(faults(), "unix socket=UNIX_SOCKET_PATH_INVALID");
  config_.unix_socket = folder_ / "socket";
  EXPECT_EQ(faults(), "");
  http_server::ListenAddress address;
  address.unix_socket = config_.unix_socket;
  const auto listener = http_server::Listener::open(address);
  ASSERT_TRUE(listener.ok());
  EXPECT_EQ(faults(), "unix socket=UNIX_SOCKET_IN_USE");
}

TEST_F(Checked, TwoSettingsThatMeanOneAddress) {
  {
    const auto listener = http_server::Listener::open({});
    ASSERT_TRUE(listener.ok());
    config_.port = (*listener)->port();
  }
  config_.host = "127.0.0.1";
  config_.execute.port = config_.port;
  config_.execute.host = "127.0.0.1";
  EXPECT_EQ(faults(), "execute.port=PORT_IN_USE");
  config_.host = "0.0.0.0";
  EXPECT_EQ(faults(), "execute.port=PORT_IN_USE");
  for (const Finding& each : check(config_, clock_)) {
    if (each.good()) continue;
    EXPECT_NE(each.details.find("; execute.port: choose another port"), std::string::npos)
        << "another setting than `port`: " << each.details;
  }
}

TEST_F(Checked, AnImageThatMeansAProfileThatIsNotThere) {
  config_.sessions.images["python"] = "nothing";
  EXPECT_EQ(faults(), "profiles=CONFIG_INVALID");
}

// Somebody named the wrong file: nothing of it is repeated that is more than a name.
TEST_F(Checked, TheContentOfAWrongFileIsNotTold) {
  const std::string line = "root:$6$salt$hash.of.root:19000:0:99999:7:::";
  const auto config = load_config(line + "\n", {});
  ASSERT_FALSE(config.ok());
  const std::string said = findings_text({check_failed(config.error())});
  EXPECT_EQ(said.find("salt"), std::string::npos) << said;
  EXPECT_EQ(said.find("hash"), std::string::npos) << said;
  folder_.write("x.yaml", line + "\n", 0600);
  config_.profiles_dir = folder_.path();
  const std::string told = findings_json(check(config_, clock_));
  EXPECT_NE(told.find("PROFILE_INVALID"), std::string::npos);
  EXPECT_EQ(told.find("salt"), std::string::npos) << told;
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
  const auto config = load_config("stor: 1\n", {}, {.file = "c.yaml"});
  ASSERT_FALSE(config.ok());
  const Finding found = check_failed(config.error());
  EXPECT_EQ(found.reason, "CONFIG_INVALID");
  EXPECT_EQ(found.setting, "stor");
  EXPECT_EQ(found.details, "c.yaml:1: stor: unknown field; did you mean `store`?");
}

}  // namespace
}  // namespace paddock::app
