// When accept() fails: the kernel refuses for real, the server waits without a spin and serves
// again. The server runs in a child, whose limits and system calls are the test's to change.
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cstddef>
#include <ctime>

#include "controller/http_server/server_fixture.h"
#include "tests/support/sanitized.h"

namespace paddock::http_server {
namespace {

constexpr int64_t kPauseMs = 50;        // the server's
constexpr int64_t kPausesPerLine = 20;  // of its log

int64_t ms_of(clockid_t clock) {
  timespec now{};
  return ::clock_gettime(clock, &now) == 0 ? now.tv_sec * 1'000 + now.tv_nsec / 1'000'000 : -1;
}

// Both ends of a pipe.
struct Pipe {
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) ::abort();
    out = os::Fd(ends[0]);
    in = os::Fd(ends[1]);
  }
  os::Fd out;
  os::Fd in;
};

// Answers every accept4() of this process: `failures` of them with ECONNABORTED, then lets them
// through. `gate` is the supervising end of the filter.
void fail_accepts(int gate, int64_t failures) {
  for (;;) {
    seccomp_notif call{};
    if (::ioctl(gate, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) continue;
    seccomp_notif_resp answer{};
    answer.id = call.id;
    if (failures-- > 0) {
      answer.error = -ECONNABORTED;
    } else {
      answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    }
    (void)::ioctl(gate, SECCOMP_IOCTL_NOTIF_SEND, &answer);
  }
}

// From here on the threads of this process ask `gate` before accept4(). -1: not possible here.
int gate_accept() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_accept4, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof code / sizeof *code, code};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return static_cast<int>(
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
}

// The child: serves until `stop` ends. Its port, or 0 if it cannot, goes to `report`.
[[noreturn]] void serve(int report, int stop, int64_t failing_accepts) {
  if (failing_accepts > 0) {
    const int gate = gate_accept();
    int none = 0;
    if (gate < 0) ::_exit(::write(report, &none, sizeof none) > 0 ? 0 : 1);
    std::thread([gate, failing_accepts] { fail_accepts(gate, failing_accepts); }).detach();
  }
  ServerOptions options;
  options.listen.push_back({});
  auto server = Server::start(std::move(options), [](Request&) {
    Response response;
    response.body = "pong";
    return response;
  });
  const int port = server.ok() ? (*server)->port(0) : 0;
  if (::write(report, &port, sizeof port) < 0) ::_exit(1);
  char byte = 0;
  (void)!::read(stop, &byte, 1);
  (*server)->stop();
  ::_exit(0);
}

// The undefined-behaviour sanitizer opens a pipe to look at memory, and ends the process without.
constexpr const char* kSanitizerNeedsThem = "the sanitizers need descriptors of their own";

class ServerScarcity : public testing::Test {
 protected:
  void start(int64_t failing_accepts = 0) {
    Pipe report;
    child_ = ::fork();
    if (child_ == 0) {
      stop_.in.reset();
      ::dup2(log_.in.get(), STDERR_FILENO);
      serve(report.in.get(), stop_.out.get(), failing_accepts);
    }
    log_.in.reset();
    ASSERT_EQ(::read(report.out.get(), &port_, sizeof port_), ssize_t{sizeof port_});
    ASSERT_EQ(::clock_getcpuclockid(child_, &cpu_), 0);
  }
  void TearDown() override {
    if (child_ < 0) return;
    stop_.in.reset();
    int status = -1;
    ::waitpid(child_, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  RawClient client() const { return RawClient::tcp(port_); }
  void limit_descriptors(rlim_t count) const {
    rlimit limit{};
    ASSERT_EQ(::prlimit(child_, RLIMIT_NOFILE, nullptr, &limit), 0);
    limit.rlim_cur = count;
    ASSERT_EQ(::prlimit(child_, RLIMIT_NOFILE, &limit, nullptr), 0);
  }
  // The next line of the child's log that says it waits.
  void await_pause_line() {
    const std::string words = "no connection can be accepted";
    std::string line;
    char byte = 0;
    while (::read(log_.out.get(), &byte, 1) == 1) {
      line.push_back(byte);
      if (byte != '\n') continue;
      if (line.find(words) != std::string::npos) return;
      line.clear();
    }
    ADD_FAILURE() << "the log ended";
  }
  struct Spent {
    int64_t wall_ms;
    int64_t cpu_ms;
  };
  Spent spent() const { return {ms_of(CLOCK_MONOTONIC), ms_of(cpu_)}; }
  // From one line to the next the server has paused so often that it cannot have spun. Counted from
  // before the first one can have come: this thread may be given no processor until both are there.
  void expect_no_spin_since(const Spent& before) {
    await_pause_line();
    await_pause_line();
    const Spent now = spent();
    const int64_t wall_spent = now.wall_ms - before.wall_ms;
    EXPECT_GE(wall_spent, (kPausesPerLine - 1) * kPauseMs);
    EXPECT_LT(now.cpu_ms - before.cpu_ms, wall_spent / 2);
  }

  Pipe log_;
  Pipe stop_;
  pid_t child_ = -1;
  int port_ = 0;
  clockid_t cpu_ = CLOCK_MONOTONIC;
};

constexpr rlim_t kPlenty = 1024;

TEST_F(ServerScarcity, OutOfDescriptorsItWaitsAndServesAllWhoWaitedAfterwards) {  // T15
  if (test::kSanitized) GTEST_SKIP() << kSanitizerNeedsThem;
  start();
  RawClient early = client();
  ASSERT_EQ(early.ask(get("/ping")).body, "pong");
  const Spent before = spent();
  limit_descriptors(4);  // of which all are in use; accept() fails with EMFILE
  std::vector<RawClient> waiting;
  for (int i = 0; i < 20; ++i) {
    waiting.push_back(client());
    ASSERT_TRUE(waiting.back().connected());
    waiting.back().send(get("/ping"));
  }
  expect_no_spin_since(before);
  EXPECT_EQ(early.ask(get("/ping")).body, "pong") << "who is connected is served all the while";
  limit_descriptors(kPlenty);
  for (RawClient& each : waiting) EXPECT_EQ(each.answer().body, "pong");
  EXPECT_EQ(client().ask(get("/ping")).body, "pong");
}

TEST_F(ServerScarcity, WhenNotEvenPollWorksItWaitsToo) {
  if (test::kSanitized) GTEST_SKIP() << kSanitizerNeedsThem;
  start();
  const Spent before = spent();
  limit_descriptors(1);  // poll() refuses more descriptors than that
  RawClient waiting = client();
  waiting.send(get("/ping"));
  expect_no_spin_since(before);
  limit_descriptors(kPlenty);
  EXPECT_EQ(waiting.answer().body, "pong");
}

TEST_F(ServerScarcity, AcceptMayFailForAnyOtherReasonAsOftenAsItLikes) {  // T15
  start(1'000);                                                           // ECONNABORTED each time
  if (port_ == 0) GTEST_SKIP() << "the kernel does not let a filter ask this process";
  const Spent before = spent();
  RawClient waiting = client();
  waiting.send(get("/ping"));
  expect_no_spin_since(before);
  EXPECT_EQ(waiting.answer().body, "pong");
  EXPECT_EQ(client().ask(get("/ping")).body, "pong");
}

}  // namespace
}  // namespace paddock::http_server
