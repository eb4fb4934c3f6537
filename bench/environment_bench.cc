// How long a run waits for an environment that is there already: our hit (hash, lock, seal, lease,
// time of use), beside the simplest check (a hash, and whether bin/activate exists), and beside the
// least that a hit saves: `python3 -m venv` without any package. All at once, in the same folder.
//   environment_bench [repetitions, default 2000] [folder, default .]
#include <stdlib.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/sandbox/figures.h"
#include "common/base/text.h"
#include "common/crypto/digest.h"
#include "common/os/file.h"
#include "node-agent/runtimes/environment.h"

namespace {

using paddock::cat;
using paddock::bench::Stopwatch;
namespace os = paddock::os;
namespace runtimes = paddock::runtimes;

constexpr double kMostMs = 5;
constexpr int kVenvs = 3;

void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "environment_bench: %s failed\n", what);
  std::exit(1);
}

// A long requirements.txt: 100 lines with their hashes, 8 KiB.
std::string requirements() {
  std::string out;
  for (int i = 0; i < 100; ++i) {
    out += cat("package-", i, "==1.", i, " --hash=sha256:", std::string(64, 'a'), "\n");
  }
  return out;
}

// A builder that leaves what every virtual environment has: only hits are measured here.
paddock::Result<paddock::contracts::SandboxResult> leave_activate(
    const paddock::contracts::LaunchRequest& launch) {
  for (const auto& mount : launch.mounts) {
    if (mount.sandbox_path != paddock::contracts::kSandboxVenv) continue;
    require(os::make_dirs(mount.host_path + "/bin").ok(), "make_dirs");
    require(os::write_file_atomic(mount.host_path + "/bin/activate", "").ok(), "write");
  }
  paddock::contracts::SandboxResult result;
  result.status = paddock::contracts::SandboxStatus::kOk;
  return result;
}

std::vector<double> hits(const std::string& folder, int count) {
  const os::Fd workspace = *os::open_root(folder + "/workspace");
  runtimes::EnvironmentConfig config;
  config.dir = folder;
  config.wheel_dir = folder + "/wheels";
  runtimes::EnvironmentRequest request;
  request.workspace = workspace.get();
  request.requirements = "requirements.txt";
  request.workspace_id = "default/demo";
  const paddock::SystemClock clock;
  const runtimes::EnvironmentPorts ports = {.launch = leave_activate,
                                            .say = [](const std::string&) {},
                                            .quote = [](const std::string&) {},
                                            .wait = [] { return false; },
                                            .now = [&] { return clock.wall(); }};
  require(runtimes::ensure_environment(config, request, ports).ok(), "the first build");
  std::vector<double> ms;
  for (int i = 0; i < count; ++i) {
    const Stopwatch watch;
    const auto found = runtimes::ensure_environment(config, request, ports);
    ms.push_back(watch.ms());
    require(found.ok() && found->cached, "a hit");
  }
  return ms;
}

std::vector<double> plain_looks(const std::string& folder, int count) {
  const std::string key = runtimes::environment_key(
      "default/demo", *os::read_file(folder + "/workspace/requirements.txt"));
  std::vector<double> ms;
  for (int i = 0; i < count; ++i) {
    const Stopwatch watch;
    const auto file = os::read_file(folder + "/workspace/requirements.txt");
    const std::string digest = paddock::crypto::sha256_hex(*file).substr(0, 12);
    struct stat stat = {};
    const bool there = ::stat(cat(folder, "/venvs/", key, "/bin/activate").c_str(), &stat) == 0;
    ms.push_back(watch.ms());
    require(there && key.ends_with(digest), "a plain look");
  }
  return ms;
}

std::vector<double> bare_venvs(const std::string& folder) {
  std::vector<double> ms;
  for (int i = 0; i < kVenvs; ++i) {
    const Stopwatch watch;
    const std::string command = cat("/usr/bin/python3 -m venv '", folder, "/bare-", i, "'");
    require(std::system(command.c_str()) == 0, "python3 -m venv");  // NOLINT: our own words
    ms.push_back(watch.ms());
  }
  return ms;
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 2000;
  std::string folder = cat(std::filesystem::absolute(argc > 2 ? argv[2] : ".").string(),
                           "/environment-bench-XXXXXX");
  require(::mkdtemp(folder.data()) != nullptr, "mkdtemp");
  for (const char* name : {"/workspace", "/wheels"})
    require(os::make_dirs(folder + name).ok(), "make_dirs");
  require(os::write_file_atomic(folder + "/wheels/x.whl", "").ok(), "write");  // a source of some
  require(os::write_file_atomic(folder + "/workspace/requirements.txt", requirements()).ok(),
          "write");
  const std::vector<double> ours = hits(folder, count);
  paddock::bench::print_header("environment of 100 requirements");
  paddock::bench::print_row("hit", ours);
  paddock::bench::print_row("plain look: hash, stat", plain_looks(folder, count));
  paddock::bench::print_row("python3 -m venv", bare_venvs(folder));
  paddock::bench::print_target("p99 of a hit, ms", paddock::bench::percentile(ours, 99), kMostMs);
  std::filesystem::remove_all(folder);
}
