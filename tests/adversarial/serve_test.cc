// A launcher that serves: its clients, its end, and theirs.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string_view>

#include "common/os/file.h"
#include "common/os/lock_file.h"
#include "common/os/packet_socket.h"
#include "tests/adversarial/serve_fixture.h"

namespace paddock::adversarial {
namespace {

using contracts::SandboxStatus;
using testing::HasSubstr;

class Serve : public ServeTest {
 protected:
  // Says READY, and goes on when allow() was called.
  contracts::LaunchRequest patient(std::vector<std::string> then = {"echo", "DONE"}) const {
    return request(
        {"sh", "-c", cat("echo READY; while [ ! -e go ]; do sleep 0.02; done; ", join(then, " "))});
  }
  void allow() const { EXPECT_TRUE(os::write_file_atomic(workspace() + "/go", "", 0666).ok()); }
  std::string reason_for(const std::string& bytes, int files) {
    const os::Fd file(open("/dev/null", O_RDWR | O_CLOEXEC));
    const std::vector<int> fds(static_cast<size_t>(files), file.get());
    return answer_to(socket(), bytes, fds);
  }
};
INSTANTIATE_TEST_SUITE_P(, Serve, testing::Values(As::kRoot, As::kUser), name_of);

TEST_P(Serve, RunsAsALauncherOfItsOwnWould) {
  const contracts::LaunchRequest launch = request({"sh", "-c", "echo out; echo err >&2; exit 7"});
  const Finished served = run(launch);
  const Finished alone = SandboxTest::start(launch).wait();
  ASSERT_TRUE(served.result && alone.result);
  EXPECT_EQ(served.out, "out\n");
  EXPECT_EQ(served.err, "err\n");
  EXPECT_EQ(served.result->rc, 7);
  EXPECT_EQ(served.result->status, alone.result->status);
  ASSERT_EQ(served.result->enforced.size(), alone.result->enforced.size());
  for (const auto& [name, enforcement] : alone.result->enforced) {
    EXPECT_EQ(served.result->enforced.at(name).mechanism, enforcement.mechanism) << name;
    EXPECT_EQ(served.result->enforced.at(name).applied, enforcement.applied) << name;
  }
}

// What waits was made before anybody knew the limits.
TEST_P(Serve, HoldsEachOrderToItsOwnLimits) {
  const auto with = [&](const std::string& script, const auto& set) {
    contracts::LaunchRequest launch = request({"sh", "-c", script});
    set(launch.policy.limits);
    return run(launch);
  };
  for (const auto& [mib, fits] : {std::pair{1, false}, std::pair{200, true}}) {
    const std::string fill = "head -c 100000000 /dev/zero > /tmp/a && echo fits";
    const Finished done = with(fill, [&, mib = mib](auto& limits) {
      limits.fs_bytes = wire::Quantity{int64_t{mib} << 20};
      limits.memory = wire::Quantity{int64_t{400} << 20};
    });
    EXPECT_EQ(done.out, fits ? "fits\n" : "") << mib;
  }
  const std::string make_files =
      "i=0; while [ $i -lt 300 ] && true > /tmp/$i; do i=$((i+1)); done 2>/dev/null; echo $i";
  EXPECT_EQ(with(make_files, [](auto& limits) { limits.file_count = 50; }).out, "50\n");
  EXPECT_EQ(with(make_files, [](auto& limits) { limits.file_count = 20'000; }).out, "300\n");
  const std::string count_files = "ulimit -n";
  EXPECT_EQ(with(count_files, [](auto& limits) { limits.open_files = 33; }).out, "33\n");
  const Finished crowd = with("for i in 1 2 3 4 5 6 7 8 9; do sleep 100 & done; kill $(jobs -p)",
                              [](auto& limits) { limits.pids = 4; });
  EXPECT_THAT(crowd.err, HasSubstr("fork"));
  const Finished hungry = with("head -c 100000000 /dev/zero | tail -n 1 | wc -c",
                               [](auto& limits) { limits.memory = wire::Quantity{24 << 20}; });
  EXPECT_THAT(hungry.out, testing::Not(HasSubstr("100000000")));
}

TEST_P(Serve, RunsManyAtOnce) {
  constexpr int kMany = 24;
  std::vector<Launched> runs;
  for (int i = 0; i < kMany; ++i) runs.push_back(start(patient({"echo", cat("run-", i)})));
  for (Launched& launched : runs) EXPECT_TRUE(launched.wait_for_output("READY"));
  allow();
  for (int i = 0; i < kMany; ++i) {
    EXPECT_EQ(runs[static_cast<size_t>(i)].wait().out, cat("READY\nrun-", i, "\n"));
  }
}

TEST_P(Serve, CancelsARunAtASignalToItsLauncher) {
  Launched launched = start(patient());
  ASSERT_TRUE(launched.wait_for_output("READY"));
  kill(launched.pid(), SIGTERM);
  EXPECT_EQ(launched.wait().result.value().status, SandboxStatus::kCanceled);
}

TEST_P(Serve, FinishesARunWhoseClientHasLeft) {
  const std::string base = write_request(patient());
  const std::string lock = base + ".lock";
  pid_t pid = -1;
  {
    const auto launched = order(base + ".request", base + ".events", lock);
    ASSERT_TRUE(launched.ok()) << launched.error().describe();
    pid = launched->launcher;
  }
  EXPECT_TRUE(os::LockFile::held(lock));
  allow();
  while (os::LockFile::held(lock)) poll(nullptr, 0, 1);
  const std::string events = os::read_file(base + ".events", 1 << 20).value();
  EXPECT_THAT(events, HasSubstr("\nresult "));
  EXPECT_THAT(events, HasSubstr(R"("stdout":"READY\nDONE\n")"));
  EXPECT_TRUE(cgroups_of(pid).empty());
}

TEST_P(Serve, RunsGoOnWhenTheServerIsKilledOrToldToLeave) {
  for (const int signal : {SIGKILL, SIGTERM}) {
    Launched launched = start(patient());
    ASSERT_TRUE(launched.wait_for_output("READY"));
    EXPECT_EQ(end_server(signal), signal == SIGTERM ? 0 : 128 + SIGKILL);
    while (processes_of(launcher()).size() > 2) poll(nullptr, 0, 1);  // the run's, and its init
    allow();
    const Finished done = launched.wait();
    EXPECT_EQ(done.out, "READY\nDONE\n");
    EXPECT_EQ(done.result.value().status, SandboxStatus::kOk);
    EXPECT_EQ(unlink((workspace() + "/go").c_str()), 0);
    const std::string base = write_request(patient());
    EXPECT_EQ(order(base + ".request", base + ".events").error().reason, "NOT_LISTENING");
    start_server();
  }
}

// An agent that is killed tells nobody; the next one starts a server of its own.
TEST_P(Serve, EndsWithTheProcessThatStartedItAndItsRunGoesOn) {
  EXPECT_EQ(end_server(SIGTERM), 0);
  const pid_t starter = start_server_by_another();
  Launched launched = start(patient());
  ASSERT_TRUE(launched.wait_for_output("READY"));
  kill_starter(starter);
  while (processes_of(launcher()).size() > 2) poll(nullptr, 0, 1);  // the run's, and its init
  allow();
  EXPECT_EQ(launched.wait().out, "READY\nDONE\n");
}

TEST_P(Serve, ASecondServerIsRefusedAndHarmsNothing) {
  const pid_t second = spawn_launcher({"serve", "--socket", socket(), "--lock", server_lock()});
  int status = 0;
  ASSERT_EQ(waitpid(second, &status, 0), second);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_EQ(run(std::vector<std::string>{"echo", "still here"}).out, "still here\n");
}

TEST_P(Serve, IsOnlyForItsOwnUser) {
  if (geteuid() != 0) GTEST_SKIP() << "not root: cannot become somebody else";
  const std::string base = write_request(request({"true"}));
  const os::Fd file(open("/dev/null", O_RDWR | O_CLOEXEC));
  const auto reason_for_stranger = [&] {
    os::Pipe pipe = std::move(os::make_pipe()).value();
    const pid_t stranger = fork();
    if (stranger == 0) {
      if (setresgid(12345, 12345, 12345) != 0 || setresuid(12345, 12345, 12345) != 0) _exit(1);
      const auto launched = order_of({file.get(), file.get(), -1});
      (void)os::write_all(pipe.write.get(),
                          launched.ok() ? "served" : launched.error().reason.str());
      _exit(0);
    }
    pipe.write.reset();
    const auto text = os::read_all(pipe.read.get(), 4096);
    waitpid(stranger, nullptr, 0);
    return text.value();
  };
  EXPECT_EQ(reason_for_stranger(), "NOT_LISTENING");  // the file's mode
  ASSERT_EQ(chmod(socket().c_str(), 0666), 0);
  EXPECT_EQ(reason_for_stranger(), "NOT_THE_OWNER");  // the kernel's word
}

TEST_P(Serve, RefusesOrdersThatAreNone) {
  EXPECT_THAT(reason_for("paddock launch 9", 2), HasSubstr("BAD_ORDER"));
  EXPECT_THAT(reason_for("paddock launch 1", 1), HasSubstr("BAD_ORDER"));
  EXPECT_THAT(reason_for("paddock launch 1", 4), HasSubstr("BAD_ORDER"));
  EXPECT_THAT(reason_for(std::string(os::kMaxPacketBytes, 'x'), 0), HasSubstr("BAD_ORDER"));
  const std::string base = write_request(request({"true"}));
  const auto lock = os::LockFile::acquire(base + ".lock");
  ASSERT_TRUE(lock.ok());
  EXPECT_EQ(order(base + ".request", base + ".events", base + ".lock").error().reason, "LOCK_HELD");
  EXPECT_EQ(run(std::vector<std::string>{"echo", "still here"}).out, "still here\n");
}

TEST_P(Serve, AnswersARequestThatMakesNoSenseWithAResult) {
  const std::string base = write_request(request({"true"}));
  ASSERT_TRUE(os::write_file_atomic(base + ".request", "{\"command\": 5}", 0644).ok());
  const auto launched = order(base + ".request", base + ".events");
  ASSERT_TRUE(launched.ok());
  pollfd ended{launched->connection.get(), POLLIN, 0};
  while (poll(&ended, 1, -1) <= 0) {
  }
  EXPECT_THAT(os::read_file(base + ".events", 1 << 20).value(), HasSubstr("INVALID_REQUEST"));
}

TEST_P(Serve, ClientsThatSayNothingTakeNobodysPlace) {
  std::vector<os::Fd> silent;
  for (int i = 0; i < 2 * kReady; ++i) silent.push_back(os::connect_packets(socket()).value());
  EXPECT_EQ(run(std::vector<std::string>{"echo", "served"}).out, "served\n");
}

TEST_P(Serve, ClearsUpAfterALauncherThatWasKilled) {
  contracts::LaunchRequest launch = patient();
  launch.env["PADDOCK_MARKER"] = folder();
  Launched launched = start(launch);
  ASSERT_TRUE(launched.wait_for_output("READY"));
  kill(launched.pid(), SIGKILL);
  EXPECT_TRUE(gone_with_marker("PADDOCK_MARKER=" + folder()));
  while (!cgroups_of(launched.pid()).empty()) poll(nullptr, 0, 1);  // without another launch
  EXPECT_FALSE(launched.wait().result);
}

// Whoever runs as the commands' user on this host may signal what waits: generation 0 are the ready
// processes, 1 the init of each prepared sandbox, 2 what is to become its command.
TEST_P(Serve, WhatDiedOrWasSignalledWhileItWaitedSpoilsNoRun) {
  for (const int signal : {SIGTERM, SIGKILL}) {
    for (size_t generation = 0; generation < 3; ++generation) {
      if (generation == 0 && signal == SIGKILL) continue;  // the server sees that one
      wait_until_ready();
      std::vector<std::vector<pid_t>> family = {children_of(server())};
      while (family.size() <= generation) family.push_back(children_of(family.back()));
      for (const pid_t pid : family.back()) kill(pid, signal);
      // One that dies while its order arrives is a run that never started, and is told so. SIGTERM
      // ends what is to become a command, which has a command's signals already.
      const bool ends = signal == SIGKILL || generation == 2;
      for (size_t i = 1; ends && i <= generation; ++i) wait_until_gone(family[i]);
      for (int i = 0; i < 2 * kReady; ++i) {
        const Finished done = run(request({"sh", "-c", "echo ran; sleep 0.01; echo on"}));
        EXPECT_EQ(done.out, "ran\non\n") << "signal " << signal << ", generation " << generation;
        EXPECT_EQ(done.result.value().status, SandboxStatus::kOk) << done.result->reason;
      }
    }
  }
}

// The mapping that this program's code is in, as /proc tells it, with its counters.
std::string code_mapping(pid_t pid) {
  const std::string text = os::read_file(cat("/proc/", pid, "/smaps"), size_t{1} << 20).value();
  const size_t at = text.find(" r-xp ");
  if (at == std::string::npos) return "no code in " + text;
  return text.substr(at, text.find("VmFlags", at) - at);
}

// How often this host had no huge page to give.
int64_t huge_pages_refused() {
  int64_t out = 0;
  for (const std::string& line :
       split(os::read_file("/proc/vmstat", size_t{1} << 20).value(), '\n')) {
    for (const std::string_view name : {"thp_fault_fallback ", "thp_collapse_alloc_failed "}) {
      if (line.starts_with(name))
        out += parse_integer<int64_t>(line.substr(name.size())).value_or(0);
    }
  }
  return out;
}

// A fork gets the page table of such pages, and none of a file's.
TEST_P(Serve, KeepsItsCodeInHugePages) {
  const auto enabled = os::read_file("/sys/kernel/mm/transparent_hugepage/enabled", 4096);
  if (!enabled.ok()) GTEST_SKIP() << "this host has no huge pages";
  if (enabled->find("[never]") != std::string::npos) {
    wait_until_ready();
    const std::string mapping = code_mapping(server());
    EXPECT_NE(mapping.find("paddock-sandbox"), std::string::npos) << mapping;
    return;
  }
  if (kernel_version() < std::pair(6, 1)) GTEST_SKIP() << "Linux 6.1 or later is needed";
  // On a busy host the kernel may have one of the pages on its way somewhere else.
  constexpr int kMostStarts = 10;
  bool moved = false;
  for (int i = 0; i < kMostStarts && !moved; ++i) {
    EXPECT_EQ(end_server(SIGTERM), 0);
    const int64_t refused = huge_pages_refused();
    start_server();
    moved = code_mapping(server()).find("paddock-sandbox") == std::string::npos;
    if (!moved && huge_pages_refused() > refused)
      GTEST_SKIP() << "this host had no huge page to give";
  }
  for (const pid_t pid : {server(), children_of(server()).front()}) {
    const std::string mapping = code_mapping(pid);
    EXPECT_EQ(mapping.find("paddock-sandbox"), std::string::npos) << mapping;
    EXPECT_EQ(mapping.find("AnonHugePages:         0 kB"), std::string::npos) << mapping;
  }
}

TEST_P(Serve, DoesNothingWhileNobodyAsks) {
  wait_until_ready();
  const auto ticks = [&] {
    const std::string text = os::read_file(cat("/proc/", server(), "/stat"), 4096).value();
    const auto fields = split(text.substr(text.rfind(") ") + 2), ' ');
    return parse_integer<int>(fields[11]).value() + parse_integer<int>(fields[12]).value();
  };
  const std::vector<pid_t> waiting = children_of(server());
  const int before = ticks();
  poll(nullptr, 0, 1000);  // watched, not waited for: more load cannot make it use more
  EXPECT_LE(ticks() - before, sysconf(_SC_CLK_TCK) / 10);
  EXPECT_EQ(children_of(server()), waiting);
}

}  // namespace
}  // namespace paddock::adversarial
