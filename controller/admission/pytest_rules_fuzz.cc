// Whatever passes the rules of a test run is pytest, options known to be harmless, and tests of the
// workspace; every refusal names a word of the command and says more than its reason.
#include <algorithm>

#include "common/contracts/run.h"
#include "controller/admission/pytest_rules.h"

namespace {

using namespace paddock;

const admission::FileNames kFiles = {"a_test.py", "tests/b_test.py", "-p", "@x"};

void check_word(const std::string& word) {
  if (word.find_first_of("|;&`<>\n\r") != std::string::npos) panic("a metacharacter passes");
  if (word.starts_with('/') || word.starts_with('@')) panic("a path or file of words passes");
  if (cat('/', word, '/').find("/../") != std::string::npos) panic("a parent folder passes");
  for (const char* flag : {"-c", "-o", "-W", "--rootdir", "--config-file", "--override-ini",
                           "--confcutdir", "--pyargs", "--basetemp", "--pdbcls"}) {
    if (word == flag || word.starts_with(cat(flag, "="))) panic("a blocked flag passes");
  }
}

void check_accepted(const std::vector<std::string>& argv) {
  const bool python = argv[0] == "python3" || argv[0] == "python";
  if (!python && argv[0] != "pytest") panic("another program passes");
  for (size_t i = python ? 3 : 1; i < argv.size(); ++i) {
    check_word(argv[i]);
    const bool plugin =
        argv[i] == "-p" && (i + 1 == argv.size() || !argv[i + 1].starts_with("no:"));
    if (plugin) panic("a plugin passes");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto argv = contracts::split_command({reinterpret_cast<const char*>(data), size});
  if (!argv) return 0;
  const auto refusals = admission::check_pytest_command(*argv, kFiles);
  if (refusals.empty()) check_accepted(*argv);
  for (const admission::Refusal& refusal : refusals) {
    if (refusal.word >= std::max<size_t>(argv->size(), 1)) panic("a refusal names no word");
    if (refusal.message.size() < 20) panic("a refusal says nothing");
  }
  return 0;
}
