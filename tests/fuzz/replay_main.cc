// Runs a fuzz target without libFuzzer, as a test: over the files of its corpus folder, and over
// inputs made of them, the same ones each time.
//   TARGET CORPUS_FOLDER           fails when the folder is missing or empty: a lost corpus is seen
//   TARGET CORPUS_FOLDER NUMBER    prints one of the made inputs, to be kept in the corpus
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/mutate.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr uint64_t kMutations = 4000;

// A crash leaves the name or number of its input as the last word of the output.
void run(const std::string& name, const std::string& bytes) {
  std::printf("%s ", name.c_str());
  std::fflush(stdout);
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

std::vector<std::filesystem::path> files_of(const char* folder) {
  std::vector<std::filesystem::path> out;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_regular_file()) out.push_back(entry.path());
  }
  std::ranges::sort(out);  // a mutation's number is its input's name
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: %s CORPUS_FOLDER [NUMBER]\n", argv[0]);
    return 2;
  }
  std::vector<std::string> corpus;
  for (const auto& path : files_of(argv[1])) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    if (argc == 2) run(path.filename().string(), corpus.back());
  }
  if (corpus.empty()) {
    std::fprintf(stderr, "no corpus at %s\n", argv[1]);
    return 1;
  }
  if (argc == 3) {
    const std::string bytes = paddock::fuzz::mutation(corpus, std::strtoull(argv[2], nullptr, 10));
    return std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() ? 0 : 1;
  }
  for (uint64_t number = 0; number < kMutations; ++number)
    run(std::to_string(number), paddock::fuzz::mutation(corpus, number));
  return 0;
}
