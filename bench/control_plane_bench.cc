// The control plane alone: a controller without a node, and clients that create runs over kept
// connections, each acknowledged only when it is durable (synchronous=FULL). Beside it in the same
// run: lists of 100 runs in one request, each one transaction; the same connections asking for
// /livez, and plain SQLite writing one document of the same size per transaction. At the end the
// controller is killed and its store is counted: nothing that was acknowledged may be missing.
//   control_plane_bench [seconds per figure, default 3]; needs PADDOCK_BIN_DIR
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include <sqlite3.h>

#include "bench/control/database.h"
#include "bench/control/give_up.h"
#include "bench/control/stack.h"
#include "bench/control/submit.h"
#include "bench/sandbox/figures.h"
#include "common/base/text.h"

namespace {

using namespace paddock;
using namespace paddock::bench;

void print_rate(const std::string& what, int clients, const Submitted& all) {
  std::printf("  %-34s %4d %9.0f %9.3f %9.3f %9.3f\n", what.c_str(), clients, all.rate(),
              percentile(all.ms, 50), percentile(all.ms, 90), percentile(all.ms, 99));
  std::fflush(stdout);
}

// Runs created by the list; the times are those of requests.
double print_lists(const Controller& controller, double seconds,
                   std::set<std::string>& acknowledged) {
  constexpr int kBatch = 100;
  double best = 0;
  std::printf("in lists of %d, each one request and one transaction\n", kBatch);
  for (const int clients : {1, 4}) {
    const double before = cpu_ms(controller.pid());
    const Submitted all = submit_lists_for(controller.by_tls(), clients, seconds,
                                           cat("b", clients, "-"), kTrue, kBatch);
    const auto runs = static_cast<double>(all.names.size());
    std::printf("  %-34s %4d %9.0f %9.3f %9.3f %9.3f\n", "durable runs, TLS", clients,
                all.runs_rate(), percentile(all.ms, 50), percentile(all.ms, 90),
                percentile(all.ms, 99));
    std::printf("    CPU ms a run: controller %.3f\n", (cpu_ms(controller.pid()) - before) / runs);
    std::fflush(stdout);
    acknowledged.insert(all.names.begin(), all.names.end());
    best = std::max(best, all.runs_rate());
  }
  return best;
}

// Names of all runs in a store, and how long their documents are on average.
std::set<std::string> stored_runs(const std::string& path, size_t& document_bytes) {
  Database store(path);
  std::set<std::string> names;
  size_t bytes = 0;
  for (const auto& row : store.rows("SELECT name, length(data) FROM objects WHERE kind = 'Run'")) {
    names.insert(row[0]);
    bytes += parse_integer<size_t>(row[1]).value_or(0);
  }
  document_bytes = names.empty() ? 0 : bytes / names.size();
  return names;
}

double plain_rate(const std::string& folder, size_t document_bytes, double seconds) {
  Database plain(folder + "/plain.db");
  plain.execute(
      "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
      "CREATE TABLE documents (name TEXT PRIMARY KEY, data TEXT NOT NULL) STRICT");
  sqlite3_stmt* insert = plain.prepare("INSERT INTO documents VALUES (?, ?)");
  const std::string document(document_bytes, 'x');
  const Stopwatch watch;
  int written = 0;
  for (; watch.ms() < seconds * 1000; ++written) {
    const std::string name = cat("run-", written);
    sqlite3_bind_text(insert, 1, name.data(), static_cast<int>(name.size()), SQLITE_STATIC);
    sqlite3_bind_text(insert, 2, document.data(), static_cast<int>(document.size()), SQLITE_STATIC);
    require(sqlite3_step(insert) == SQLITE_DONE, "plain SQLite does not write");
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  return written * 1000 / watch.ms();
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 3;
  Controller controller;
  make_workspace(controller.by_socket());
  std::set<std::string> acknowledged;
  double best = 0;
  double one_p50 = 0;
  double one_p99 = 0;
  std::printf(
      "runs created one by one, no node; per second, and ms from request to answer\n"
      "  %-34s %4s %9s %9s %9s %9s\n",
      "", "at once", "a second", "p50", "p90", "p99");
  for (const bool tls : {true, false}) {
    const Address address = tls ? controller.by_tls() : controller.by_socket();
    const std::string over = tls ? "TLS" : "unix socket";
    for (const int clients : {1, 8, 64}) {
      print_rate(cat("GET /livez, ", over), clients, get_for(address, clients, 1, "/livez"));
      const double before = cpu_ms(controller.pid());
      const double own_before = own_cpu_ms();
      const Submitted all =
          submit_for(address, clients, seconds, cat(tls ? "t" : "u", clients, "-"), kTrue);
      print_rate(cat("durable create, ", over), clients, all);
      const auto runs = static_cast<double>(all.ms.size());
      std::printf("    CPU ms a run: controller %.3f, client %.3f\n",
                  (cpu_ms(controller.pid()) - before) / runs, (own_cpu_ms() - own_before) / runs);
      acknowledged.insert(all.names.begin(), all.names.end());
      best = std::max(best, all.rate());
      if (!tls && clients == 1) {
        one_p50 = percentile(all.ms, 50);
        one_p99 = percentile(all.ms, 99);
      }
    }
  }
  const double best_lists = print_lists(controller, seconds, acknowledged);
  std::printf("  controller: %.0f MiB resident with %zu runs waiting\n",
              memory_mib(controller.pid()), acknowledged.size());
  controller.stop(SIGKILL);
  size_t document_bytes = 0;
  const std::set<std::string> stored = stored_runs(controller.store(), document_bytes);
  for (const std::string& name : acknowledged)
    require(stored.contains(name), cat("run ", name, " was acknowledged and is not stored"));
  std::printf("  after kill -9: all %zu acknowledged runs are in the store, %zu bytes each\n",
              acknowledged.size(), document_bytes);
  std::printf("  plain SQLite, FULL, one such document per transaction: %.0f/s\n",
              plain_rate(controller.data(), document_bytes, seconds));
  print_target_at_least("durable creates per second, one by one", best, 20'000);
  print_target_at_least("durable creates per second, in lists of 100", best_lists, 60'000);
  print_target("durable create, one client, p50 ms", one_p50, 0.7);
  print_target("durable create, one client, p99 ms", one_p99, 2);
  return 0;
}
