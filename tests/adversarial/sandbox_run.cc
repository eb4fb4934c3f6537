#include "tests/adversarial/sandbox_run.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "common/base/text.h"
#include "common/contracts/profile.h"
#include "common/os/file.h"
#include "common/os/process.h"
#include "common/wire/json.h"

namespace paddock::adversarial {
namespace {

namespace fs = std::filesystem;

constexpr int kPatienceMs = 300'000;

std::string env(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Each test program has another one: what the kernel counts by user, a program of one of them may
// have used up meanwhile. In the emulated machine, where none runs beside another, it is the user
// who was given a cgroup (tests/vm/guest_init.sh).
uid_t ordinary_user() {
  constexpr uid_t kLowest = 20'000;
  constexpr uid_t kUsers = 40'000;
  constexpr uid_t kOfTheMachine = 65'534;
  static const uid_t user =
      env("PADDOCK_VM").empty() ? kLowest + static_cast<uid_t>(getpid()) % kUsers : kOfTheMachine;
  return user;
}

std::string slurp(const std::string& path) {
  auto bytes = os::read_file(path, size_t{1} << 30);
  return bytes.ok() ? *bytes : std::string();
}

void link_or_copy(const fs::path& from, const fs::path& to) {
  std::error_code other_file_system;
  fs::create_hard_link(from, to, other_file_system);
  if (other_file_system) fs::copy(from, to);
}

pid_t spawn(const std::vector<std::string>& words, const std::string& scratch,
            const std::function<void()>& first) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t pid = fork();
  if (pid != 0) return pid;
  // Secrets and stray descriptors of the launcher: none may be found inside.
  clearenv();
  setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1);
  setenv("SIGNING_KEY", "do-not-leak", 1);
  setenv("TMPDIR", scratch.c_str(), 1);
  (void)!open("/etc/hostname", O_RDONLY);
  if (first) first();
  execv(argv[0], argv.data());
  _exit(126);
}

std::optional<Maker> maker_of(const std::string& cgroup) {
  constexpr std::string_view kPrefix = "paddock-";
  if (!cgroup.starts_with(kPrefix)) return std::nullopt;
  const std::vector<std::string> parts = split(cgroup.substr(kPrefix.size()), '-');
  if (parts.size() != 3) return std::nullopt;
  const auto pid = parse_integer<pid_t>(parts[0]);
  const auto start = parse_integer<uint64_t>(parts[1]);
  return pid && start ? std::optional(Maker{*pid, *start}) : std::nullopt;
}

// Those of tests beside this one come and go meanwhile: one that is gone hides none behind it.
void add_cgroups_below(const fs::path& folder, std::map<std::string, Maker>& out) {
  std::error_code gone;
  for (fs::directory_iterator at(folder, gone), end; !gone && at != end; at.increment(gone)) {
    std::error_code unknown;
    if (at->symlink_status(unknown).type() != fs::file_type::directory) continue;
    if (const auto maker = maker_of(at->path().filename())) out[at->path()] = *maker;
    add_cgroups_below(at->path(), out);
  }
}

}  // namespace

Finished Launched::read() const {
  Finished out;
  const std::string bytes = slurp(events_);
  std::string_view rest = bytes;
  contracts::Frame frame;
  for (;;) {
    const auto taken = contracts::take_frame(rest, frame);
    if (!taken.ok() || !*taken) break;
    switch (frame.type) {
      case contracts::FrameType::kStarted:
        out.started = true;
        break;
      case contracts::FrameType::kStdout:
        out.out += frame.payload;
        break;
      case contracts::FrameType::kStderr:
        out.err += frame.payload;
        break;
      case contracts::FrameType::kResult:
        if (auto value = wire::parse_json(frame.payload, {.max_bytes = size_t{256} << 20});
            value.ok()) {
          if (auto result = wire::decode<contracts::SandboxResult>(*value); result.ok())
            out.result = *result;
        }
        break;
    }
  }
  return out;
}

std::optional<int64_t> Launched::sandbox_pid() const {
  const std::string bytes = slurp(events_);
  std::string_view rest = bytes;
  contracts::Frame frame;
  const auto taken = contracts::take_frame(rest, frame);
  if (!taken.ok() || !*taken || frame.type != contracts::FrameType::kStarted) return std::nullopt;
  const auto value = wire::parse_json(frame.payload);
  return value.ok() && value->find("pid") != nullptr ? std::optional(*value->find("pid")->integer())
                                                     : std::nullopt;
}

bool Launched::wait_for_output(std::string_view text) const {
  for (int waited = 0; waited < kPatienceMs; waited += 5) {
    if (read().out.find(text) != std::string::npos) return true;
    if (has_ended()) return false;
    poll(nullptr, 0, 5);
  }
  return false;
}

bool Launched::has_ended() const {
  if (connection_.valid()) {
    pollfd served{connection_.get(), POLLIN, 0};
    return poll(&served, 1, 0) > 0;
  }
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid_;
}

int Launched::wait_end() {
  int status = 0;
  if (connection_.valid()) {
    pollfd served{connection_.get(), POLLIN, 0};
    while (poll(&served, 1, -1) <= 0) {
    }
  } else {
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Finished Launched::wait() {
  const int exit_code = wait_end();
  Finished out = read();
  out.exit_code = exit_code;
  EXPECT_TRUE(cgroups_of(pid_).empty()) << "a cgroup was left behind";
  return out;
}

void SandboxTest::SetUp() {
  if (as_root() && geteuid() != 0) GTEST_SKIP() << "not root: cannot check what root launchers do";
  char name[] = "/tmp/paddock-adversarial-XXXXXX";
  ASSERT_NE(mkdtemp(name), nullptr);
  folder_ = name;
  fs::permissions(folder_, fs::perms(0755));
  const fs::path bin = env("PADDOCK_BIN_DIR");
  link_or_copy(bin / "paddock-sandbox", launcher());
  fs::create_directory(folder_ + "/probes");
  for (const auto& probe : fs::directory_iterator(bin.parent_path() / "tests" / "probes"))
    link_or_copy(probe.path(), fs::path(folder_) / "probes" / probe.path().filename());
  fs::create_directory(workspace());
  fs::create_directory(folder_ + "/io");
  fs::create_directory(folder_ + "/tmp");
  fs::permissions(folder_ + "/tmp", fs::perms(0777));
  if (!as_root() && geteuid() == 0) {
    for (const std::string& path : {workspace(), folder_ + "/io"})
      ASSERT_EQ(chown(path.c_str(), ordinary_user(), ordinary_user()), 0);
  }
}

void SandboxTest::TearDown() {
  if (folder_.empty()) return;
  const std::string mounts = slurp("/proc/self/mountinfo");
  EXPECT_EQ(mounts.find(folder_), std::string::npos) << "a mount was left behind";
  EXPECT_TRUE(fs::is_empty(folder_ + "/tmp")) << "a temporary file was left behind";
  EXPECT_TRUE(os::remove_tree(folder_).ok());  // a probe may have nested folders very deep
}

contracts::LaunchRequest SandboxTest::request(std::vector<std::string> command) const {
  contracts::LaunchRequest out;
  out.trace_id = "adversarial";
  out.command = std::move(command);
  out.workdir = "/workspace";
  out.env = contracts::minimal_environment(false);
  out.policy = *contracts::profile_policy("test");
  out.policy.limits.wall_time = wire::Duration{kAmple};
  out.policy.limits.cpu_time = wire::Duration{Millis(60'000)};
  out.mounts = {{workspace(), "/workspace", contracts::MountMode::kReadWrite},
                {folder_ + "/probes", "/probes", contracts::MountMode::kReadOnly}};
  return out;
}

std::vector<std::string> SandboxTest::probe(const std::string& name,
                                            std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), "/probes/" + name);
  return arguments;
}

std::string SandboxTest::write_request(const contracts::LaunchRequest& request) {
  std::string base = cat(folder_, "/io/", ++launches_);
  EXPECT_TRUE(os::write_file_atomic(base + ".request", wire::encode_json(request), 0644).ok());
  return base;
}

pid_t SandboxTest::spawn_launcher(std::vector<std::string> words) const {
  words.insert(words.begin(), launcher());
  if (!as_root() && geteuid() == 0) {
    const std::vector<std::string> become = {"/usr/bin/setpriv", cat("--reuid=", ordinary_user()),
                                             cat("--regid=", ordinary_user()), "--clear-groups"};
    words.insert(words.begin(), become.begin(), become.end());
  }
  return spawn(words, folder_ + "/tmp", in_launcher_);
}

Launched SandboxTest::start(const contracts::LaunchRequest& request) {
  const std::string base = write_request(request);
  return {spawn_launcher({"run", "--request", base + ".request", "--events", base + ".events"}),
          base + ".events"};
}

Finished SandboxTest::cancel_at(const contracts::LaunchRequest& request, const std::string& said) {
  Launched launched = start(request);
  EXPECT_TRUE(launched.wait_for_output(said));
  ::kill(launched.pid(), SIGTERM);
  Finished done = launched.wait();
  EXPECT_TRUE(done.result);
  if (done.result) {
    EXPECT_EQ(done.result->status, contracts::SandboxStatus::kCanceled);
  }
  return done;
}

Finished SandboxTest::run_out_of_time(contracts::LaunchRequest request, Millis usual,
                                      const std::function<bool(const std::string& out)>& ready) {
  Finished done;
  for (const Millis wall_time : {usual, Millis(30'000), Millis(120'000), kAmple}) {
    request.policy.limits.wall_time = wire::Duration{wall_time};
    done = run(request);
    if (!done.result) break;
    EXPECT_EQ(done.result->status, contracts::SandboxStatus::kTimeout) << done.result->reason;
    EXPECT_EQ(done.result->rc, 124);
    if (ready(done.out)) break;
  }
  return done;
}

Finished SandboxTest::expect_contained(const std::string& name,
                                       std::vector<std::string> arguments) {
  Finished out = run(probe(name, std::move(arguments)));
  EXPECT_TRUE(out.started);
  EXPECT_THAT(out.out, testing::HasSubstr("CONTAINED"));
  EXPECT_THAT(out.out, testing::Not(testing::HasSubstr("BREACH")));
  EXPECT_TRUE(out.result.has_value());
  if (!out.result) return out;
  EXPECT_EQ(out.result->status, contracts::SandboxStatus::kOk) << out.result->reason;
  return out;
}

Finished SandboxTest::python(const std::string& code) {
  return run(std::vector<std::string>{"python3", "-c", code});
}

bool process_exists(pid_t pid) { return kill(pid, 0) == 0 || errno == EPERM; }

std::map<std::string, Maker> run_cgroups() {
  std::map<std::string, Maker> out;
  add_cgroups_below("/sys/fs/cgroup", out);
  return out;
}

std::vector<std::string> cgroups_of(pid_t launcher) {
  const uint64_t began = os::identify(getpid()).value().start_ticks;
  std::vector<std::string> out;
  for (const auto& [folder, made_by] : run_cgroups()) {
    if (made_by.pid == launcher && made_by.start_ticks >= began) out.push_back(folder);
  }
  return out;
}

bool gone_with_marker(const std::string& marker) {
  for (int waited = 0; waited < kPatienceMs; waited += 10) {
    bool found = false;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc", error)) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      found |= slurp(cat("/proc/", name, "/environ")).find(marker) != std::string::npos;
    }
    if (!found) return true;
    poll(nullptr, 0, 10);
  }
  return false;
}

}  // namespace paddock::adversarial
