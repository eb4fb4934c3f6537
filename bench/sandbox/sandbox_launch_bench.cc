// What a launch costs: of /bin/true, over bare posix_spawn and beside other sandboxes, all in turn
// in one run so that they see the same machine; how many a second; and how much processor time.
//   sandbox_launch_bench [launches, default 300] [seconds per rate, default 2]; needs
//   PADDOCK_BIN_DIR
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "bench/sandbox/figures.h"
#include "bench/sandbox/ways.h"

namespace {

using namespace paddock;
using namespace paddock::bench;

struct Measured {
  Way way;
  std::vector<double> ms;
};

void run_in_turn(std::vector<Measured>& all, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    for (Measured& one : all) {
      const Stopwatch watch;
      if (!one.way.run()) {
        std::fprintf(stderr, "bench: %s failed\n", one.way.name.c_str());
        std::exit(1);
      }
      one.ms.push_back(watch.ms());
    }
  }
}

double rate(const std::vector<Way>& ways, double seconds) {
  std::atomic<bool> stop{false};
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  const Stopwatch watch;
  for (const Way& way : ways) {
    threads.emplace_back([&] {
      while (!stop) {
        if (way.run()) ++done;
      }
    });
  }
  while (watch.ms() < seconds * 1000) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  stop = true;
  for (std::thread& thread : threads) thread.join();
  return done * 1000 / watch.ms();
}

// One way for each thread.
template <class Make>
std::vector<Way> copies(int count, Make&& make) {
  std::vector<Way> out;
  for (int i = 0; i < count; ++i) out.push_back(make());
  return out;
}

// Of this program's children that have ended, with theirs; not of the kernel's own threads.
double children_ms() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto ms = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1000 + static_cast<double>(t.tv_usec) / 1000;
  };
  return ms(used.ru_utime) + ms(used.ru_stime);
}

// Of a server that makes so many launches, all of its processes gone.
double served_ms(const std::vector<std::string>& command, int launches) {
  const double before = children_ms();
  {
    Bench bench(4);
    const Way warm = bench.warm(bench.request(command));
    for (int i = 0; i < launches; ++i) (void)warm.run();
  }
  return children_ms() - before;
}

// The processes of a launch and its command. The start of the server is no part of a launch.
void print_processor_times(Bench& bench, const std::vector<std::string>& command, int launches) {
  const auto each = [&](const Way& way) {
    const double before = children_ms();
    for (int i = 0; i < launches; ++i) (void)way.run();
    return (children_ms() - before) / launches;
  };
  const double bare = each(bench.bare(command));
  const double warm = (served_ms(command, launches + 1) - served_ms(command, 1)) / launches;
  const double cold = each(bench.cold(bench.request(command)));
  std::printf("processor time of a launch of /bin/true, ms\n  bare %.2f, warm %.2f, cold %.2f\n",
              bare, warm, cold);
  print_target("warm: processor time, ms", warm, 1.6);
}

}  // namespace

int main(int argc, char** argv) {
  const int launches = argc > 1 ? std::atoi(argv[1]) : 300;
  const double seconds = argc > 2 ? std::atof(argv[2]) : 2;
  Bench bench(16);
  const std::vector<std::string> command = {"/bin/true"};
  const auto request = bench.request(command);
  std::vector<Measured> all = {
      {bench.bare(command), {}}, {bench.cold(request), {}}, {bench.warm(request), {}}};
  const auto bubblewrap = bench.bubblewrap(command);
  const auto runc = bench.runc(command);
  if (bubblewrap) all.push_back({*bubblewrap, {}});
  std::vector<Measured> slow = {{bench.cold(request), {}}};
  if (runc) slow.push_back({*runc, {}});

  print_header("launch of /bin/true to its result, nothing of it alive; ms");
  run_in_turn(all, launches);
  run_in_turn(slow, runc ? launches / 10 + 1 : 0);
  for (const Measured& one : all) print_row(one.way.name, one.ms);
  if (runc) print_row(slow[1].way.name, slow[1].ms);
  const double bare = median(all[0].ms);
  print_target("cold: p50 over bare, ms", median(all[1].ms) - bare, 0.5);
  print_target("warm: p50 over bare, ms", median(all[2].ms) - bare, 0.15);
  print_target("warm: p99 over bare's, ms", percentile(all[2].ms, 99) - percentile(all[0].ms, 99),
               3);
  if (bubblewrap)
    print_target_at_least("bubblewrap takes so many times warm's p50",
                          median(all[3].ms) / median(all[2].ms), 4);
  if (runc)
    print_target_at_least("runc takes so many times warm's p50",
                          median(slow[1].ms) / median(all[2].ms), 20);

  print_processor_times(bench, command, launches);

  std::printf("launches of /bin/true per second\n  %-12s %9s %9s %9s\n", "at a time", "bare",
              "warm", "cold");
  double best_bare = 0;
  double best_warm = 0;
  for (const int at_once : {1, 2, 4, 8, 16}) {
    const double bare_rate = rate(copies(at_once, [&] { return bench.bare(command); }), seconds);
    const double warm_rate = rate(copies(at_once, [&] { return bench.warm(request); }), seconds);
    const double cold_rate = rate(copies(at_once, [&] { return bench.cold(request); }), seconds);
    best_bare = std::max(best_bare, bare_rate);
    best_warm = std::max(best_warm, warm_rate);
    std::printf("  %-12d %9.0f %9.0f %9.0f\n", at_once, bare_rate, warm_rate, cold_rate);
    std::fflush(stdout);
  }
  print_target_at_least("warm launches per second", best_warm, 1200);
  print_target_at_least("warm launches for each bare one", best_warm / best_bare, 0.5);
  return 0;
}
