#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/cas/blob_store.h"
#include "common/cas/tree.h"
#include "common/contracts/audit.h"
#include "common/crypto/digest.h"
#include "common/os/fd.h"
#include "common/os/file.h"
#include "controller/store/run_writes.h"
#include "controller/volumes/publish.h"
#include "controller/volumes/resolve.h"
#include "tests/support/small_disk.h"
#include "tests/support/temp_dir.h"

namespace paddock::volumes {
namespace {

using contracts::Artifact;
using contracts::Volume;

constexpr WallTime kNow{5'000};

class Volumes : public testing::Test {
 protected:
  Artifact artifact(const std::string& path, const std::string& content) {
    return {path, static_cast<int64_t>(content.size()), blobs_.put(content).value()};
  }
  contracts::Run add_run(const std::string& name, const std::string& publish,
                         const std::string& name_space = "default") {
    contracts::Run run;
    run.metadata.name = name;
    run.metadata.name_space = name_space;
    run.metadata.uid = cat("uid-", name_space, "-", name);
    run.spec.command.argv = {"python3", "s.py"};
    run.spec.publish = publish;
    run.status.phase = contracts::RunPhase::kRunning;
    run.status.node_name = "n1";
    EXPECT_TRUE(
        store_->write([&](store::WriteTxn& txn) { return store::create_run(txn, run, {}); }).ok());
    return run;
  }
  static contracts::RunReport ended(const contracts::Run& run, std::vector<Artifact> artifacts) {
    contracts::RunReport report;
    report.run_uid = run.metadata.uid;
    report.outcome = contracts::RunOutcome{};
    report.outcome->phase = contracts::RunPhase::kSucceeded;
    report.outcome->artifacts = std::move(artifacts);
    return report;
  }
  Result<Offer> offer(const contracts::Run& run, std::vector<Artifact> artifacts) {
    const auto prepared =
        prepare(*store_, blobs_, "n1", {ended(run, std::move(artifacts))}, limits_, random_);
    if (!prepared) return prepared.error();
    return prepared->offers.at(run.metadata.uid);
  }
  Result<int64_t> publish_now(const contracts::Run& run, const Offer& what) {
    Result<int64_t> number = Error{};
    const Status written = store_->write([&](store::WriteTxn& txn) -> Status {
      number = publish(txn, run, what, limits_, kNow);
      return number ? Status() : Status(number.error());
    });
    EXPECT_EQ(written.ok(), number.ok());
    return number;
  }
  int64_t publish_text(const contracts::Run& run, const std::string& content) {
    return publish_now(run, offer(run, {artifact("out/f.txt", content)}).value()).value();
  }
  Result<std::vector<contracts::MountedVolume>> resolve_now(const contracts::Run& run) {
    Result<std::vector<contracts::MountedVolume>> out = Error{};
    (void)store_->read([&](store::ReadTxn& txn) -> Status {
      out = resolve(txn, run);
      return {};
    });
    return out;
  }
  static contracts::Run reader(std::vector<contracts::VolumeUse> uses,
                               const char* name_space = "default") {
    contracts::Run run;
    run.metadata.name_space = name_space;
    run.spec.volumes = std::move(uses);
    return run;
  }

  test::TempDir folder_;
  cas::BlobStore blobs_ = cas::BlobStore::open(folder_.path() + "/blobs").value();
  std::unique_ptr<store::Store> store_ = store::Store::open({}).value();
  SeededRandom random_{3};
  VolumeLimits limits_{2, 2};
};

TEST_F(Volumes, EveryPublishIsTheNextVersion) {
  const contracts::Run one = add_run("one", "data");
  const contracts::Run two = add_run("two", "data");
  // Both were made ready before either is recorded, as when two nodes report at once.
  const Offer first = offer(one, {artifact("out/a.txt", "1")}).value();
  const Offer second = offer(two, {artifact("out/a.txt", "2")}).value();
  EXPECT_EQ(publish_now(one, first).value(), 1);
  EXPECT_EQ(publish_now(two, second).value(), 2);
  const auto seen = resolve_now(reader({{"data", 1}})).value();
  EXPECT_EQ(seen[0].root, first.root);
  EXPECT_EQ(resolve_now(reader({{"data", {}}})).value()[0].root, second.root);
}

TEST_F(Volumes, OnlyTheNewestVersionsStayAndNumbersAreNotUsedTwice) {
  const contracts::Run run = add_run("one", "data");
  for (const char* content : {"1", "2", "3"}) publish_text(run, content);
  EXPECT_EQ(publish_text(run, "4"), 4);
  EXPECT_TRUE(resolve_now(reader({{"data", 3}})).ok());
  const auto gone = resolve_now(reader({{"data", 2}}));
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().reason, "VOLUME_VERSION_NOT_FOUND");
  EXPECT_EQ(gone.error().causes.at(0).field, "spec.volumes[0].version");
  EXPECT_NE(gone.error().message.find("3, 4"), std::string::npos);
}

TEST_F(Volumes, EachVersionIsInTheAuditLogAndWhatWasRefusedIsNot) {
  limits_.per_namespace = 1;
  const contracts::Run run = add_run("one", "data");
  for (const char* content : {"1", "2", "3"}) publish_text(run, content);
  const contracts::Run other = add_run("two", "more");
  EXPECT_FALSE(publish_now(other, offer(other, {artifact("out/f.txt", "1")}).value()).ok());
  std::vector<contracts::AuditEvent> events;
  ASSERT_TRUE(store_
                  ->read([&](store::ReadTxn& txn) -> Status {
                    store::AuditQuery query;
                    query.type = contracts::audit::kVolumePublish;
                    ASSIGN_OR_RETURN(events, txn.audit_events(query));
                    return {};
                  })
                  .ok());
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[2].subject, "node:n1");
  EXPECT_EQ(events[2].object, "volumes/data");
  EXPECT_EQ(events[2].session_id, run.metadata.uid);
  EXPECT_EQ(events[2].details.at("version"), "3");
  EXPECT_EQ(events[2].details.at("oldest"), "2");
  EXPECT_EQ(events[2].details.at("root"), resolve_now(reader({{"data", {}}})).value()[0].root);
}

TEST_F(Volumes, AnotherNamespacesVolumeIsOneThatIsNotThere) {
  publish_text(add_run("one", "data", "theirs"), "secret");
  const auto other = resolve_now(reader({{"data", {}}}));
  const auto none = resolve_now(reader({{"nothing", {}}}));
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().reason, "VOLUME_NOT_FOUND");
  EXPECT_EQ(other.error().reason, none.error().reason);
  EXPECT_TRUE(resolve_now(reader({{"data", {}}}, "theirs")).ok());
}

TEST_F(Volumes, EachThatIsNotThereIsNamed) {
  publish_text(add_run("one", "data"), "1");
  const auto none = resolve_now(reader({{"no", {}}, {"data", {}}, {"data", 7}}));
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().reason, "VOLUME_NOT_FOUND");
  ASSERT_EQ(none.error().causes.size(), 2U);
  EXPECT_EQ(none.error().causes[0].field, "spec.volumes[0].name");
  EXPECT_EQ(none.error().causes[1].field, "spec.volumes[2].version");
}

TEST_F(Volumes, ANamespaceHasItsNumberOfThem) {
  publish_text(add_run("one", "a"), "1");
  publish_text(add_run("two", "b"), "1");
  const contracts::Run third = add_run("three", "c");
  const auto refused = publish_now(third, offer(third, {artifact("out/f.txt", "1")}).value());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, "VOLUME_LIMIT");
  EXPECT_EQ(publish_text(add_run("four", "a"), "2"), 2);
  EXPECT_EQ(publish_text(add_run("five", "c", "other"), "1"), 1);
}

TEST_F(Volumes, WhatANodeSaysOfItsArtifactsIsChecked) {
  const contracts::Run run = add_run("one", "data");
  EXPECT_EQ(offer(run, {}).error().reason, "NOTHING_TO_PUBLISH");
  const Artifact good = artifact("out/f.txt", "1");
  for (const char* path : {"../f.txt", "/etc/f.txt", "a//b", "out/./f"}) {
    Artifact bad = good;
    bad.path = path;
    EXPECT_FALSE(offer(run, {bad}).ok()) << path;
  }
  EXPECT_FALSE(offer(run, {good, good}).ok());
  Artifact larger = good;
  larger.size = 7;
  EXPECT_EQ(offer(run, {larger}).error().reason, "ARTIFACT_MISSING");
  Artifact missing = good;
  missing.digest = std::string(64, '0');
  EXPECT_EQ(offer(run, {missing}).error().reason, "ARTIFACT_MISSING");
}

TEST_F(Volumes, NothingOfTheDiskIsARefusal) {
  const std::string place = folder_.path() + "/disk";
  ASSERT_TRUE(os::make_dirs(place).ok());
  const std::string said = test::in_child([&]() -> std::string {
    if (!test::mount_disk(place, "1m")) return test::kNoMounts;
    blobs_ = cas::BlobStore::open(place + "/blobs").value();
    const contracts::Run run = add_run("one", "data");
    const Artifact good = artifact("out/f.txt", "1");
    const auto code = [&] {
      const auto made = offer(run, {good});
      return made ? "made" : made.error().code == Code::kUnavailable ? "later" : "refused";
    };
    std::string out = test::change_disk(place, MS_RDONLY, "1m") ? code() : "not read-only";
    if (!test::change_disk(place, 0, "1m")) return "not writable";
    const os::Fd filler(::open((place + "/filler").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    const std::string block(4096, 'x');
    while (::write(filler.get(), block.data(), block.size()) > 0) {
    }
    out += cat(" ", code());
    if (::ftruncate(filler.get(), 0) != 0) return "not emptied";
    return out + cat(" ", code());
  });
  if (said == test::kNoMounts) GTEST_SKIP() << said;
  EXPECT_EQ(said, "later later made");
}

TEST_F(Volumes, OnlyARunThatSucceededOnThisNodeIsPrepared) {
  const contracts::Run run = add_run("one", "data");
  contracts::RunReport report = ended(run, {artifact("out/f.txt", "1")});
  EXPECT_TRUE(prepare(*store_, blobs_, "n2", {report}, limits_, random_)->offers.empty());
  report.outcome->phase = contracts::RunPhase::kFailed;
  EXPECT_TRUE(prepare(*store_, blobs_, "n1", {report}, limits_, random_)->offers.empty());
  const contracts::Run plain = add_run("two", "");
  EXPECT_TRUE(prepare(*store_, blobs_, "n1", {ended(plain, {})}, limits_, random_)->offers.empty());
}

}  // namespace
}  // namespace paddock::volumes
