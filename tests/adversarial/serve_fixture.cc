#include "tests/adversarial/serve_fixture.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <utility>

#include <climits>

#include "common/os/file.h"
#include "common/os/packet_socket.h"

namespace paddock::adversarial {
namespace {

namespace fs = std::filesystem;

// Numbers that name entries of a folder.
std::vector<pid_t> numbers_in(const std::string& folder) {
  std::vector<pid_t> out;
  const auto names = os::list_dir(folder);
  if (!names.ok()) return out;
  for (const std::string& name : *names) {
    if (const auto number = parse_integer<pid_t>(name)) out.push_back(*number);
  }
  return out;
}

// The kernel's signal to those that wait for an order is under way.
bool ends_soon(const std::string& program) {
  constexpr int kMostMs = 300'000;
  for (int waited = 0; waited < kMostMs; ++waited) {
    if (processes_of(program).empty()) return true;
    poll(nullptr, 0, 1);
  }
  return false;
}

// In place of a launcher that there is not. Its pid may be signalled: -1 would be everybody.
pid_t ended_child() {
  const pid_t child = fork();
  if (child == 0) _exit(125);
  if (child < 0) std::abort();
  return child;
}

}  // namespace

void ServeTest::SetUp() {
  SandboxTest::SetUp();
  if (IsSkipped() || HasFatalFailure()) return;
  start_server();
}

void ServeTest::TearDown() {
  if (server_ > 0) {
    EXPECT_EQ(end_server(SIGTERM), 0);
  }
  if (!folder().empty()) {
    EXPECT_TRUE(ends_soon(launcher())) << "a launcher was left behind";
  }
  SandboxTest::TearDown();
}

pid_t ServeTest::spawn_server() const {
  std::vector<std::string> words = {"serve",       "--socket", socket(),   "--lock",
                                    server_lock(), "--ready",  cat(kReady)};
  std::ranges::move(further_options(), std::back_inserter(words));
  return spawn_launcher(words);
}

void ServeTest::start_server() {
  server_ = spawn_server();
  wait_until_ready();
}

pid_t ServeTest::start_server_by_another() {
  const pid_t starter = fork();
  if (starter < 0) std::abort();
  if (starter == 0) {
    (void)spawn_server();
    while (true) pause();
  }
  while (children_of(starter).empty()) poll(nullptr, 0, 1);
  server_ = children_of(starter).front();
  wait_until_ready();
  return starter;
}

void ServeTest::kill_starter(pid_t starter) {
  kill(starter, SIGKILL);
  waitpid(starter, nullptr, 0);
  server_ = -1;
}

int ServeTest::end_server(int signal) {
  kill(server_, signal);
  int status = 0;
  while (waitpid(server_, &status, 0) < 0 && errno == EINTR) {
  }
  server_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

size_t ServeTest::processes_when_ready() const {
  const bool makes_views = as_root() && kernel_version() >= std::pair(6, 15);
  return 1 + static_cast<size_t>(kReady) * (makes_views ? 3 : 1);
}

// Not those who only hold a user namespace of their own for a moment, while a ready one is made.
size_t ServeTest::ready_processes() const {
  const auto users = [](pid_t pid) {
    std::error_code gone;
    return fs::read_symlink(cat("/proc/", pid, "/ns/user"), gone);
  };
  return static_cast<size_t>(std::ranges::count(children_of(server_), users(server_), users));
}

void ServeTest::wait_until_ready() const {
  while (ready_processes() != kReady || processes_of(launcher()).size() != processes_when_ready()) {
    ASSERT_TRUE(process_exists(server_));
    poll(nullptr, 0, 1);
  }
}

Result<launch::Launched> ServeTest::order_of(const launch::OrderFiles& files) const {
  return ordered([&] { return launch::order_launch(socket(), files, 300'000); });
}

Result<launch::Launched> ServeTest::order(const std::string& request, const std::string& events,
                                          const std::string& lock) const {
  const os::Fd request_file(open(request.c_str(), O_RDONLY | O_CLOEXEC));
  const os::Fd events_file(
      open(events.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  os::Fd lock_file;
  if (!lock.empty()) lock_file.reset(open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  return order_of({request_file.get(), events_file.get(), lock_file.get()});
}

Launched ServeTest::start(const contracts::LaunchRequest& request) {
  const std::string base = write_request(request);
  auto launched = order(base + ".request", base + ".events");
  EXPECT_TRUE(launched.ok()) << launched.error().describe();
  if (!launched.ok()) return {ended_child(), base + ".events"};
  return {launched->launcher, base + ".events", std::move(launched->connection)};
}

std::string answer_to(const std::string& socket, std::string_view bytes, std::span<const int> fds) {
  constexpr int kMostTries = 20;
  std::string out = "NO_ORDER";
  for (int i = 0; i < kMostTries && out.find("NO_ORDER") != std::string::npos; ++i) {
    const auto client = os::connect_packets(socket);
    EXPECT_TRUE(client.ok());
    if (!client.ok()) break;
    const Status sent = os::send_packet(client->get(), bytes, fds);
    EXPECT_TRUE(sent.ok() || sent.error().reason == "PEER_GONE") << sent.error().describe();
    const auto answer = os::receive_packet(client->get());
    out = answer.ok() ? answer->bytes : answer.error().reason.str();
  }
  return out;
}

std::pair<int, int> kernel_version() {
  utsname names{};
  std::pair<int, int> out{0, 0};
  uname(&names);
  const bool known = std::sscanf(names.release, "%d.%d", &out.first, &out.second) == 2;
  return known ? out : std::pair(0, 0);
}

std::vector<pid_t> processes_of(const std::string& program) {
  std::vector<pid_t> out;
  for (const pid_t pid : numbers_in("/proc")) {
    std::error_code gone;
    if (fs::read_symlink(cat("/proc/", pid, "/exe"), gone) == program) out.push_back(pid);
  }
  return out;
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> out;
  const auto text = os::read_file(cat("/proc/", parent, "/task/", parent, "/children"), 1 << 20);
  if (!text.ok()) return out;
  for (const std::string& word : split(*text, ' ')) {
    if (const auto pid = parse_integer<pid_t>(word)) out.push_back(*pid);
  }
  return out;
}

std::vector<pid_t> children_of(const std::vector<pid_t>& parents) {
  std::vector<pid_t> out;
  for (const pid_t parent : parents) {
    const std::vector<pid_t> children = children_of(parent);
    out.insert(out.end(), children.begin(), children.end());
  }
  return out;
}

void wait_until_gone(const std::vector<pid_t>& pids) {
  const auto is_alive = [](pid_t pid) {
    const auto text = os::read_file(cat("/proc/", pid, "/stat"), 4096);
    return text.ok() && text->substr(text->rfind(')')).substr(0, 3) != ") Z";
  };
  for (const pid_t pid : pids) {
    while (is_alive(pid)) poll(nullptr, 0, 1);
  }
}

}  // namespace paddock::adversarial
