// A run as a document: how long it takes to read and to write one, beside RapidJSON alone.
#include <string>

#include <benchmark/benchmark.h>
#include <rapidjson/document.h>

#include "bench/micro/documents.h"
#include "common/contracts/run.h"
#include "common/wire/describe.h"
#include "common/wire/json.h"

namespace paddock::bench {
namespace {

void count_bytes(benchmark::State& state, const std::string& text) {
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) *
                          static_cast<int64_t>(text.size()));
}

void parse_with_rapidjson(benchmark::State& state) {
  const std::string text = golden("Run/full.json");
  for (auto _ : state) {
    rapidjson::Document document;
    document.Parse(text.data(), text.size());
    benchmark::DoNotOptimize(document);
  }
  count_bytes(state, text);
}
BENCHMARK(parse_with_rapidjson);

void parse_json(benchmark::State& state) {
  const std::string text = golden("Run/full.json");
  for (auto _ : state) benchmark::DoNotOptimize(wire::parse_json(text));
  count_bytes(state, text);
}
BENCHMARK(parse_json);

void decode_run(benchmark::State& state) {
  const wire::Value document = wire::parse_json(golden("Run/full.json")).value();
  for (auto _ : state) benchmark::DoNotOptimize(wire::decode<contracts::Run>(document));
}
BENCHMARK(decode_run);

void encode_run(benchmark::State& state) {
  const auto run = golden_run();
  for (auto _ : state) benchmark::DoNotOptimize(wire::encode(run));
}
BENCHMARK(encode_run);

void write_json(benchmark::State& state) {
  const wire::Value document = wire::encode(golden_run());
  const std::string text = wire::to_json(document);
  for (auto _ : state) benchmark::DoNotOptimize(wire::to_json(document));
  count_bytes(state, text);
}
BENCHMARK(write_json);

// Both of them in one, as the store and every answer have it.
void encode_run_as_json(benchmark::State& state) {
  const auto run = golden_run();
  const std::string text = wire::encode_json(run);
  for (auto _ : state) benchmark::DoNotOptimize(wire::encode_json(run));
  count_bytes(state, text);
}
BENCHMARK(encode_run_as_json);

}  // namespace
}  // namespace paddock::bench
