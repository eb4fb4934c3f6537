// A fed run: it waits for its input, belongs to its client, and its time counts from the word.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <thread>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/packet_socket.h"
#include "common/wire/json.h"
#include "tests/adversarial/serve_fixture.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxStatus;

struct Fed {
  launch::Launched run;
  os::Fd talk;  // the other end of its standard input
  os::Fd events;
};

class FedRun : public ServeTest {
 protected:
  static constexpr Millis kLong{60'000};

  Result<Fed> feed(const contracts::LaunchRequest& launch) {
    const os::Fd file(open((write_request(launch) + ".request").c_str(), O_RDONLY | O_CLOEXEC));
    ASSIGN_OR_RETURN(os::Pipe events, os::make_pipe());
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      return system_error("a socket", errno);
    Fed out{{}, os::Fd(ends[0]), std::move(events.read)};
    const os::Fd inside(ends[1]);
    launch::OrderFiles files;
    files.request = file.get();
    files.events = events.write.get();
    files.input = inside.get();
    ASSIGN_OR_RETURN(out.run, launch::order_launch(socket(), files));
    return out;
  }
  contracts::SandboxResult result_of(const Fed& fed) {
    const auto bytes = os::read_all(fed.events.get(), 1 << 20);
    EXPECT_TRUE(bytes.ok());
    std::string_view rest = *bytes;
    contracts::Frame frame;
    contracts::SandboxResult out;
    while (contracts::take_frame(rest, frame).value()) {
      if (frame.type != contracts::FrameType::kResult) continue;
      out = wire::decode<contracts::SandboxResult>(wire::parse_json(frame.payload).value()).value();
    }
    return out;
  }
  void say(Fed& fed, std::string_view text) {
    EXPECT_TRUE(os::write_all(fed.talk.get(), text).ok());
    shutdown(fed.talk.get(), SHUT_WR);
  }
};
INSTANTIATE_TEST_SUITE_P(, FedRun, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(FedRun, WaitsBeyondItsWallTimeAndHasAllOfItAfterwards) {
  auto launch = request({"sh", "-c", "read line; sleep 0.3; echo got $line"});
  launch.policy.limits.wall_time = wire::Duration{Millis(4'000)};
  auto fed = feed(launch);
  ASSERT_TRUE(fed.ok()) << fed.error().describe();
  std::this_thread::sleep_for(Millis(4'500));
  ASSERT_TRUE(launch::begin_fed(fed->run, Millis(3'900)).ok());
  say(*fed, "it\n");
  const auto result = result_of(*fed);
  EXPECT_EQ(result.status, SandboxStatus::kOk) << result.reason;
  EXPECT_EQ(result.out, "got it\n");
  EXPECT_LT(result.duration_ms, 4'000);  // without what it waited
}

// proves: ELV-101, ELV-128
TEST_P(FedRun, IsEndedWhenTheTimeOfItsRequestIsUpAndThePolicysIsTheMost) {
  for (const auto& [policy_ms, asked_ms] : {std::pair{60'000, 300}, std::pair{300, 60'000}}) {
    auto launch = request({"sh", "-c", "read line; sleep 50"});
    launch.policy.limits.wall_time = wire::Duration{Millis(policy_ms)};
    auto fed = feed(launch);
    ASSERT_TRUE(fed.ok()) << fed.error().describe();
    ASSERT_TRUE(launch::begin_fed(fed->run, Millis(asked_ms)).ok());
    say(*fed, "it\n");
    EXPECT_EQ(result_of(*fed).status, SandboxStatus::kTimeout);
  }
}

TEST_P(FedRun, EndsWithItsClientBeforeAndAfterTheWord) {
  for (const bool begun : {false, true}) {
    auto launch = request({"sh", "-c", "trap '' TERM; sleep 50"});
    launch.cancel_grace_ms = 0;
    auto fed = feed(launch);
    ASSERT_TRUE(fed.ok()) << fed.error().describe();
    if (begun) {
      ASSERT_TRUE(launch::begin_fed(fed->run, kLong).ok());
    }
    fed->run.connection.reset();
    EXPECT_EQ(result_of(*fed).status, SandboxStatus::kCanceled);
  }
}

TEST_P(FedRun, TakesTheWordOnceAndNoOther) {
  for (const char* word : {"begin", "begin x", "begin -1", "stop"}) {
    auto fed = feed(request({"sleep", "50"}));
    ASSERT_TRUE(fed.ok()) << fed.error().describe();
    ASSERT_TRUE(os::send_packet(fed->run.connection.get(), word).ok());
    EXPECT_EQ(result_of(*fed).status, SandboxStatus::kCanceled) << word;
  }
  auto fed = feed(request({"sleep", "50"}));
  ASSERT_TRUE(fed.ok());
  ASSERT_TRUE(launch::begin_fed(fed->run, kLong).ok());
  ASSERT_TRUE(launch::begin_fed(fed->run, kLong).ok());
  EXPECT_EQ(result_of(*fed).status, SandboxStatus::kCanceled);
}

TEST_P(FedRun, HasNothingOpenButItsThreeStreams) {
  auto fed = feed(request(probe("descriptors", {"fed"})));
  ASSERT_TRUE(fed.ok()) << fed.error().describe();
  ASSERT_TRUE(launch::begin_fed(fed->run, kLong).ok());
  say(*fed, "");
  const auto result = result_of(*fed);
  EXPECT_THAT(result.out, testing::HasSubstr("CONTAINED")) << result.reason;
  EXPECT_THAT(result.out, testing::Not(testing::HasSubstr("BREACH")));
}

// One that is ordered before the last argument of its command is known.
class AheadRun : public FedRun {
 protected:
  Result<Fed> order_ahead(const contracts::LaunchRequest& launch) {
    const os::Fd file(open((write_request(launch) + ".request").c_str(), O_RDONLY | O_CLOEXEC));
    ASSIGN_OR_RETURN(os::Pipe events, os::make_pipe());
    Fed out{{}, {}, std::move(events.read)};
    launch::OrderFiles files;
    files.request = file.get();
    files.events = events.write.get();
    files.ahead = true;
    ASSIGN_OR_RETURN(out.run, launch::order_launch(socket(), files));
    return out;
  }
  // It listens for a cancel then, and never before.
  static bool awaits_the_word(pid_t launcher) {
    const std::string folder = cat("/proc/", launcher, "/fd");
    const auto names = os::list_dir(folder);
    EXPECT_TRUE(names.ok());
    return names.ok() && std::ranges::any_of(*names, [&](const std::string& name) {
             std::array<char, 64> text{};
             const ssize_t n = readlink(cat(folder, "/", name).c_str(), text.data(), text.size());
             return std::string_view(text.data(), n > 0 ? static_cast<size_t>(n) : 0) ==
                    "anon_inode:[signalfd]";
           });
  }
  static void wait_until_it_awaits_the_word(const Fed& fed) {
    const SystemClock clock;
    const MonoTime until = clock.mono() + kLong;
    while (!awaits_the_word(fed.run.launcher)) ASSERT_LT(clock.mono(), until);
  }
  contracts::LaunchRequest shell() { return request({"sh", "-c"}); }
  contracts::SandboxResult end_of(const contracts::LaunchRequest& launch, std::string_view word,
                                  Millis wall_time = kLong) {
    auto fed = order_ahead(launch);
    EXPECT_TRUE(fed.ok() && launch::begin_ahead(fed->run, wall_time, word).ok());
    return fed.ok() ? result_of(*fed) : contracts::SandboxResult();
  }
};
INSTANTIATE_TEST_SUITE_P(, AheadRun, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(AheadRun, RunsTheWholeCommandAsAnyOtherRunWould) {
  const auto result = end_of(shell(), "echo \"$0 $#\"; read line || echo no input; exit 3");
  EXPECT_EQ(result.status, SandboxStatus::kFailed) << result.reason;
  EXPECT_EQ(result.rc, 3);
  EXPECT_EQ(result.out, "sh 0\nno input\n");
  EXPECT_EQ(result.cmd.size(), 3u);
  for (const auto& [name, enforced] : result.enforced)
    EXPECT_EQ(enforced.applied, enforced.level != contracts::EnforcementLevel::kNone) << name;
}

// What changes between order and word is what the command finds.
TEST_P(AheadRun, SeesAndIsBoundedByTheWorkspaceAsItIsWhenItBegins) {
  auto launch = shell();
  launch.whole_workspace = true;
  launch.policy.limits.file_count = 3;
  auto fed = order_ahead(launch);
  ASSERT_TRUE(fed.ok()) << fed.error().describe();
  ASSERT_TRUE(os::write_file_atomic(workspace() + "/later", "it is here", 0644).ok());
  ASSERT_TRUE(launch::begin_ahead(fed->run, kLong, "cat later; touch 1 2 3 4; sleep 50").ok());
  const auto result = result_of(*fed);
  EXPECT_EQ(result.out, "it is here") << result.err;
  EXPECT_EQ(result.status, SandboxStatus::kLimitExceeded) << result.reason;
  EXPECT_EQ(result.code, "E_LIMIT_FILES");
}

// proves: WSM-29
TEST_P(AheadRun, HasItsTimeFromTheWordOnAndThePolicysIsTheMost) {
  auto launch = shell();
  launch.policy.limits.wall_time = wire::Duration{Millis(4'000)};
  auto fed = order_ahead(launch);
  ASSERT_TRUE(fed.ok()) << fed.error().describe();
  std::this_thread::sleep_for(Millis(4'500));
  ASSERT_TRUE(launch::begin_ahead(fed->run, kLong, "echo in time").ok());
  const auto result = result_of(*fed);
  EXPECT_EQ(result.out, "in time\n") << result.reason;
  EXPECT_LT(result.duration_ms, 4'000);
  launch.policy.limits.wall_time = wire::Duration{Millis(300)};
  EXPECT_EQ(end_of(launch, "sleep 50").status, SandboxStatus::kTimeout);
  EXPECT_EQ(end_of(shell(), "sleep 50", Millis(300)).status, SandboxStatus::kTimeout);
}

TEST_P(AheadRun, IsCanceledLikeAnyOtherWhileItWaits) {
  auto fed = order_ahead(shell());
  ASSERT_TRUE(fed.ok()) << fed.error().describe();
  wait_until_it_awaits_the_word(*fed);
  ASSERT_EQ(kill(fed->run.launcher, SIGTERM), 0);
  EXPECT_EQ(result_of(*fed).status, SandboxStatus::kCanceled);
}

TEST_P(AheadRun, EndsWithItsClientBeforeAndAfterTheWord) {
  for (const bool begun : {false, true}) {
    auto launch = shell();
    launch.cancel_grace_ms = 0;
    auto fed = order_ahead(launch);
    ASSERT_TRUE(fed.ok()) << fed.error().describe();
    if (begun) {
      ASSERT_TRUE(launch::begin_ahead(fed->run, kLong, "touch ran; sleep 50").ok());
    }
    fed->run.connection.reset();
    EXPECT_EQ(result_of(*fed).status, SandboxStatus::kCanceled);
    if (!begun) {
      EXPECT_FALSE(os::exists(workspace() + "/ran"));
    }
  }
}

TEST_P(AheadRun, ExecutesNothingForAnyOtherWord) {
  const os::Fd folder(open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const int no_file = folder.get();
  for (const auto& [text, fds] : {std::pair<const char*, std::vector<int>>{"begin 1000", {}},
                                  {"begin 1000", {no_file}},
                                  {"stop", {}}}) {
    auto fed = order_ahead(request({"touch", "ran"}));
    ASSERT_TRUE(fed.ok()) << fed.error().describe();
    ASSERT_TRUE(os::send_packet(fed->run.connection.get(), text, fds).ok());
    EXPECT_EQ(result_of(*fed).status, SandboxStatus::kCanceled) << text;
  }
  EXPECT_FALSE(os::exists(workspace() + "/ran"));
}

// proves: WSM-35
TEST_P(AheadRun, RefusesALastArgumentThatNoCommandMayHave) {
  auto launch = shell();
  EXPECT_THAT(end_of(launch, std::string_view("true\0x", 6)).reason,
              testing::HasSubstr("INVALID_COMMAND"));
  launch.policy.limits.command_bytes = wire::Quantity{100};
  const auto result = end_of(launch, std::string(200, 'x'));
  EXPECT_EQ(result.status, SandboxStatus::kLimitExceeded);
  EXPECT_EQ(result.code, "E_LIMIT_COMMAND");
}

// What was made ready is made anew if it does not hold any more.
TEST_P(AheadRun, RunsEvenIfWhatWasMadeReadyIsGone) {
  auto fed = order_ahead(shell());
  ASSERT_TRUE(fed.ok()) << fed.error().describe();
  wait_until_it_awaits_the_word(*fed);
  const std::vector<pid_t> inside = children_of(fed->run.launcher);
  if (inside.empty()) GTEST_SKIP() << "launchers of this host make nothing ready ahead";
  for (const pid_t pid : inside) kill(pid, SIGKILL);
  wait_until_gone(inside);
  ASSERT_TRUE(launch::begin_ahead(fed->run, kLong, "echo it runs").ok());
  const auto result = result_of(*fed);
  EXPECT_EQ(result.status, SandboxStatus::kOk) << result.reason;
  EXPECT_EQ(result.out, "it runs\n");
}

// A run that shares nothing with anybody, of a server that holds who ends well.
class UnseenRun : public FedRun {
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
    EXPECT_TRUE(fed.ok() && launch::begin_fed(fed->run, kLong).ok());
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
  auto fed = feed(alone("import os; os.write(1, b'all'); os._exit(0)"));
  ASSERT_TRUE(fed.ok()) << fed.error().describe();
  if (!counts_tasks(*fed)) GTEST_SKIP() << "nobody counts a run's processes here";
  ASSERT_TRUE(launch::begin_fed(fed->run, kLong).ok());
  const auto result = first_result(*fed);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, SandboxStatus::kOk) << result->reason;
  EXPECT_EQ(result->out, "all");
  pollfd talk{fed->talk.get(), POLLIN, 0};
  EXPECT_EQ(poll(&talk, 1, 0), 0) << "it was gone before its result was there";
  fed->run.connection.reset();
  EXPECT_EQ(poll(&talk, 1, 60'000), 1);
  char byte = 0;
  EXPECT_EQ(recv(fed->talk.get(), &byte, 1, 0), 0);
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
  ASSERT_TRUE(launch::begin_fed(fed->run, kLong).ok());
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
    ASSERT_TRUE(launch::begin_fed(fed->run, kLong).ok());
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
