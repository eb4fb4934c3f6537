// The small parts of the executor: decisions, words, numbered output, the wish to stop.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/contracts/launch.h"
#include "common/contracts/status.h"
#include "common/os/file.h"
#include "node-agent/executor/outcome.h"
#include "node-agent/executor/output_log.h"
#include "node-agent/executor/recovery.h"
#include "node-agent/executor/retrying_transport.h"
#include "tests/support/small_disk.h"
#include "tests/support/temp_dir.h"

namespace paddock::executor {
namespace {

using contracts::FrameType;
using contracts::RunPhase;
using contracts::SandboxStatus;
using testing::ElementsAre;

TEST(Recovery, FollowsFromWhatIsKnown) {
  EXPECT_EQ(next_step({Stage::kAccepted, false, false}), NextStep::kPrepare);
  EXPECT_EQ(next_step({Stage::kLaunching, true, false}), NextStep::kFollow);
  EXPECT_EQ(next_step({Stage::kLaunching, false, true}), NextStep::kCollect);
  EXPECT_EQ(next_step({Stage::kLaunching, true, true}), NextStep::kCollect);
  EXPECT_EQ(next_step({Stage::kLaunching, false, false}), NextStep::kLost);
  EXPECT_EQ(next_step({Stage::kEnded, false, false}), NextStep::kReport);
}

TEST(Outcome, EveryStatusHasItsPhaseAndReason) {
  const struct {
    SandboxStatus status;
    RunPhase phase;
    const char* reason;
  } kCases[] = {
      {SandboxStatus::kOk, RunPhase::kSucceeded, "Completed"},
      {SandboxStatus::kFailed, RunPhase::kFailed, "NonZeroExit"},
      {SandboxStatus::kTimeout, RunPhase::kFailed, "Timeout"},
      {SandboxStatus::kCpuLimit, RunPhase::kFailed, "CpuLimit"},
      {SandboxStatus::kMemLimit, RunPhase::kFailed, "MemoryLimit"},
      {SandboxStatus::kKilledTerm, RunPhase::kFailed, "Killed"},
      {SandboxStatus::kKilledKill, RunPhase::kFailed, "Killed"},
      {SandboxStatus::kCanceled, RunPhase::kCanceled, "Canceled"},
      {SandboxStatus::kForbiddenSyscall, RunPhase::kFailed, "ForbiddenSyscall"},
      {SandboxStatus::kLimitExceeded, RunPhase::kFailed, "LimitExceeded"},
      {SandboxStatus::kInternalError, RunPhase::kFailed, "SandboxError"},
  };
  for (const auto& each : kCases) {
    contracts::SandboxResult result;
    result.status = each.status;
    const contracts::RunOutcome outcome = outcome_of(result);
    EXPECT_EQ(outcome.phase, each.phase) << each.reason;
    EXPECT_EQ(outcome.reason, each.reason);
    EXPECT_TRUE(outcome.result.has_value());
  }
  contracts::SandboxResult canceled;
  canceled.status = SandboxStatus::kCanceled;
  canceled.reason = "canceled";
  EXPECT_EQ(outcome_of(canceled).phase, RunPhase::kCanceled);
  EXPECT_FALSE(outcome_of(canceled).message.empty());
}

TEST(Outcome, ALimitThatWasReachedIsNamedOnce) {
  const auto message = [](SandboxStatus status, const char* reason) {
    contracts::SandboxResult result;
    result.status = status;
    result.reason = reason;
    const std::string said = outcome_of(result).message;
    return said.substr(0, said.find("; spec."));
  };
  EXPECT_EQ(message(SandboxStatus::kTimeout, "wall time limit reached"),
            "the command was ended: wall time limit reached");
  EXPECT_EQ(message(SandboxStatus::kCpuLimit, "CPU time limit reached (as by signal 24)"),
            "the command was ended: CPU time limit reached (as by signal 24)");
  EXPECT_EQ(message(SandboxStatus::kMemLimit, "memory limit reached: the kernel's event"),
            "the command was ended: memory limit reached: the kernel's event");
  EXPECT_EQ(message(SandboxStatus::kTimeout, "its launcher said nothing"),
            "the command was ended: its launcher said nothing");
  EXPECT_EQ(message(SandboxStatus::kLimitExceeded, "file limit reached"),
            "the command came to a limit: file limit reached");
}

TEST(Outcome, AnErrorBeforeTheStartKeepsItsReasonUnlessACancelExplainsIt) {
  const Error error = invalid_argument("REQUIREMENTS_INVALID", "line 2: paths are not allowed");
  EXPECT_EQ(outcome_of_error(error, false).reason, "REQUIREMENTS_INVALID");
  EXPECT_EQ(outcome_of_error(error, true).phase, RunPhase::kCanceled);
  EXPECT_FALSE(outcome_of_error(error, false).result.has_value());
}

// By a reason that is tried again only where nothing was begun, it could run twice.
TEST(Outcome, OfUnreadableOutputDoesNotSayThatNothingWasBegun) {
  EXPECT_EQ(outcome_of_unreadable({Code::kInternal, "SYSTEM_ERROR", "open: too many"}).reason,
            "LAUNCHER_LOST");
  EXPECT_EQ(outcome_of_unreadable({Code::kInternal, "DISK_FAILS", "read"}).reason,
            contracts::kDiskFails);
}

contracts::Assignment assignment_of(const std::string& run) {
  contracts::Assignment out;
  out.run_uid = run;
  out.attempt = 1;
  out.spec.command.argv = {"true"};
  return out;
}

TEST(Journal, TheLastWholeRecordCounts) {
  const test::TempDir dir;
  const RunFolder folder(dir.path(), "aa-1");
  ASSERT_TRUE(folder.create(assignment_of("aa")).ok());
  EXPECT_EQ(folder.record()->stage, Stage::kAccepted);
  const os::Fd torn(::open(folder.file("journal").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  ASSERT_TRUE(os::write_all(torn.get(), "\n{\"stage\":\"lau").ok());
  EXPECT_EQ(folder.record()->stage, Stage::kAccepted);
  ASSERT_TRUE(folder.store({.stage = Stage::kLaunching}).ok());
  ASSERT_TRUE(os::write_all(torn.get(), "\n{\"stage\":\"en\n{\"st").ok());
  EXPECT_EQ(folder.record()->stage, Stage::kLaunching);
  EXPECT_EQ(folder.assignment()->run_uid, "aa");
}

TEST(Journal, FoldersAreListedInOrderAndApartFromThoseOfBefore) {
  const test::TempDir dir;
  for (const char* name : {"bb-1", "aa-2", "aa-1"})
    ASSERT_TRUE(RunFolder(dir.path(), name).create(assignment_of(name)).ok());
  ASSERT_TRUE(os::make_dirs(dir / "cccc-1").ok());
  EXPECT_THAT(*RunFolder::list(dir.path()), ElementsAre("aa-1", "aa-2", "bb-1"));
  EXPECT_THAT(*RunFolder::list_earlier(dir.path()), ElementsAre("cccc-1"));
}

class Output : public testing::Test {
 protected:
  Output() {
    std::string pattern = testing::TempDir() + "output-XXXXXX";
    folder.emplace(::mkdtemp(pattern.data()));
    reopen();
  }
  ~Output() override { (void)folder->erase(); }
  void reopen() {
    auto opened = OutputLog::open(*folder, clock);
    ASSERT_TRUE(opened.ok());
    log = std::move(*opened);
  }
  void append(const std::string& bytes) {
    const os::Fd file(::open(folder->file("events").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    ASSERT_TRUE(os::write_all(file.get(), bytes).ok());
  }
  void frame(FrameType type, const std::string& payload) {
    append(cat(contracts::frame_header(type, 5, payload.size()), payload, "\n"));
  }
  // Everything, as "seq stream text" with long texts shortened to their length.
  std::vector<std::string> all(int64_t after = 0, size_t step = 1) const {
    std::vector<std::string> out;
    while (true) {
      const auto chunks = log->read(after, step);
      if (chunks.empty()) return out;
      for (const auto& chunk : chunks) {
        const std::string text = *decode_base64(chunk.data);
        out.push_back(cat(chunk.seq, " ", chunk.stream, " ",
                          text.size() > 20 ? std::to_string(text.size()) : text));
        after = chunk.seq;
      }
    }
  }
  std::optional<RunFolder> folder;
  ManualClock clock;
  std::unique_ptr<OutputLog> log;
};

TEST_F(Output, IsNumberedInOrderAndTheSameAfterAReopen) {
  ASSERT_TRUE(log->say("workspace").ok());
  frame(FrameType::kStarted, "{\"pid\":1}");
  frame(FrameType::kStdout, "one");
  frame(FrameType::kStderr, "two");
  ASSERT_TRUE(log->advance().ok());
  frame(FrameType::kResult, "{\"status\":\"OK\",\"rc\":0}");
  ASSERT_TRUE(log->advance().ok());
  ASSERT_TRUE(log->say("artifacts").ok());
  const std::vector<std::string> expected = {"1 system workspace\n", "2 stdout one", "3 stderr two",
                                             "4 system artifacts\n"};
  EXPECT_EQ(all(), expected);
  EXPECT_EQ(log->state().last_seq, 4);
  EXPECT_EQ(log->state().started_ms, 5);
  EXPECT_EQ(log->state().result->status, SandboxStatus::kOk);
  reopen();
  EXPECT_EQ(all(), expected);
  EXPECT_EQ(all(0, 1 << 20), expected);
  EXPECT_THAT(all(3), ElementsAre("4 system artifacts\n"));
}

TEST_F(Output, ATornFrameIsNotCountedUntilItIsWhole) {
  append("stdout 5 4\nha");
  ASSERT_TRUE(log->advance().ok());
  EXPECT_EQ(log->state().last_seq, 0);
  append("lf\n");
  ASSERT_TRUE(log->advance().ok());
  EXPECT_THAT(all(), ElementsAre("1 stdout half"));
}

TEST_F(Output, ATornLineOfOurOwnIsDropped) {
  ASSERT_TRUE(log->say("whole").ok());
  const os::Fd file(::open(folder->file("said-before").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  ASSERT_TRUE(os::write_all(file.get(), "stdout 5 400\nto").ok());
  reopen();
  ASSERT_TRUE(log->say("next").ok());
  EXPECT_THAT(all(), ElementsAre("1 system whole\n", "2 system next\n"));
}

// From now on this process shortens no file: where each change is written anew, that needs room.
bool forbid_to_shorten() {
  constexpr auto kNumber = static_cast<unsigned>(offsetof(seccomp_data, nr));
  sock_filter program[] = {{BPF_LD | BPF_W | BPF_ABS, 0, 0, kNumber},
                           {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_ftruncate},
                           {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSPC},
                           {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  sock_fprog whole{std::size(program), program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole) == 0;
}

TEST_F(Output, IsReadOnADiskThatTakesNothing) {
  ASSERT_TRUE(log->say("whole").ok());
  const os::Fd file(::open(folder->file("said-before").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  ASSERT_TRUE(os::write_all(file.get(), "stdout 5 400\nto").ok());
  EXPECT_EQ(test::in_child([this]() -> std::string {
              if (!forbid_to_shorten()) return "no filter";
              auto opened = OutputLog::open(*folder, clock);
              if (!opened.ok()) return opened.error().describe();
              log = std::move(*opened);
              if (log->say("next").ok()) return "a line behind a torn one";
              return join(all(), "");
            }),
            "1 system whole\n");
}

TEST_F(Output, ALargeFrameIsSeveralChunks) {
  frame(FrameType::kStdout, std::string(300 << 10, 'x'));
  frame(FrameType::kStdout, "end");
  ASSERT_TRUE(log->advance().ok());
  EXPECT_THAT(all(),
              ElementsAre("1 stdout 131072", "2 stdout 131072", "3 stdout 45056", "4 stdout end"));
  EXPECT_THAT(all(2), ElementsAre("3 stdout 45056", "4 stdout end"));
}

TEST_F(Output, AnyPlaceInALongOutputCanBeReadAgain) {
  std::string bytes;
  for (int i = 1; i <= 5'000; ++i) {
    const std::string text = std::to_string(i);
    bytes += cat(contracts::frame_header(FrameType::kStdout, 5, text.size()), text, "\n");
  }
  append(bytes);
  ASSERT_TRUE(log->advance().ok());
  for (const int64_t after : {0, 4'998, 255, 256, 257, 3'000, 2'999, 4'999, 1}) {
    EXPECT_EQ(*decode_base64(log->read(after, 1).at(0).data), std::to_string(after + 1));
  }
  EXPECT_TRUE(log->read(5'000, 1).empty());
}

TEST_F(Output, WhatWasJustNumberedIsReadFromNoFile) {
  ASSERT_TRUE(log->say("workspace").ok());
  frame(FrameType::kStarted, "{\"pid\":1}");
  frame(FrameType::kStdout, "one");
  frame(FrameType::kStderr, "two");
  ASSERT_TRUE(log->advance().ok());
  for (const char* file : {"said-before", "events"})
    ASSERT_EQ(::truncate(folder->file(file).c_str(), 0), 0);
  EXPECT_THAT(all(), ElementsAre("1 system workspace\n", "2 stdout one", "3 stderr two"));
}

TEST_F(Output, OfMuchTheOldestIsReadFromItsFile) {
  for (int i = 0; i < 10; ++i) frame(FrameType::kStdout, std::string(100 << 10, 'x'));
  frame(FrameType::kStdout, "end");
  ASSERT_TRUE(log->advance().ok());
  EXPECT_EQ(all().size(), 11u);
  EXPECT_EQ(all(3, 1 << 20).size(), 8u);
}

TEST_F(Output, BytesThatAreNoFrameAreAnError) {
  append("nonsense that is no frame at all\n");
  EXPECT_EQ(log->advance().error().reason, "SPOOL_CORRUPT");
}

TEST(Stop, AStrongerWishReplacesAWeakerOneAndNeverTheOtherWay) {
  StopSignal signal;
  int called = 0;
  const StopSignal::Watch watch(signal, StopKind::kDetach, [&] { ++called; });
  signal.raise(StopKind::kCancel);
  EXPECT_EQ(called, 0);
  EXPECT_FALSE(signal.wait(Millis(0), StopKind::kDetach));
  signal.raise(StopKind::kForget);
  EXPECT_EQ(called, 1);
  signal.raise(StopKind::kCancel);
  EXPECT_EQ(signal.kind(), StopKind::kForget);
  EXPECT_TRUE(signal.wait(Millis(0), StopKind::kDetach));
}

TEST(Stop, ALateWatchIsCalledAtOnce) {
  StopSignal signal;
  signal.raise(StopKind::kDetach);
  int called = 0;
  const StopSignal::Watch watch(signal, StopKind::kCancel, [&] { ++called; });
  EXPECT_EQ(called, 1);
}

class FlakyTransport : public RunTransport {
 public:
  FlakyTransport(int& calls, int failures, Error error)
      : calls_(calls), failures_(failures), error_(std::move(error)) {}
  FlakyTransport(int& calls, int failures, Code code)
      : FlakyTransport(calls, failures, Error{code, "UNREACHABLE", "down"}) {}
  Result<contracts::Tree> fetch_tree(const std::string&, const std::string&) override {
    if (++calls_ <= failures_) return error_;
    return contracts::Tree{};
  }
  Status fetch_blob(const std::string&, const std::string&, int64_t,
                    const cas::BlobStore&) override {
    return {};
  }
  Status upload_artifact(const std::string&, int, const contracts::Artifact&) override {
    return {};
  }
  Status name_finished(const std::string&, const contracts::FinishedArtifacts&) override {
    return {};
  }
  void abort() override {}

 private:
  int& calls_;
  int failures_;
  Error error_;
};

TEST(RetryingTransport, OutlastsAnOutageAndGivesUpOnRefusalsAndStops) {
  SeededRandom random(1);
  StopSignal stop;
  int calls = 0;
  RetryingTransport outage(std::make_unique<FlakyTransport>(calls, 1, Code::kUnavailable), stop,
                           StopKind::kCancel, random);
  EXPECT_TRUE(outage.fetch_tree("u", "").ok());
  EXPECT_EQ(calls, 2);
  calls = 0;
  // Whatever failed at the server: a read-only or failing disk that nobody has a name for yet.
  Error fault{Code::kInternal, "SYSTEM_ERROR", "writing: Read-only file system"};
  fault.facts.emplace_back(contracts::kServerFailed, "500");
  RetryingTransport failing(std::make_unique<FlakyTransport>(calls, 1, fault), stop,
                            StopKind::kCancel, random);
  EXPECT_TRUE(failing.fetch_tree("u", "").ok());
  EXPECT_EQ(calls, 2);
  // By a name that a disk of this host would have too.
  for (const char* name : {"DISK_READ_ONLY", "DISK_FAILS", "NODE_DISK_FULL", "STORE_IO"}) {
    calls = 0;
    fault.reason = Reason::parse(name);
    RetryingTransport unnamed(std::make_unique<FlakyTransport>(calls, 1, fault), stop,
                              StopKind::kCancel, random);
    EXPECT_TRUE(unnamed.fetch_tree("u", "").ok()) << name;
    EXPECT_EQ(calls, 2);
  }
  calls = 0;
  const Error lost_here{Code::kUnavailable, "STORE_IO", "the folder of files is not there now"};
  RetryingTransport here(std::make_unique<FlakyTransport>(calls, 9, lost_here), stop,
                         StopKind::kCancel, random);
  EXPECT_FALSE(here.fetch_tree("u", "").ok()) << "another node has its own";
  EXPECT_EQ(calls, 1);
  calls = 0;
  RetryingTransport refused(std::make_unique<FlakyTransport>(calls, 9, Code::kNotFound), stop,
                            StopKind::kCancel, random);
  EXPECT_FALSE(refused.fetch_tree("u", "").ok());
  EXPECT_EQ(calls, 1);
  stop.raise(StopKind::kCancel);
  calls = 0;
  RetryingTransport stopped(std::make_unique<FlakyTransport>(calls, 9, Code::kUnavailable), stop,
                            StopKind::kCancel, random);
  EXPECT_FALSE(stopped.fetch_tree("u", "").ok());
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace paddock::executor
