// A controller whose store holds many runs that ended: how soon it is ready after a start, what it
// takes of memory, how fast it finds and lists, and what a durable create costs while SQLite's
// checkpoints go on; each beside an empty store in the same run. The runs are copies of one that
// really ran here, and a sample is read back and compared with it.
//   restart_bench [runs, default 1000000] [seconds of creates, default 5]; needs PADDOCK_BIN_DIR
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "bench/control/database.h"
#include "bench/control/give_up.h"
#include "bench/control/history.h"
#include "bench/control/outcomes.h"
#include "bench/control/run_watch.h"
#include "bench/control/stack.h"
#include "bench/control/submit.h"
#include "bench/sandbox/figures.h"
#include "common/base/random.h"
#include "common/base/text.h"
#include "common/wire/json.h"

namespace {

using namespace paddock;
using namespace paddock::bench;
namespace fs = std::filesystem;

// A controller's folder with one run in it that ended here.
void make_seed(const std::string& folder) {
  Instance instance;
  make_workspace(instance.by_tls());
  {
    RunWatch watch(instance.by_tls());
    Wire wire(instance.by_tls());
    require(wire.call("POST", kRuns, run_document(kSeed, kScript)).status == 201, "no run to copy");
    require(watch.wait_for(kSeed).phase == "Succeeded", "the run to copy failed");
  }
  instance.stop();
  fs::copy(instance.data(), folder, fs::copy_options::recursive);
}

std::string name_of(int64_t number) {
  const std::string digits = std::to_string(number);
  return cat("seed-", std::string(7 - digits.size(), '0'), digits);
}

void replace_all(std::string& text, const std::string& word, const std::string& by) {
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size())
    text.replace(at, word.size(), by);
}

// A run's document without what is its own: its name, its uid, its version.
std::string common_part(const wire::Value& run) {
  std::string text = wire::to_json(run);
  for (const char* own : {"metadata.name", "metadata.uid"}) replace_all(text, run.text(own), "own");
  replace_all(text, cat("\"", run.text("metadata.resourceVersion"), "\""), "\"own\"");
  return text;
}

wire::Value read_run(Wire& wire, const std::string& name) {
  const Reply reply = wire.call("GET", cat(kRuns, "/", name));
  require(reply.status == 200, cat("run ", name, " is not found: ", reply.body));
  wire::Value run = value_of(wire::parse_json(reply.body), "reading a run");
  require(run.text("metadata.name") == name, "this is another run");
  return run;
}

void check_copies(const Address& address, int64_t runs) {
  Wire wire(address);
  SeededRandom random(7);
  const std::string seed = common_part(read_run(wire, kSeed));
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) {
    names.push_back(name_of(1 + static_cast<int64_t>(random.below(static_cast<uint64_t>(runs)))));
    require(common_part(read_run(wire, names.back())) == seed, "a copy is not like its seed");
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  check_outcomes(address, names);
}

std::vector<double> times_of(Wire& wire, int count, const std::function<std::string()>& target) {
  std::vector<double> ms;
  for (int i = 0; i < count; ++i) {
    const std::string path = target();
    const Stopwatch watch;
    const Reply reply = wire.call("GET", path);
    ms.push_back(watch.ms());
    require(reply.status == 200, cat("the answer is ", reply.status, ": ", reply.body));
  }
  return ms;
}

// A place in the middle of the list to go on from, as a page before it tells.
std::string page_after(Wire& wire) {
  const Reply reply = wire.call("GET", kRuns + "?limit=100");
  const wire::Value page = value_of(wire::parse_json(reply.body), "reading a page");
  const std::string token = page.text("metadata.continue");
  require(!token.empty(), "the list has one page");
  return cat(kRuns, "?limit=100&continue=", token);
}

struct Figures {
  std::vector<double> get;
  std::vector<double> page;
  Submitted creates;
};

Figures measure(const Controller& controller, int64_t runs, double seconds) {
  Figures out;
  Wire wire(controller.by_socket());
  SeededRandom random(11);
  out.get = times_of(wire, 1000, [&] {
    const auto number = 1 + static_cast<int64_t>(random.below(static_cast<uint64_t>(runs)));
    return cat(kRuns, "/", name_of(number));
  });
  const std::string page = page_after(wire);
  out.page = times_of(wire, 100, [&] { return page; });
  out.creates = submit_for(controller.by_socket(), 8, seconds, "new-", kScript);
  return out;
}

void print_selected(const Controller& controller) {
  Wire wire(controller.by_socket());
  print_row("list those that run, none does", times_of(wire, 1, [] {
              return kRuns + "?limit=100&fieldSelector=status.phase%3DRunning";
            }));
}

void print_figures(const Figures& figures) {
  print_row("get one run", figures.get);
  print_row("list a page of 100", figures.page);
  print_row("durable create, 8 clients", figures.creates.ms);
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t runs = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
  const double seconds = argc > 2 ? std::atof(argv[2]) : 5;
  const std::map<std::string, std::string> settings = {
      {"RETENTION_MAX_FINISHED_RUNS", std::to_string(runs + 100'000)}};
  const Folder folder;
  make_seed(folder.path() + "/few");
  fs::copy(folder.path() + "/few", folder.path() + "/many", fs::copy_options::recursive);
  constexpr int64_t kFew = 1000;
  multiply_seed(folder.path() + "/few/paddock.db", kFew);
  const Stopwatch watch;
  multiply_seed(folder.path() + "/many/paddock.db", runs);
  std::printf("%lld runs that ended, a store of %.0f MiB, made in %.0f s; ms\n",
              static_cast<long long>(runs),
              static_cast<double>(fs::file_size(folder.path() + "/many/paddock.db")) / (1 << 20),
              watch.ms() / 1000);
  std::fflush(stdout);
  Controller few(settings, folder.path() + "/few");
  print_header(cat("beside it, in the same run: ", kFew, " runs").c_str());
  print_row("start to ready", {few.start_ms()});
  print_figures(measure(few, kFew, seconds));
  std::printf("  resident %.0f MiB\n", memory_mib(few.pid()));
  few.stop(SIGTERM);

  Controller many(settings, folder.path() + "/many");
  check_copies(many.by_socket(), runs);
  std::vector<double> starts = {many.start_ms()};
  for (const int signal : {SIGTERM, SIGKILL, SIGKILL}) {
    many.stop(signal);
    many.start();
    starts.push_back(many.start_ms());
  }
  print_header(cat(runs, " runs").c_str());
  print_row("start to ready", starts);
  std::printf("  resident when ready %.0f MiB\n", memory_mib(many.pid()));
  const Figures figures = measure(many, runs, seconds);
  print_figures(figures);
  std::printf("  resident then %.0f MiB, at most %.0f MiB\n", memory_mib(many.pid()),
              peak_memory_mib(many.pid()));
  print_target("start to ready, at worst, ms", percentile(starts, 100), 5000);
  print_target("get one run, p99 ms", percentile(figures.get, 99), 5);
  print_target("list a page of 100, p99 ms", percentile(figures.page, 99), 5);
  print_target("durable create, 8 clients, p99 ms", percentile(figures.creates.ms, 99), 20);
  std::fflush(stdout);
  print_header("reading every run to find those that are wanted");
  print_selected(many);
  return 0;
}
