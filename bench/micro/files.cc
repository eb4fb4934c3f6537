// A project on its way up: digests of its files, and which of them are left out.
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "common/base/text.h"
#include "common/cas/ignore.h"
#include "common/crypto/digest.h"

namespace paddock::bench {
namespace {

void sha256(benchmark::State& state) {
  const std::string bytes(static_cast<size_t>(state.range(0)), 'x');
  for (auto _ : state) benchmark::DoNotOptimize(crypto::sha256_hex(bytes));
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * state.range(0));
}
BENCHMARK(sha256)->Arg(1 << 10)->Arg(1 << 20);

void ignore_rules(benchmark::State& state) {
  cas::IgnoreRules rules;
  rules.add("", cas::built_in_folder_rules());
  rules.add("", cas::built_in_secret_rules());
  rules.add("", cas::parse_ignore_rules("*.log\nbuild/\n!keep.log\ndata/**/*.bin\n", ".gitignore"));
  std::vector<std::string> paths;
  for (int i = 0; i < 1000; ++i) paths.push_back(cat("src/part", i % 10, "/file", i, ".py"));
  for (auto _ : state) {
    for (const std::string& path : paths) benchmark::DoNotOptimize(rules.excluded_by(path, false));
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()) *
                          static_cast<int64_t>(paths.size()));
}
BENCHMARK(ignore_rules);

}  // namespace
}  // namespace paddock::bench
