// The store when its process or its host ends at any call to the disk whatever: what write() had
// acknowledged is there, nothing is there in part, and the store opens again by itself.
#include <algorithm>
#include <array>

#include <sqlite3.h>

#include "controller/store/crashing_disk_test_support.h"
#include "controller/store/store_faults_test_support.h"
#include "tests/support/sanitized.h"

namespace paddock::store {
namespace {

// What is written, one after another; each write is two objects and an event, or takes them away;
// and a record of the audit log.
constexpr int kWrites = 6;
constexpr int kErases = 3;  // this write takes away what write 2 made
// Each takes a process: `make verify STAGE=seeds` tries every call, with optimisation.
#ifdef NDEBUG
constexpr int kStride = 1;
#else
constexpr int kStride = test::kSanitized ? 8 : 4;
#endif

Status write_pair(Store& store, int i) {
  return store.write([&](WriteTxn& txn) -> Status {
    contracts::AuditEvent told;
    told.type = cat("test.write", i);
    TRY(txn.append_audit(told));
    if (i == kErases) {
      TRY(txn.erase<contracts::Run>({"default", "a2"}));
      return txn.erase<contracts::Run>({"default", "b2"});
    }
    for (const char* letter : {"a", "b"}) {
      contracts::Run run = make_run(cat(letter, i));
      run.spec.command.argv.push_back(std::string(3'000, 'x'));
      TRY(txn.create(run));
      contracts::RunEvent event;
      TRY(txn.append_event(run.metadata.uid, event));
    }
    return {};
  });
}

// Tells each write that was acknowledged, at once. In the middle the store is closed and opened
// again, which moves the log into the file.
void work(const std::string& path, int told) {
  auto store = Store::open({path});
  for (int i = 0; i < kWrites && store.ok(); ++i) {
    if (i == kWrites / 2) {
      store->reset();
      store = Store::open({path});
      if (!store) break;
    }
    if (!write_pair(**store, i)) break;
    if (::write(told, "+", 1) != 1) break;
  }
}

// What is stored after so many writes: names in their order.
std::string expected_after(int writes) {
  std::set<std::string> names;
  for (int i = 0; i < writes; ++i) {
    for (const char* letter : {"a", "b"}) {
      if (i == kErases)
        names.erase(cat(letter, 2));
      else
        names.insert(cat(letter, i));
    }
  }
  return lines(names);
}

struct Crashed {
  int acknowledged = 0;
  bool reached = false;  // the chosen call was made
};

Crashed crash(CrashingDisk& disk, const std::string& path, int step, Crash how) {
  const std::string told = in_child([&]() -> std::string {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return "no pipe";
    const pid_t worker = ::fork();
    if (worker == 0) {
      disk.crash_at(step, how);
      work(path, ends[1]);
      (void)!::write(ends[1], "end", 3);
      ::_exit(0);
    }
    ::close(ends[1]);
    std::string out;
    char buffer[64];
    for (ssize_t got; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
      out.append(buffer, static_cast<size_t>(got));
    ::waitpid(worker, nullptr, 0);
    return out;
  });
  return {static_cast<int>(std::ranges::count(told, '+')), !told.ends_with("end")};
}

std::string integrity_of(const std::string& path) {
  sqlite3* db = nullptr;
  std::string said = "cannot be opened";
  if (sqlite3_open(path.c_str(), &db) == SQLITE_OK) {
    sqlite3_exec(
        db, "PRAGMA integrity_check",
        [](void* out, int, char** row, char**) {
          *static_cast<std::string*>(out) = row[0];
          return 0;
        },
        &said, nullptr);
  }
  sqlite3_close(db);
  return said;
}

// Every run has the one event that was written with it.
std::string events_of(Store& store) {
  std::string wrong;
  const Status read = store.read([&](ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const auto page, txn.list<contracts::Run>({}));
    for (const contracts::Run& run : page.items) {
      ASSIGN_OR_RETURN(const auto events, txn.run_events(run.metadata.uid, 0, 10));
      if (events.size() != 1) wrong += cat(run.metadata.name, " has ", events.size(), " events\n");
    }
    return {};
  });
  return read.ok() ? wrong : reason_of(read);
}

// The audit log's chain holds over what was acknowledged, or one write more.
bool holds_over(const std::string& chain, int writes) {
  return chain == cat(writes, " records to ", writes) ||
         chain == cat(writes + 1, " records to ", writes + 1);
}

class StoreCrash : public testing::TestWithParam<Crash> {
 protected:
  // Crashes at each `stride`-th call of the work, from a copy of `before` on; empty: from nothing.
  void crash_everywhere(const std::string& before, int stride) {
    CrashingDisk disk;
    int reached = 0;
    for (int step = 0; !HasFailure(); step += stride) {
      const TempFolder folder;
      const std::string path = folder.file();
      if (!before.empty()) std::filesystem::copy_file(before, path);
      const Crashed crashed = crash(disk, path, step, GetParam());
      if (!crashed.reached) {
        EXPECT_EQ(crashed.acknowledged, kWrites);
        break;
      }
      ++reached;
      SCOPED_TRACE(cat("crash at call ", step, " after ", crashed.acknowledged, " writes"));
      check(path, crashed.acknowledged);
    }
    EXPECT_GT(reached, 10) << "too few calls to mean anything";
  }

 private:
  static void check(const std::string& path, int acknowledged) {
    const auto store = Store::open({path});
    ASSERT_TRUE(store.ok()) << store.error().describe();
    const std::string found = stored(**store);
    EXPECT_TRUE(found == expected_after(acknowledged) || found == expected_after(acknowledged + 1))
        << found;
    EXPECT_EQ(events_of(**store), "");
    EXPECT_TRUE(holds_over(chain_of(**store), acknowledged)) << chain_of(**store);
    EXPECT_EQ(integrity_of(path), "ok");
    EXPECT_TRUE(add(**store, "afterwards").ok());
  }
};

TEST_P(StoreCrash, AtAnyCallLosesNothingThatWasAcknowledged) {
  const TempFolder folder;
  must_open(folder.file()).reset();
  crash_everywhere(folder.file(), kStride);
}

TEST_P(StoreCrash, WhileTheStoreIsMadeLeavesOneThatCanBeMade) {
  crash_everywhere("", kStride == 1 ? 7 : 2 * kStride);
}

std::string name_of(const testing::TestParamInfo<Crash>& chosen) {
  constexpr std::array kNames = {"Killed", "Torn", "PowerLoss", "Reordered"};
  return kNames.at(static_cast<size_t>(chosen.param));
}

INSTANTIATE_TEST_SUITE_P(Each, StoreCrash,
                         testing::Values(Crash::kKilled, Crash::kTorn, Crash::kPowerLoss,
                                         Crash::kReordered),
                         name_of);

}  // namespace
}  // namespace paddock::store
