// How long a kill takes: from SIGTERM to the launcher, without grace, to the result, when nothing
// of the run is alive.
//   sandbox_kill_bench [rounds, default 60]; needs PADDOCK_BIN_DIR
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "bench/sandbox/figures.h"
#include "bench/sandbox/ways.h"
#include "common/base/text.h"

namespace {

using namespace paddock;
using namespace paddock::bench;

// Blocks until the command has said so.
void wait_until_ready(int events) {
  std::string bytes;
  char part[4096];
  while (bytes.find("READY") == std::string::npos) {
    const ssize_t n = read(events, part, sizeof part);
    if (n <= 0) std::exit(1);
    bytes.append(part, static_cast<size_t>(n));
  }
}

std::vector<double> kill_often(Bench& bench, const char* mode, int processes, int rounds) {
  auto request = bench.request({"/bench/payload", mode, cat(processes)});
  request.policy.limits.pids = processes + 1;
  request.cancel_grace_ms = 0;
  std::vector<double> out;
  for (int i = 0; i < rounds; ++i) {
    const Bench::Started run = bench.start_warm(request);
    wait_until_ready(run.events);
    const Stopwatch watch;
    kill(run.launcher, SIGTERM);
    std::string status;
    (void)read_result(run.events, &status);
    out.push_back(watch.ms());
    close(run.connection);
    close(run.events);
    if (status.find("CANCELED") == std::string::npos) {
      std::fprintf(stderr, "bench: a kill ended as %s\n", status.c_str());
      std::exit(1);
    }
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 60;
  Bench bench;
  print_header("from the kill to the result, nothing alive; ms");
  const auto sleepers = kill_often(bench, "sleepers", 128, rounds);
  print_row("128 sleeping processes", sleepers);
  const auto bomb = kill_often(bench, "bomb", 512, rounds);
  print_row("a live bomb of 512 processes", bomb);
  print_target("128 sleeping processes: p50, ms", median(sleepers), 20);
  print_target("a live bomb of 512 processes: p99, ms", percentile(bomb, 99), 100);
  return 0;
}
