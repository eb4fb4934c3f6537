#include "node-agent/sessions/service.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/contracts/profile.h"
#include "common/os/event.h"
#include "common/os/file.h"
#include "tests/support/log_capture.h"
#include "tests/support/temp_dir.h"

namespace paddock::sessions {
namespace {

using contracts::FileOperation;
using contracts::FileOrder;

class SessionService : public testing::Test {
 protected:
  SessionService() { make(); }
  void make() {
    Setting setting;
    setting.folder = os::join_path(dir_.path(), "sessions");
    setting.config.max_sessions = 2;
    service_ =
        std::make_unique<Service>(setting, Dependencies{os::join_path(dir_.path(), "nobody"), [] {},
                                                        [](auto) {}, deferred_teardown_, clock_});
    ASSERT_TRUE(service_->recover().ok());
  }
  static contracts::SessionOrder order(const std::string& uid) {
    contracts::SessionOrder out;
    out.uid = uid;
    out.workdir = "/workspace";
    out.policy = contracts::session_policy(contracts::with_session_defaults({}).security,
                                           contracts::builtin_profiles().at("session").policy);
    return out;
  }
  bool knows(const std::string& uid) {
    FileOrder look;
    look.uid = uid;
    return service_->file(look).ok();
  }
  std::string path_of(const std::string& name) {
    return os::join_path(os::join_path(dir_.path(), "sessions"), name);
  }
  bool on_disk(const std::string& uid) { return os::exists(path_of(uid)); }

  test::TempDir dir_;
  SystemClock clock_;
  launch::DeferredTeardown deferred_teardown_{clock_, 2};
  std::unique_ptr<Service> service_;
};

// proves: WSM-42
TEST_F(SessionService, WhatIsClosedIsGone) {
  ASSERT_TRUE(service_->open(order("a")).ok());
  ASSERT_TRUE(service_->open(order("a")).ok());
  EXPECT_TRUE(knows("a"));
  ASSERT_TRUE(service_->close("a").ok());
  EXPECT_FALSE(knows("a"));
  EXPECT_FALSE(on_disk("a"));
  EXPECT_EQ(service_->close("a").error().reason, "SESSION_LOST");
  EXPECT_EQ(service_->run({"a", "true", false}, -1, {}).error().reason, "SESSION_LOST");
}

TEST_F(SessionService, OutlivesItsAgent) {
  ASSERT_TRUE(service_->open(order("a")).ok());
  ASSERT_TRUE(os::make_dirs(os::join_path(dir_.path(), "sessions/half-made/workspace")).ok());
  make();
  EXPECT_TRUE(knows("a"));
  EXPECT_FALSE(on_disk("half-made"));
}

// Links that lead in a circle stand for whatever keeps a file from being read for now.
TEST_F(SessionService, KeepsFilesThatCannotBeLookedForAndTakesThemUpLater) {
  ASSERT_TRUE(service_->open(order("a")).ok());
  ASSERT_TRUE(service_->open(order("b")).ok());
  for (const char* file : {"a/session.json", "a"}) {
    const std::string path = path_of(file);
    const std::string aside = os::join_path(dir_.path(), "aside");
    ASSERT_EQ(::rename(path.c_str(), aside.c_str()), 0);
    ASSERT_EQ(::symlink(path.c_str(), path.c_str()), 0);
    const test::LogCapture log;
    make();
    EXPECT_NE(log.text().find("\"name\":\"a\""), std::string::npos) << "which one";
    EXPECT_TRUE(knows("b"));
    FileOrder look;
    look.uid = "a";
    EXPECT_EQ(service_->file(look).error().reason, "NODE_DISK_FAILS") << "it is not lost";
    EXPECT_EQ(service_->open(order("a")).error().reason, "NODE_DISK_FAILS");
    EXPECT_EQ(service_->open(order("c")).error().reason, "TOO_MANY_SESSIONS") << "it has its place";
    service_->keep({"a", "b"});
    EXPECT_LE(service_->clean_up(), Millis(5'000)) << "it is looked at again";
    ASSERT_EQ(::unlink(path.c_str()), 0) << "it was removed";
    ASSERT_EQ(::rename(aside.c_str(), path.c_str()), 0);
    EXPECT_EQ(log.text(), "") << "it was said already";
    service_->clean_up();
    EXPECT_TRUE(knows("a"));
  }
  EXPECT_TRUE(on_disk("a/workspace"));
}

TEST_F(SessionService, OneThatEndedWhileItCouldNotBeReadGoesOnceItCan) {
  ASSERT_TRUE(service_->open(order("a")).ok());
  const std::string path = path_of("a/session.json");
  const std::string aside = os::join_path(dir_.path(), "aside");
  ASSERT_EQ(::rename(path.c_str(), aside.c_str()), 0);
  ASSERT_EQ(::symlink(path.c_str(), path.c_str()), 0);
  make();
  EXPECT_FALSE(service_->close("a").ok());
  service_->keep({});
  service_->clean_up();
  EXPECT_TRUE(on_disk("a/workspace"));
  ASSERT_EQ(::unlink(path.c_str()), 0);
  ASSERT_EQ(::rename(aside.c_str(), path.c_str()), 0);
  service_->clean_up();
  service_->keep({});
  service_->clean_up();
  EXPECT_FALSE(on_disk("a"));
}

TEST_F(SessionService, KeepsWhatTheControllerNamesAndWhatItCannotKnowYet) {
  ASSERT_TRUE(service_->open(order("a")).ok());
  ASSERT_TRUE(service_->open(order("b")).ok());
  service_->keep({"a"});
  EXPECT_TRUE(knows("b"));  // an answer of before it was opened
  service_->keep({"b"});
  service_->clean_up();
  EXPECT_FALSE(knows("a"));
  EXPECT_FALSE(on_disk("a"));
  EXPECT_TRUE(knows("b"));
  ASSERT_TRUE(service_->open(order("c")).ok());
  service_->keep({"b"});
  service_->keep({"b"});
  EXPECT_TRUE(knows("c"));  // both lanes may have asked before
  service_->keep({"b"});
  EXPECT_FALSE(knows("c"));  // it ended before its node ever heard of it
  make();                    // what is on the disk is old
  service_->keep({});
  service_->clean_up();
  EXPECT_FALSE(on_disk("b"));
}

TEST_F(SessionService, OneThatIsEndedForTheDiskSaysWhyUntilTheControllerKnows) {
  ASSERT_TRUE(service_->open(order("a")).ok());
  ASSERT_TRUE(service_->open(order("b")).ok());
  FileOrder large;
  large.uid = "a";
  large.operation = FileOperation::kWrite;
  large.path = "large";
  large.data = base64(std::string(100'000, 'x'));
  ASSERT_TRUE(service_->file(large).ok());
  const auto bytes_of = [&](const std::string& uid) {
    for (const Service::Written& each : service_->written()) {
      if (each.uid == uid) return each.use.bytes;
    }
    return int64_t{-1};
  };
  EXPECT_GE(bytes_of("a"), 100'000);
  EXPECT_LT(bytes_of("b"), 100'000);
  service_->end_for_disk("a", "it took too much");
  EXPECT_TRUE(service_->written()[0].ending);
  service_->clean_up();
  EXPECT_EQ(bytes_of("a"), -1) << "nothing of it is left to end";
  EXPECT_FALSE(on_disk("a/workspace"));
  for (int agent = 0; agent < 2; ++agent) {
    const Error why = service_->run({"a", "true", false}, -1, {}).error();
    EXPECT_EQ(why.reason, "DISK_REQUEST_EXCEEDED");
    EXPECT_EQ(why.message, "it took too much");
    EXPECT_EQ(service_->file(large).error().reason, "DISK_REQUEST_EXCEEDED");
    EXPECT_EQ(service_->open(order("a")).error().reason, "DISK_REQUEST_EXCEEDED");
    EXPECT_TRUE(knows("b"));
    make();
  }
  service_->keep({"b"});
  service_->clean_up();
  EXPECT_FALSE(on_disk("a"));
  EXPECT_EQ(service_->file(large).error().reason, "SESSION_LOST");
}

// Each of them alone has room; two would count the same room if they did not wait for each other.
// So many folders that all would have counted before the first one has written.
TEST_F(SessionService, FilesThatComeAtOnceDoNotShareTheirRoom) {
  constexpr int kFolders = 300;
  contracts::SessionOrder small = order("s1");
  small.policy.limits.file_count = kFolders + 1;
  ASSERT_TRUE(service_->open(small).ok());
  const std::string workspace = os::join_path(dir_.path(), "sessions/s1/workspace");
  for (int i = 0; i < kFolders; ++i)
    ASSERT_EQ(::mkdir(os::join_path(workspace, cat("d", i)).c_str(), 0755), 0);
  std::atomic<int> taken = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&, i] {
      FileOrder file;
      file.uid = "s1";
      file.operation = FileOperation::kWrite;
      file.path = cat("f", i);
      if (service_->file(file).ok()) ++taken;
    });
  }
  for (std::thread& each : callers) each.join();
  EXPECT_EQ(taken, 1);
}

// Commands that are ended too late leave something each time, so there is an end to that. What its
// caller can still do brings it back.
// proves partly: WSM-31, WSM-32
TEST_F(SessionService, BeginsNoCommandWhereFilesAreFarOverTheLimits) {
  contracts::SessionOrder small = order("s1");
  small.policy.limits.file_count = 3;
  small.policy.limits.fs_bytes = wire::Quantity{100'000};
  ASSERT_TRUE(service_->open(small).ok());
  const os::Event stop;
  stop.raise();  // who looks for a launcher hears it at once
  const auto why_not = [&] { return service_->run({"s1", "true"}, stop.fd(), {}).error().reason; };
  const auto put = [&](const std::string& name, size_t bytes) {
    const std::string path = os::join_path(dir_.path(), cat("sessions/s1/workspace/", name));
    ASSERT_TRUE(os::write_file_atomic(path, std::string(bytes, 'x')).ok());
  };
  const auto remove = [&](const std::string& name) {
    FileOrder file;
    file.uid = "s1";
    file.operation = FileOperation::kRemove;
    file.path = name;
    EXPECT_TRUE(service_->file(file).ok());
  };
  put("a", 150'000);
  EXPECT_EQ(why_not(), "CALL_CANCELED") << "over its limit, not far";
  put("b", 100'000);
  EXPECT_EQ(why_not(), "E_LIMIT_FS");
  EXPECT_TRUE(knows("s1")) << "its files can be read";
  remove("a");
  EXPECT_EQ(why_not(), "CALL_CANCELED");
  make();  // another agent does not know what the last command did
  for (int i = 0; i < 7; ++i) put(cat("c", i), 0);
  EXPECT_EQ(why_not(), "E_LIMIT_FILES");
  remove("b");
  remove("c1");
  EXPECT_EQ(why_not(), "CALL_CANCELED");
}

// One counts and the other one comes meanwhile: so many files that it does.
TEST_F(SessionService, BeginsNoneOfTheCommandsThatComeAtOnceThere) {
  contracts::SessionOrder small = order("s1");
  small.policy.limits.file_count = 100;
  ASSERT_TRUE(service_->open(small).ok());
  const std::string workspace = os::join_path(dir_.path(), "sessions/s1/workspace");
  for (int i = 0; i <= 200; ++i)
    ASSERT_EQ(::mkdir(os::join_path(workspace, cat("d", i)).c_str(), 0755), 0);
  const os::Event stop;
  stop.raise();
  constexpr int kRounds = 10;
  std::atomic<int> refused = 0;
  const auto call = [&] {
    for (int i = 0; i < kRounds; ++i) {
      const auto done = service_->run({"s1", "true"}, stop.fd(), {});
      if (!done.ok() && done.error().reason == "E_LIMIT_FILES") ++refused;
    }
  };
  std::thread beside(call);
  call();
  beside.join();
  EXPECT_EQ(refused, 2 * kRounds);
}

TEST_F(SessionService, TakesNoMoreThanItMayAndNoStrangeNames) {
  for (const char* uid : {"", "..", "a/b", "A"}) EXPECT_FALSE(service_->open(order(uid)).ok());
  ASSERT_TRUE(service_->open(order("a")).ok());
  ASSERT_TRUE(service_->open(order("b")).ok());
  EXPECT_EQ(service_->open(order("c")).error().reason, "TOO_MANY_SESSIONS");
}

}  // namespace
}  // namespace paddock::sessions
