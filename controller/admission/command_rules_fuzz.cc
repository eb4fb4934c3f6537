// Whatever passes the command rules is an interpreter, options known to be harmless, and a file of
// the workspace; every refusal names a word of the command and says more than its reason.
#include <algorithm>

#include "common/contracts/run.h"
#include "controller/admission/command_rules.h"

namespace {

using namespace paddock;

const admission::FileNames kFiles = {"s.py", "s.js", "build.sh", "a/b.py", "-c"};

void check_accepted(const std::vector<std::string>& argv) {
  const auto script = std::find_if(argv.begin() + 1, argv.end(),
                                   [](const auto& word) { return !word.starts_with('-'); });
  if (script == argv.end() || !kFiles.contains(*script)) panic("a command without a script passes");
  for (const std::string& word : argv) {
    if (word.find_first_of("|;&`<>\n\r") != std::string::npos) panic("a metacharacter passes");
    if (word.starts_with('/')) panic("an absolute path passes");
    if (cat('/', word, '/').find("/../") != std::string::npos) panic("a parent folder passes");
    for (const char* flag : {"-c", "-e", "-m", "-i", "-W", "--eval", "--require", "--import"}) {
      if (word == flag || word.starts_with(cat(flag, "="))) panic("a blocked flag passes");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto argv = contracts::split_command({reinterpret_cast<const char*>(data), size});
  if (!argv) return 0;
  const auto refusals = admission::check_command(*argv, kFiles);
  if (refusals.empty()) check_accepted(*argv);
  for (const admission::Refusal& refusal : refusals) {
    if (refusal.word >= std::max<size_t>(argv->size(), 1)) panic("a refusal names no word");
    if (refusal.message.size() < 20) panic("a refusal says nothing");
  }
  return 0;
}
