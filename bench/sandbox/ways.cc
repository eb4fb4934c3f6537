#include "bench/sandbox/ways.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "common/base/text.h"
#include "common/contracts/profile.h"
#include "common/os/file.h"
#include "common/wire/json.h"
#include "node-agent/launch/order.h"

namespace paddock::bench {
namespace {

constexpr uid_t kCommandUser = 65534;

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "bench: %s\n", why.c_str());
  std::exit(1);
}

pid_t spawn(const std::vector<std::string>& words, int out) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  static char path[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  static char seed[] = "PYTHONHASHSEED=0";
  static char no_bytecode[] = "PYTHONDONTWRITEBYTECODE=1";
  static char* const variables[] = {path, seed, no_bytecode, nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = -1;
  if (posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), variables) != 0) pid = -1;
  posix_spawn_file_actions_destroy(&actions);
  return pid;
}

bool ended_well(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::optional<std::string> run_and_read(const std::vector<std::string>& words) {
  auto pipe = os::make_pipe();
  if (!pipe.ok()) return std::nullopt;
  const pid_t pid = spawn(words, pipe->write.get());
  pipe->write.reset();
  if (pid < 0) return std::nullopt;
  auto text = os::read_all(pipe->read.get(), size_t{1} << 20);
  const bool well = ended_well(pid);
  if (!well || !text.ok()) return std::nullopt;
  return std::move(*text);
}

// Once, to see whether it works here at all.
std::optional<Way> tried(Way way) {
  if (way.run()) return way;
  std::printf("  SKIPPED: %s is not installed or does not run on this host\n", way.name.c_str());
  return std::nullopt;
}

std::vector<std::string> system_folders() {
  std::vector<std::string> out;
  for (const char* path : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) {
    char target[256];
    const ssize_t n = readlink(path, target, sizeof target - 1);
    if (n > 0) out.insert(out.end(), {path, std::string(target, static_cast<size_t>(n))});
  }
  return out;
}

}  // namespace

std::string programs() {
  const char* folder = std::getenv("PADDOCK_BIN_DIR");
  if (folder == nullptr) give_up("PADDOCK_BIN_DIR is not set");
  return folder;
}

std::string payloads() { return programs() + "/../bench/payloads"; }

Bench::Bench(int ready) {
  char name[] = "/tmp/paddock-bench-XXXXXX";
  if (mkdtemp(name) == nullptr) give_up("no folder could be made");
  folder_ = name;
  workspace_ = folder_ + "/workspace";
  socket_ = folder_ + "/socket";
  if (!os::make_dirs(workspace_).ok()) give_up("no folder could be made");
  // As the agent does it.
  if (geteuid() == 0 && chown(workspace_.c_str(), kCommandUser, kCommandUser) != 0)
    give_up("no workspace could be made");
  server_ = spawn({programs() + "/paddock-sandbox", "serve", "--socket", socket_, "--lock",
                   folder_ + "/lock", "--ready", cat(ready)},
                  STDOUT_FILENO);
  const os::Fd null(open("/dev/null", O_RDWR | O_CLOEXEC));
  const os::Fd empty(open((folder_ + "/empty").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  for (int waited = 0; waited < 10'000; ++waited) {
    if (launch::order_launch(socket_, {empty.get(), null.get(), -1}).ok()) return;
    poll(nullptr, 0, 1);
  }
  kill(server_, SIGTERM);
  give_up("no launcher serves");
}

Bench::~Bench() {
  kill(server_, SIGTERM);
  waitpid(server_, nullptr, 0);
  (void)os::remove_tree(folder_);
}

contracts::LaunchRequest Bench::request(const std::vector<std::string>& command) const {
  contracts::LaunchRequest out;
  out.trace_id = "bench";
  out.command = command;
  out.workdir = "/workspace";
  out.env = contracts::minimal_environment(false);
  out.env["PYTHONHASHSEED"] = "0";
  out.env["PYTHONDONTWRITEBYTECODE"] = "1";
  out.policy = *contracts::profile_policy("test");
  out.mounts = {{workspace_, "/workspace", contracts::MountMode::kReadWrite},
                {payloads(), "/bench", contracts::MountMode::kReadOnly}};
  return out;
}

std::string Bench::write_request(const contracts::LaunchRequest& request) {
  std::string path = cat(folder_, "/request-", ++requests_);
  if (!os::write_file_atomic(path, wire::encode_json(request)).ok())
    give_up("a request could not be written");
  return path;
}

Way Bench::bare(std::vector<std::string> command) const {
  return {"bare posix_spawn", [command = std::move(command)] { return run_and_read(command); }};
}

Way Bench::cold(const contracts::LaunchRequest& request) {
  const std::string file = write_request(request);
  const std::vector<std::string> words = {
      programs() + "/paddock-sandbox", "run", "--request", file, "--events", file + ".events"};
  return {"paddock, cold (run)", [words]() -> std::optional<std::string> {
            if (truncate(words.back().c_str(), 0) != 0 && errno != ENOENT) return std::nullopt;
            const pid_t pid = spawn(words, STDOUT_FILENO);
            if (pid < 0 || !ended_well(pid)) return std::nullopt;
            const os::Fd events(open(words.back().c_str(), O_RDONLY | O_CLOEXEC));
            return read_result(events.get());
          }};
}

Way Bench::warm(const contracts::LaunchRequest& request) {
  const std::string file = write_request(request);
  return {
      "paddock, warm (serve)", [socket = socket_, file]() -> std::optional<std::string> {
        const os::Fd text(open(file.c_str(), O_RDONLY | O_CLOEXEC));
        auto events = os::make_pipe();
        if (!events.ok()) return std::nullopt;
        const auto launched = launch::order_launch(socket, {text.get(), events->write.get(), -1});
        events->write.reset();
        if (!launched.ok()) return std::nullopt;
        return read_result(events->read.get());
      }};
}

Bench::Started Bench::start_warm(const contracts::LaunchRequest& request) {
  const os::Fd text(open(write_request(request).c_str(), O_RDONLY | O_CLOEXEC));
  auto events = os::make_pipe();
  if (!events.ok()) give_up("no pipe could be made");
  auto launched = launch::order_launch(socket_, {text.get(), events->write.get(), -1});
  if (!launched.ok()) give_up(launched.error().describe());
  return {launched->launcher, launched->connection.release(), events->read.release()};
}

std::optional<std::string> read_result(int events, std::string* status) {
  std::string bytes;
  std::string out;
  char part[16 << 10];
  for (ssize_t n = 0; (n = read(events, part, sizeof part)) > 0;) {
    bytes.append(part, static_cast<size_t>(n));
    std::string_view rest = bytes;
    contracts::Frame frame;
    for (auto taken = contracts::take_frame(rest, frame); taken.ok() && *taken;
         taken = contracts::take_frame(rest, frame)) {
      if (frame.type == contracts::FrameType::kStdout) out += frame.payload;
      if (frame.type != contracts::FrameType::kResult) continue;
      if (status != nullptr) *status = std::string(frame.payload.substr(0, 120));
      if (frame.payload.find("\"status\":\"OK\"") == std::string_view::npos) return std::nullopt;
      return out;
    }
    bytes.erase(0, bytes.size() - rest.size());
  }
  return std::nullopt;
}

std::optional<Way> Bench::bubblewrap(const std::vector<std::string>& command) const {
  std::vector<std::string> words = {"bwrap",      "--unshare-all", "--die-with-parent",
                                    "--cap-drop", "ALL",           "--ro-bind",
                                    "/usr",       "/usr",          "--proc",
                                    "/proc",      "--dev",         "/dev",
                                    "--tmpfs",    "/tmp",          "--bind",
                                    workspace_,   "/workspace"};
  const std::vector<std::string> links = system_folders();
  for (size_t i = 0; i + 1 < links.size(); i += 2)
    words.insert(words.end(), {"--symlink", links[i + 1], links[i]});
  words.insert(words.end(), command.begin(), command.end());
  return tried({"bubblewrap", [words] { return run_and_read(words); }});
}

std::optional<Way> Bench::runc(const std::vector<std::string>& command) {
  const std::string bundle = cat(folder_, "/bundle-", ++containers_);
  const std::string root = bundle + "/rootfs";
  for (const char* path : {"/usr", "/proc", "/dev", "/sys", "/tmp", "/workspace"})
    (void)os::make_dirs(root + path);
  const std::vector<std::string> links = system_folders();
  for (size_t i = 0; i + 1 < links.size(); i += 2)
    (void)!symlink(links[i + 1].c_str(), (root + links[i]).c_str());
  if (!run_and_read({"runc", "spec", "--bundle", bundle}))
    return tried({"runc", [] { return std::optional<std::string>(); }});
  const auto text = os::read_file(bundle + "/config.json", 1 << 20);
  auto config = wire::parse_json(text.ok() ? *text : "{}");
  if (!config.ok()) return std::nullopt;
  using wire::Value;
  Value* process = config->find("process");
  Value* mounts = config->find("mounts");
  if (process == nullptr || mounts == nullptr) return std::nullopt;
  Value words;
  for (const std::string& word : command) words.push_back(word);
  process->set("args", words);
  process->set("terminal", false);
  const auto bind = [&](const std::string& from, const char* to, const char* mode) {
    Value mount;
    mount.set("destination", to);
    mount.set("type", "none");
    mount.set("source", from);
    mount.set("options", Value(Value::Array{"rbind", mode}));
    mounts->push_back(mount);
  };
  bind("/usr", "/usr", "ro");
  bind(workspace_, "/workspace", "rw");
  if (!os::write_file_atomic(bundle + "/config.json", wire::to_json(*config)).ok())
    return std::nullopt;
  const std::string id = cat("paddock-bench-", getpid(), "-", containers_);
  return tried({"runc", [bundle, id] {
                  return run_and_read({"runc", "run", "--bundle", bundle, id});
                }});
}

}  // namespace paddock::bench
