// The store by itself: a durable create by one caller, and reads of what is there.
#include "controller/store/store.h"

#include <filesystem>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

#include "bench/micro/documents.h"
#include "common/base/text.h"

namespace paddock::bench {
namespace {

constexpr int kStored = 1'000;

// In the folder where the benchmark runs: in memory nothing would be durable.
class StoredRuns {
 public:
  StoredRuns() {
    if (::mkdtemp(folder_.data()) == nullptr) panic("no folder for the store can be made here");
    store_ = store::Store::open({cat(folder_, "/store")}).value();
    for (int i = 0; i < kStored; ++i) create();
  }
  ~StoredRuns() {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }
  StoredRuns(const StoredRuns&) = delete;
  StoredRuns& operator=(const StoredRuns&) = delete;

  store::Store& store() { return *store_; }
  void create() {
    contracts::Run run = run_;
    run.metadata.name = run.metadata.uid = name_of(next_++);
    run.metadata.resource_version = {};
    const Status made = store_->write([&](store::WriteTxn& txn) { return txn.create(run); });
    if (!made.ok()) panic_on_error(made.error());
  }
  std::string name_of(int i) const { return cat("run-", 1'000'000 + i); }
  const std::string& name_space() const { return run_.metadata.name_space; }

 private:
  std::string folder_ = "store-micro-XXXXXX";
  const contracts::Run run_ = golden_run();
  std::unique_ptr<store::Store> store_;
  int next_ = 0;
};

void create_durably(benchmark::State& state) {
  StoredRuns runs;
  for (auto _ : state) runs.create();
}
BENCHMARK(create_durably)->UseRealTime();

void read_one(benchmark::State& state) {
  StoredRuns runs;
  int i = 0;
  for (auto _ : state) {
    const store::Key key{runs.name_space(), runs.name_of(i++ % kStored)};
    const Status read = runs.store().read([&](store::ReadTxn& txn) -> Status {
      auto run = txn.get<contracts::Run>(key);
      if (!run.ok()) return std::move(run).error();
      benchmark::DoNotOptimize(*run);
      return {};
    });
    if (!read.ok()) panic_on_error(read.error());
  }
}
BENCHMARK(read_one);

}  // namespace
}  // namespace paddock::bench
