// How long one launch of /bin/true takes: bare, and through paddock-sandbox with its start, every
// limit, and its teardown. Both alternate in one run, so that they see the same machine.
// Usage: sandbox_launch_bench [launches]; needs PADDOCK_BIN_DIR.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/contracts/launch.h"
#include "common/os/file.h"
#include "common/wire/json.h"

namespace {

using namespace paddock;

double launch_ms(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const auto start = std::chrono::steady_clock::now();
  pid_t pid = 0;
  char* const no_environment[] = {nullptr};
  if (posix_spawn(&pid, argv[0], nullptr, nullptr, argv.data(), no_environment) != 0) std::exit(1);
  int status = 0;
  waitpid(pid, &status, 0);
  if (status != 0) std::exit(1);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

void report(const char* name, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](size_t percent) { return times[times.size() * percent / 100]; };
  std::printf("%-32s min %7.3f  p50 %7.3f  p99 %7.3f ms\n", name, times[0], at(50), at(99));
}

std::string write_request(const std::string& folder) {
  contracts::LaunchRequest request;
  request.trace_id = "bench";
  request.command = {"/bin/true"};
  request.workdir = "/workspace";
  request.env = contracts::minimal_environment(false);
  request.policy = *contracts::profile_policy("test");
  request.mounts = {{folder, "/workspace", contracts::MountMode::kReadWrite}};
  const std::string path = folder + "/request";
  if (!os::write_file_atomic(path, wire::to_json(wire::encode(request))).ok()) std::exit(1);
  return path;
}

}  // namespace

int main(int argc, char** argv) {
  const int launches = argc > 1 ? std::atoi(argv[1]) : 300;
  const char* bin = std::getenv("PADDOCK_BIN_DIR");
  char folder[] = "/tmp/paddock-bench-XXXXXX";
  if (bin == nullptr || launches < 1 || mkdtemp(folder) == nullptr) return 1;
  const std::string request = write_request(folder);
  std::vector<double> bare;
  std::vector<double> sandboxed;
  for (int i = 0; i < launches; ++i) {
    bare.push_back(launch_ms({"/bin/true"}));
    sandboxed.push_back(launch_ms({std::string(bin) + "/paddock-sandbox", "run", "--request",
                                   request, "--events", std::string(folder) + "/events"}));
  }
  report("posix_spawn /bin/true", bare);
  report("paddock-sandbox run /bin/true", sandboxed);
  (void)os::remove_tree(folder);
  return 0;
}
