// An attached run of which nobody sees when its processes are gone: it is told of before they are.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <thread>

#include "tests/adversarial/attached_run_fixture.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxStatus;

// A run that shares nothing with anybody, of a server that holds who ends well.
class UnseenRun : public AttachedRun {
 protected:
  std::vector<std::string> further_options() const override { return {"--hold", "exit"}; }
  contracts::LaunchRequest alone(const std::string& code) {
    auto out = request({"python3", "-c", code});
    out.workdir = "/tmp";
    out.mounts.clear();
    out.inline_output_bytes = 1 << 20;
    return out;
  }
  static bool counts_tasks(const Fed& fed) {
    return std::ranges::any_of(cgroups_of(fed.run.launcher), [](const std::string& folder) {
      return os::exists(os::join_path(folder, "pids.current"));
    });
  }
  // As soon as it is there. The launcher may still be at work.
  std::optional<contracts::SandboxResult> first_result(const Fed& fed) {
    std::string bytes(1 << 20, '\0');
    size_t got = 0;
    while (true) {
      const ssize_t n = read(fed.events.get(), bytes.data() + got, bytes.size() - got);
      if (n <= 0) return std::nullopt;
      got += static_cast<size_t>(n);
      std::string_view rest(bytes.data(), got);
      contracts::Frame frame;
      while (contracts::take_frame(rest, frame).value()) {
        if (frame.type != contracts::FrameType::kResult) continue;
        return wire::decode<contracts::SandboxResult>(wire::parse_json(frame.payload).value())
            .value();
      }
    }
  }
  std::optional<contracts::SandboxResult> end_of(const std::string& code) {
    auto fed = feed(alone(code));
    EXPECT_TRUE(fed.ok() && launch::begin_attached(fed->run, kLong).ok());
    return fed.ok() ? first_result(*fed) : std::nullopt;
  }
};
INSTANTIATE_TEST_SUITE_P(, UnseenRun, testing::Values(As::kRoot, As::kUser), name_of);

// proves: ELV-15
TEST_P(UnseenRun, IsToldOfWithAllThatItWroteToTheLastByte) {
  for (int round = 0; round < 10; ++round) {
    const auto result =
        end_of("import os; os.write(1, b'x' * 60000); os.write(2, b'end'); os._exit(0)");
    ASSERT_TRUE(result);
    EXPECT_EQ(result->status, SandboxStatus::kOk) << result->reason;
    EXPECT_EQ(result->out.size(), 60'000u);
    EXPECT_EQ(result->err, "end");
  }
}

TEST_P(UnseenRun, IsToldOfAsItEndedHoweverItDid) {
  const struct {
    const char* code;
    SandboxStatus status;
    int64_t rc;
  } ends[] = {
      {"import os; os._exit(3)", SandboxStatus::kFailed, 3},
      {"import ctypes, os; ctypes.CDLL(None).prctl(15, b') Z 1 4 0'); os._exit(7)",
       SandboxStatus::kFailed, 7},
      {"import os; os.kill(os.getpid(), 9)", SandboxStatus::kKilledKill, 137},
      {"import os; os.abort()", SandboxStatus::kFailed, 134},
      // The first thread alone ends at once, the whole a little later and not well.
      {"import ctypes, os, threading, time\n"
       "def later():\n  time.sleep(0.2)\n  os._exit(9)\n"
       "threading.Thread(target=later).start()\n"
       "ctypes.CDLL(None).syscall(60, 0)",
       SandboxStatus::kFailed, 9},
  };
  for (const auto& each : ends) {
    const auto result = end_of(each.code);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->status, each.status) << each.code << ": " << result->reason;
    EXPECT_EQ(result->rc, each.rc) << each.code;
  }
}

// Nobody waits for an interpreter to be taken apart: it is still there when its result is. And it
// is not in the way of what it had open: its client sees that go.
TEST_P(UnseenRun, IsHeldAtItsLastCallUntilItsClientLeaves) {
  // The launcher waits a second for its client, who may be given no processor for longer.
  constexpr int kMostTries = 10;
  bool held = false;
  for (int i = 0; i < kMostTries && !held; ++i) {
    auto fed = feed(alone("import os; os.write(1, b'all'); os._exit(0)"));
    ASSERT_TRUE(fed.ok()) << fed.error().describe();
    if (!counts_tasks(*fed)) GTEST_SKIP() << "nobody counts a run's processes here";
    ASSERT_TRUE(launch::begin_attached(fed->run, kLong).ok());
    const auto result = first_result(*fed);
    pollfd talk{fed->talk.get(), POLLIN, 0};
    held = poll(&talk, 1, 0) == 0;
    ASSERT_TRUE(result);
    EXPECT_EQ(result->status, SandboxStatus::kOk) << result->reason;
    EXPECT_EQ(result->out, "all");
    fed->run.connection.reset();
    EXPECT_EQ(poll(&talk, 1, 300'000), 1);
    char byte = 0;
    EXPECT_EQ(recv(fed->talk.get(), &byte, 1, 0), 0);
  }
  EXPECT_TRUE(held) << "it was gone before its result was there";
}

// Signals that it has ordered before do not bring it back.
TEST_P(UnseenRun, ExecutesNothingMoreOnceItIsHeld) {
  auto fed =
      feed(alone("import ctypes, os, signal\n"
                 "C = ctypes.CDLL(None)\n"
                 "HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_int)(lambda _: os.write(0, b'x'))\n"
                 "C.signal(14, HANDLER)\n"
                 "signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)\n"
                 "os._exit(0)"));
  ASSERT_TRUE(fed.ok()) << fed.error().describe();
  ASSERT_TRUE(launch::begin_attached(fed->run, kLong).ok());
  const auto result = first_result(*fed);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, SandboxStatus::kOk) << result->reason;
  std::array<char, 65536> bytes;
  while (recv(fed->talk.get(), bytes.data(), bytes.size(), MSG_DONTWAIT) > 0) {
  }  // from before
  EXPECT_EQ(recv(fed->talk.get(), bytes.data(), bytes.size(), 0), 0) << "it went on";
}

// The command has failed; a child that ends well in the moment before all of it is over changes
// nothing.
TEST_P(UnseenRun, IsNotEndedByAChild) {
  for (int round = 0; round < 20; ++round) {
    const auto result = end_of(
        "import os\n"
        "if os.fork() == 0:\n"
        "  while os.getppid() != 1: pass\n"
        "  os._exit(0)\n"
        "os._exit(3)");
    ASSERT_TRUE(result);
    EXPECT_EQ(result->status, SandboxStatus::kFailed);
    EXPECT_EQ(result->rc, 3);
  }
}

// What it had of its client's is closed in the end, whoever of it held on to it.
TEST_P(UnseenRun, LeavesNothingThatActsAfterItsSuccess) {
  for (const char* code : {// threads, which are with the process that ends
                           "import os, threading\n"
                           "def talk():\n  while True: os.write(0, b'x')\n"
                           "for _ in range(4): threading.Thread(target=talk, daemon=True).start()\n"
                           "os._exit(0)",
                           // a child that goes on, out of its parent's session
                           "import os\n"
                           "if os.fork() == 0:\n  os.setsid()\n  while True: os.write(0, b'x')\n"
                           "os._exit(0)"}) {
    auto fed = feed(alone(code));
    ASSERT_TRUE(fed.ok()) << fed.error().describe();
    ASSERT_TRUE(launch::begin_attached(fed->run, kLong).ok());
    std::thread reader([&] {  // the socket never fills, and ends when the last of them does
      std::array<char, 65536> bytes;
      while (recv(fed->talk.get(), bytes.data(), bytes.size(), 0) > 0) {
      }
    });
    const auto result = first_result(*fed);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->status, SandboxStatus::kOk) << result->reason;
    fed->run.connection.reset();
    reader.join();
  }
}

}  // namespace
}  // namespace paddock::adversarial
