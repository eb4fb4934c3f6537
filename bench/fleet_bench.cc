// A large fleet on one controller: agents that hold their calls open as real ones do, and clients
// that watch. What the controller takes of memory and, while nothing happens, of a processor; how
// soon one event is with a thousand watchers; how soon the run of a node that fell silent is given
// to another one. Nodes report what a real agent of this host reported.
//   fleet_bench [agents, default 1000] [watchers, default 3000] [idle seconds, default 20]
//   needs PADDOCK_BIN_DIR
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "bench/control/agents.h"
#include "bench/control/give_up.h"
#include "bench/control/stack.h"
#include "bench/sandbox/figures.h"
#include "common/base/text.h"
#include "common/os/file.h"
#include "common/wire/json.h"

namespace {

using namespace paddock;
using namespace paddock::bench;

constexpr int kEvents = 20;
constexpr double kLongMs = 60'000;
constexpr double kLostTargetMs = 20'000;  // the lease and 5 s

// What an agent of this host says of it.
std::string real_status() {
  const Instance instance;
  Wire wire(instance.by_tls());
  const Stopwatch watch;
  while (watch.ms() < kLongMs) {
    const Reply reply = wire.call("GET", "/apis/paddock.dev/v1alpha1/nodes");
    const wire::Value nodes = value_of(wire::parse_json(reply.body), "reading nodes");
    const wire::Value* items = nodes.find("items");
    if (items == nullptr || items->array() == nullptr || items->array()->empty()) continue;
    const wire::Value* status = items->array()->front().find("status");
    if (status != nullptr && status->find("capabilities") != nullptr) return wire::to_json(*status);
  }
  give_up("no node reports its status");
}

// Watches of all runs, each with what it has not looked at yet.
struct Watchers {
  std::map<size_t, std::string> texts;
  // Those that were told of this name until now, and when each of them was.
  std::string awaited;
  Stopwatch since;
  std::map<size_t, double> told_ms;

  void take(size_t number, const std::string& text) {
    const auto watcher = texts.find(number);
    if (watcher == texts.end()) return;  // it watches something else
    std::string& own = watcher->second;
    own += text;
    if (!awaited.empty() && own.find(awaited) != std::string::npos)
      told_ms.try_emplace(number, since.ms());
    // Whole lines were looked at.
    own.erase(0, own.rfind('\n') + 1);
  }
};

struct Fleet {
  Controller controller{{{"MAX_CONNECTIONS", "20000"}}};
  Crowd crowd;
  Agents agents{crowd, controller.by_tls(),
                std::string(trim(value_of(os::read_file(controller.data() + "/tokens/enroll"),
                                          "the enrolment token")))};
  Watchers watchers;

  void take(size_t number, std::string text) {
    if (!agents.take(number, text)) watchers.take(number, text);
  }
  void run(
      double ms, const std::function<bool()>& over = [] { return false; }) {
    crowd.run(
        ms, [this](size_t number, std::string text) { take(number, std::move(text)); }, over);
  }
};

void print_memory(const Fleet& fleet, const char* when) {
  const pid_t pid = fleet.controller.pid();
  std::printf("  %-58s %9.1f MiB, %d threads\n", when, memory_mib(pid), threads_of(pid));
  std::fflush(stdout);
}

// The watchers of runs come first, those of one node's life after them.
void open_watches(Fleet& fleet, int watchers) {
  const Address address = fleet.controller.by_tls();
  for (int i = 0; i < watchers; ++i) {
    const std::string target =
        i < 1000 ? kRuns + "?watch=true&resourceVersion=1"
                 : cat("/apis/paddock.dev/v1alpha1/nodes?watch=true&resourceVersion=1"
                       "&fieldSelector=metadata.name%3Dnode-",
                       1000 + i % static_cast<int>(fleet.agents.size()));
    const size_t number =
        fleet.crowd.add(Wire(address), request_text("GET", target, address.token));
    if (i < 1000) fleet.watchers.texts[number];
    if (i % 50 == 0) fleet.run(1);
  }
}

// A run is created; when each watcher hears of it.
std::vector<double> one_event(Fleet& fleet, Wire& wire, int number) {
  Watchers& watchers = fleet.watchers;
  const std::string name = cat("beacon-", number);
  watchers.awaited = cat("\"name\":\"", name, "\"");
  watchers.told_ms.clear();
  watchers.since = Stopwatch();
  const size_t all = watchers.texts.size();
  wire.send(
      request_text("POST", kRuns, fleet.controller.by_tls().token, run_document(name, kScript)));
  fleet.run(kLongMs, [&] { return watchers.told_ms.size() >= all; });
  require(watchers.told_ms.size() == all,
          cat("only ", watchers.told_ms.size(), " of ", all, " watchers were told"));
  require(wire.receive().status == 201, "a run was refused");
  std::vector<double> out;
  for (const auto& [watcher, ms] : watchers.told_ms) out.push_back(ms);
  return out;
}

// From the last word of its node until another one has the run.
double lost_node(Fleet& fleet, Wire& wire) {
  const std::string name = "to-be-moved";
  const std::string document =
      cat(R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Run","metadata":{"name":")", name,
          R"("},"spec":{"workspace":"bench","type":"compute","command":["bash","true.sh"],)",
          R"("retry":{"maxAttempts":3,"backoff":"1ms","on":["NodeLost"]}}})");
  const Reply reply = wire.call("POST", kRuns, document);
  require(reply.status == 201, cat("a run was refused: ", reply.body));
  fleet.run(kLongMs, [&] { return !fleet.agents.place_of(name).node.empty(); });
  fleet.run(500);  // its node reports it as running
  const Agents::Place first = fleet.agents.place_of(name);
  require(!first.node.empty(), "the run is placed nowhere");
  const Stopwatch watch;
  fleet.agents.silence(first.node);
  fleet.run(kLongMs, [&] { return fleet.agents.place_of(name).attempt > first.attempt; });
  const double ms = watch.ms();
  const Agents::Place second = fleet.agents.place_of(name);
  require(second.attempt == 2 && second.node != first.node, "the run was not moved");
  return ms;
}

void raise_descriptor_limit() {
  rlimit limit{};
  require(::getrlimit(RLIMIT_NOFILE, &limit) == 0, "getrlimit");
  limit.rlim_cur = limit.rlim_max;
  require(::setrlimit(RLIMIT_NOFILE, &limit) == 0, "setrlimit");
}

}  // namespace

int main(int argc, char** argv) {
  const int agents = argc > 1 ? std::atoi(argv[1]) : 1000;
  const int watchers = argc > 2 ? std::atoi(argv[2]) : 3000;
  const double idle_s = argc > 3 ? std::atof(argv[3]) : 20;
  raise_descriptor_limit();
  const std::string status = real_status();
  Fleet fleet;
  make_workspace(fleet.controller.by_socket());
  std::printf("%d agents (status of %zu bytes), %d watchers, all over TLS\n", agents, status.size(),
              watchers);
  print_memory(fleet, "the controller alone");
  Stopwatch watch;
  for (int i = 0; i < agents; ++i) {
    fleet.agents.add(status);
    if (i % 20 == 0) fleet.run(1);
  }
  std::printf("  agents enrolled and reported: %.0f/s\n", agents * 1000 / watch.ms());
  print_memory(fleet, "with the agents");
  watch = Stopwatch();
  open_watches(fleet, watchers);
  std::printf("  watches opened: %.0f/s\n", watchers * 1000 / watch.ms());
  fleet.run(5000);
  print_memory(fleet, "with the watchers");

  const double cpu = cpu_ms(fleet.controller.pid());
  const size_t answered = fleet.agents.answered();
  watch = Stopwatch();
  fleet.run(idle_s * 1000);
  const double percent = 100 * (cpu_ms(fleet.controller.pid()) - cpu) / watch.ms();
  std::printf("  idle: %.1f %% of a processor for %.0f calls of agents a second\n", percent,
              static_cast<double>(fleet.agents.answered() - answered) * 1000 / watch.ms());
  const double settled = memory_mib(fleet.controller.pid());
  print_memory(fleet, "after the idle time");

  print_header("one event to all watchers of runs; ms from the request");
  Wire wire(fleet.controller.by_tls());
  std::vector<double> told;
  std::vector<double> last;
  std::vector<double> took;
  for (int i = 0; i < kEvents; ++i) {
    const double cpu_before = cpu_ms(fleet.controller.pid());
    std::vector<double> ms = one_event(fleet, wire, i);
    took.push_back(cpu_ms(fleet.controller.pid()) - cpu_before);
    last.push_back(*std::max_element(ms.begin(), ms.end()));
    told.insert(told.end(), ms.begin(), ms.end());
    fleet.run(300);
  }
  print_row("each watcher", told);
  print_row("the last of them", last);
  print_row("the controller's processor time for it", took);
  fleet.run(idle_s * 1000);
  print_memory(fleet, "after that and another idle time");
  const double grown = memory_mib(fleet.controller.pid()) - settled;
  const double moved = lost_node(fleet, wire);
  std::printf("  a silent node's run is with another node after %.1f s\n", moved / 1000);
  print_target("idle, % of a processor", percent, 5);
  print_target("memory grown while nothing stays, MiB", grown, 32);
  print_target("one event to 1000 watchers, p50 ms", percentile(told, 50), 50);
  print_target("a silent node's run is with another node, ms", moved, kLostTargetMs);
  return 0;
}
