// Durable writes per second: our store with 1, 8 and 64 waiting callers, beside the plain way, one
// transaction per write on one connection, in the same run on the same disk. Then what the reserve
// of the disk costs a caller: two stores, with one and without, written to in turn.
// Then durable creates, each with its event and its record of the audit log, in SQLite and, where
// the URL of a database is given that holds nothing else, in PostgreSQL, in turn, with the ratio.
// bench/store_engines.py makes such a database, without and with a synchronous standby.
//   store_bench [seconds per figure, default 2] [folder, default .] [URL]
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <sqlite3.h>

#include "common/base/text.h"
#include "controller/store/store.h"

namespace {

using SteadyClock = std::chrono::steady_clock;

// Calls `write_one(client, i)` from so many threads for so long; prints rate and latencies.
// Returns the rate.
template <class Write>
double measure(const char* what, int clients, double seconds, Write&& write_one) {
  std::atomic<bool> stop{false};
  std::vector<std::vector<double>> spent(static_cast<size_t>(clients));
  std::vector<std::thread> threads;
  const auto begin = SteadyClock::now();
  for (int client = 0; client < clients; ++client) {
    threads.emplace_back([&, client] {
      for (int i = 0; !stop; ++i) {
        const auto before = SteadyClock::now();
        write_one(client, i);
        const std::chrono::duration<double, std::milli> took = SteadyClock::now() - before;
        spent[static_cast<size_t>(client)].push_back(took.count());
      }
    });
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  stop = true;
  for (std::thread& thread : threads) thread.join();
  const std::chrono::duration<double> all = SteadyClock::now() - begin;
  std::vector<double> sorted;
  for (const auto& each : spent) sorted.insert(sorted.end(), each.begin(), each.end());
  std::sort(sorted.begin(), sorted.end());
  const double rate = static_cast<double>(sorted.size()) / all.count();
  std::printf("%-28s %3d clients  %8.0f writes/s  p50 %6.2f ms  p99 %6.2f ms\n", what, clients,
              rate, sorted[sorted.size() / 2], sorted[sorted.size() * 99 / 100]);
  std::fflush(stdout);
  return rate;
}

void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "store_bench: %s failed\n", what);
  std::exit(1);
}

void bench_store(const std::string& path, int clients, double seconds) {
  auto opened = paddock::store::Store::open({path});
  require(opened.ok(), "open");
  const std::string value(300, 'x');
  measure("store, group commit", clients, seconds, [&](int client, int i) {
    const auto key = paddock::cat("setting-", client, "-", i);
    require((*opened)
                ->write([&](paddock::store::WriteTxn& txn) { return txn.put_setting(key, value); })
                .ok(),
            "write");
  });
}

void bench_plain(const std::string& path, int clients, double seconds) {
  sqlite3* db = nullptr;
  require(sqlite3_open(path.c_str(), &db) == SQLITE_OK, "open");
  require(sqlite3_exec(db,
                       "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                       "CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
                       nullptr, nullptr, nullptr) == SQLITE_OK,
          "create");
  sqlite3_stmt* insert = nullptr;
  require(sqlite3_prepare_v2(db, "INSERT INTO settings VALUES (?, ?)", -1, &insert, nullptr) ==
              SQLITE_OK,
          "prepare");
  std::mutex one_at_a_time;
  const std::string value(300, 'x');
  measure("plain, one per transaction", clients, seconds, [&](int client, int i) {
    const auto key = paddock::cat("setting-", client, "-", i);
    const std::lock_guard lock(one_at_a_time);
    sqlite3_bind_text(insert, 1, key.data(), static_cast<int>(key.size()), SQLITE_STATIC);
    sqlite3_bind_text(insert, 2, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
    require(sqlite3_step(insert) == SQLITE_DONE, "insert");
    sqlite3_reset(insert);
  });
  sqlite3_finalize(insert);
  sqlite3_close(db);
}

double thread_ms() {
  timespec now = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

struct Side {
  const char* what;
  int64_t reserve;
  std::unique_ptr<paddock::store::Store> store = {};
  std::vector<double> wall = {};
  std::vector<double> processor = {};
};

double median(std::vector<double>& of) {
  std::sort(of.begin(), of.end());
  return of[of.size() / 2];
}

void bench_reserve(const std::string& path, double seconds) {
  Side sides[] = {{"without a reserve", 0}, {"with one of 64 MiB", 64 << 20}};
  for (Side& side : sides) {
    paddock::store::StoreOptions options{paddock::cat(path, "-", side.reserve)};
    options.reserve = side.reserve;
    side.store = std::move(*paddock::store::Store::open(options));
  }
  const std::string value(300, 'x');
  const auto end = SteadyClock::now() + std::chrono::duration<double>(seconds);
  for (int i = 0; SteadyClock::now() < end; ++i) {
    for (Side& side : sides) {
      const auto before = SteadyClock::now();
      const double worked = thread_ms();
      const auto put = [&](paddock::store::WriteTxn& txn) {
        return txn.put_setting(paddock::cat("setting-", i), value);
      };
      require(side.store->write(put).ok(), "write");
      side.processor.push_back(thread_ms() - worked);
      side.wall.push_back(
          std::chrono::duration<double, std::milli>(SteadyClock::now() - before).count());
    }
  }
  for (Side& side : sides)
    std::printf("%-28s %zu writes in turn  p50 %7.4f ms  of a processor %7.4f ms\n", side.what,
                side.wall.size(), median(side.wall), median(side.processor));
}

// `round`: of those that begin with the same store.
double bench_creates(const char* what, const paddock::store::StoreOptions& options, int clients,
                     int round, double seconds) {
  auto opened = paddock::store::Store::open(options);
  require(opened.ok(), "open");
  return measure(what, clients, seconds, [&](int client, int i) {
    const std::string name = paddock::cat("run-", clients, "-", round, "-", client, "-", i);
    const auto create = [&](paddock::store::WriteTxn& txn) -> paddock::Status {
      paddock::contracts::Run run;
      run.metadata.name = name;
      run.metadata.name_space = "default";
      run.metadata.uid = run.metadata.name;
      run.spec.command.argv = {"true"};
      TRY(txn.create(run));
      paddock::contracts::RunEvent event;
      event.type = paddock::contracts::kEventPhase;
      event.data = R"({"phase":"Pending"})";
      TRY(txn.append_event(run.metadata.uid, event));
      paddock::contracts::AuditEvent told;
      told.type = "object.create";
      return txn.append_audit(told);
    };
    require(
        (*opened)->write_new({{paddock::contracts::Run::kKind, {"default", name}}}, create).ok(),
        "create");
  });
}

void bench_engines(const std::string& path, const char* url, double seconds) {
  constexpr int kRounds = 3;
  paddock::store::StoreOptions postgres;
  postgres.postgres = paddock::store::PostgresOptions{};
  if (url != nullptr) postgres.postgres->url = url;
  for (const int clients : {1, 8, 64}) {
    const paddock::store::StoreOptions sqlite{paddock::cat(path, "-", clients)};
    std::vector<double> ratios;
    for (int round = 0; round < (url != nullptr ? kRounds : 1); ++round) {
      const double file = bench_creates("creates, SQLite", sqlite, clients, round, seconds);
      if (url == nullptr) continue;
      ratios.push_back(bench_creates("creates, PostgreSQL", postgres, clients, round, seconds) /
                       file);
    }
    if (url != nullptr)
      std::printf("%-28s %3d clients  %8.2f of SQLite's rate, the median of %d\n",
                  "creates, PostgreSQL", clients, median(ratios), kRounds);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 2.0;
  std::string folder = paddock::cat(argc > 2 ? argv[2] : ".", "/store-bench-XXXXXX");
  require(::mkdtemp(folder.data()) != nullptr, "mkdtemp");
  for (const int clients : {1, 8, 64}) {
    bench_plain(paddock::cat(folder, "/plain-", clients), clients, seconds);
    bench_store(paddock::cat(folder, "/store-", clients), clients, seconds);
  }
  bench_reserve(paddock::cat(folder, "/reserve"), 2 * seconds);
  bench_engines(paddock::cat(folder, "/creates"), argc > 3 ? argv[3] : nullptr, seconds);
  std::filesystem::remove_all(folder);
}
