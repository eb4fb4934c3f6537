// A whole installation on this host, as `paddock up` makes it: runs of /bin/true created over kept
// connections, durable before they are answered, each in a sandbox of the default policy, each
// outcome read back and checked. Beside it in the same run: bare posix_spawn, the launcher alone
// and, where it is installed, Slurm tuned for this (bench/slurm_peer.py).
//   dispatch_bench [runs for a rate, default 1000] [runs one at a time, default 200]
//   needs PADDOCK_BIN_DIR, PADDOCK_SOURCE_DIR
#include <poll.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "bench/control/give_up.h"
#include "bench/control/outcomes.h"
#include "bench/control/run_watch.h"
#include "bench/control/stack.h"
#include "bench/control/submit.h"
#include "bench/sandbox/figures.h"
#include "bench/sandbox/ways.h"
#include "common/base/text.h"

namespace {

using namespace paddock;
using namespace paddock::bench;
using std::chrono::system_clock;

double ms_between(system_clock::time_point begin, system_clock::time_point end) {
  return std::chrono::duration<double, std::milli>(end - begin).count();
}

system_clock::time_point time_in(const std::string& text) {
  const std::string word(trim(text));
  // The agent's own lines, if any, come first.
  const auto ns = parse_integer<int64_t>(word.substr(word.rfind('\n') + 1));
  require(ns.has_value(), cat("this is not a time: ", text));
  return system_clock::time_point(
      std::chrono::duration_cast<system_clock::duration>(std::chrono::nanoseconds(*ns)));
}

struct Cpu {
  double machine = machine_cpu_ms();
  double controller = 0;
  double agent = 0;
  double own = own_cpu_ms();
};
Cpu cpu_of(const Instance& instance) {
  Cpu out;
  out.controller = cpu_ms(instance.controller());
  out.agent = cpu_ms(instance.agent());
  return out;
}
void print_cpu(const Cpu& before, const Cpu& after, int runs) {
  const double controller = after.controller - before.controller;
  const double agent = after.agent - before.agent;
  const double own = after.own - before.own;
  const double rest = after.machine - before.machine - controller - agent - own;
  std::printf("    CPU ms a run: controller %.2f, agent %.2f, all else %.2f, client %.2f\n",
              controller / runs, agent / runs, rest / runs, own / runs);
}

// When the last of them was seen to end. What ended before a watch began is told at its start.
system_clock::time_point end_of(RunWatch& watch, const std::vector<std::string>& names) {
  system_clock::time_point last;
  for (const std::string& name : names) last = std::max(last, watch.wait_for(name).seen);
  return last;
}

// The node takes runs, its launcher serves, and the code has been used once.
void warm_up(const Instance& instance) {
  RunWatch watch(instance.by_tls());
  end_of(watch, submit(instance.by_tls(), 1, 20, "warm-", kTrue).names);
}

double dispatch_rate(const Instance& instance, const Work& work, int clients, int count) {
  const Address address = instance.by_tls();
  const std::string prefix = cat(work.type, "-", clients, "-");
  Submitted all;
  double ms = 0;
  const Cpu before = cpu_of(instance);
  {
    RunWatch watch(address);
    const auto begin = system_clock::now();
    all = submit(address, clients, count, prefix, work);
    ms = ms_between(begin, end_of(watch, all.names));
  }
  const Cpu after = cpu_of(instance);
  const double rate = 1000.0 * count / ms;
  std::printf(
      "  %-18s %2d connections: %7.0f runs/s end to end (%d runs); submitted at %.0f/s, "
      "ack p50 %.2f p99 %.2f ms\n",
      work.command.c_str(), clients, rate, count, all.rate(), percentile(all.ms, 50),
      percentile(all.ms, 99));
  print_cpu(before, after, count);
  check_outcomes(address, all.names);
  std::fflush(stdout);
  return rate;
}

struct Latencies {
  std::vector<double> ack;
  std::vector<double> start;
  std::vector<double> end;
};

// One run at a time on a host that is idle otherwise.
Latencies one_at_a_time(const Instance& instance, int count) {
  Latencies out;
  Wire wire(instance.by_tls());
  RunWatch watch(instance.by_tls());
  // The first answer is behind all that was run before.
  end_of(watch, submit(instance.by_tls(), 1, 1, "listed-", kTellTime).names);
  for (int i = 0; i < count; ++i) {
    ::poll(nullptr, 0, 20 + i % 17);  // the waiting sandbox that was used is made anew meanwhile
    const std::string name = cat("one-", i);
    const auto begin = system_clock::now();
    const Reply reply = wire.call("POST", kRuns, run_document(name, kTellTime));
    out.ack.push_back(ms_between(begin, system_clock::now()));
    require(reply.status == 201, cat("a run was refused: ", reply.body));
    const RunWatch::End end = watch.wait_for(name);
    require(end.phase == "Succeeded", cat("run ", name, " is ", end.phase));
    out.end.push_back(ms_between(begin, end.seen));
    out.start.push_back(ms_between(begin, time_in(log_of(wire, name))));
  }
  return out;
}

// The same program started bare: how much of the figure above is its own start.
std::vector<double> bare_start(Bench& bench, int count) {
  const Way way = bench.bare({"/bin/date", "+%s%N"});
  std::vector<double> out;
  for (int i = 0; i < count; ++i) {
    const auto begin = system_clock::now();
    const auto text = way.run();
    require(text.has_value(), "a bare command failed");
    out.push_back(ms_between(begin, time_in(*text)));
  }
  return out;
}

double launches_per_second(const std::function<Way()>& make, int threads, double seconds) {
  std::atomic<int> done{0};
  std::vector<std::thread> all;
  const Stopwatch watch;
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([&, way = make()] {
      while (watch.ms() < seconds * 1000)
        if (way.run()) ++done;
    });
  }
  for (std::thread& each : all) each.join();
  return done * 1000 / watch.ms();
}

void print_slurm() {
  const char* source = std::getenv("PADDOCK_SOURCE_DIR");
  require(source != nullptr, "PADDOCK_SOURCE_DIR is not set");
  std::fflush(stdout);
  require(run_program({"/usr/bin/env", "python3", "-B", cat(source, "/bench/slurm_peer.py")}),
          "the measurement of Slurm failed");
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 1000;
  const int singles = argc > 2 ? std::atoi(argv[2]) : 200;
  double best = 0;
  Latencies latencies;
  {
    Instance instance;
    std::printf(
        "durable, isolated runs of /bin/true, default policy, over TLS; created one by one\n");
    make_workspace(instance.by_tls());
    warm_up(instance);
    for (const int clients : {4, 16})
      best = std::max(best, dispatch_rate(instance, kTrue, clients, runs));
    dispatch_rate(instance, kScript, 16, runs);
    latencies = one_at_a_time(instance, singles);
  }
  Bench bench(8);
  const std::vector<std::string> command = {"/bin/true"};
  print_header("one run at a time; ms from the client's request");
  print_row("durable acknowledgement", latencies.ack);
  print_row("the command tells the time (date)", latencies.start);
  print_row("  the same command, bare posix_spawn", bare_start(bench, singles));
  print_row("outcome seen by a waiting client", latencies.end);
  std::printf("without a controller, per second\n");
  double bare = 0;
  double warm = 0;
  const auto request = bench.request(command);
  for (const int at_once : {2, 4}) {
    bare = std::max(bare, launches_per_second([&] { return bench.bare(command); }, at_once, 2));
    warm = std::max(warm, launches_per_second([&] { return bench.warm(request); }, at_once, 2));
  }
  std::printf("  bare posix_spawn %.0f, launcher alone %.0f\n", bare, warm);
  print_slurm();
  print_target_at_least("runs of /bin/true per second, end to end", best, 1300);
  print_target("submit to acknowledgement, p50 ms", median(latencies.ack), 0.7);
  print_target("submit to acknowledgement, p99 ms", percentile(latencies.ack, 99), 2);
  print_target("submit to the command's start, p50 ms", median(latencies.start), 1.1);
  print_target("submit to the command's start, p99 ms", percentile(latencies.start, 99), 3);
  return 0;
}
