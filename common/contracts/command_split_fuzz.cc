// Splitting never loses or invents bytes: quoting each word and splitting again gives the same
// words.
#include "common/contracts/run.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock;
  const auto words = contracts::split_command({reinterpret_cast<const char*>(data), size});
  if (!words) return 0;
  std::string line;
  for (const std::string& word : *words) {
    line += '"';
    for (const char c : word) line += c == '"' || c == '\\' ? cat('\\', c) : std::string(1, c);
    line += "\" ";
  }
  const auto again = contracts::split_command(line);
  if (!again || *again != *words) panic("words change when they are quoted");
  return 0;
}
