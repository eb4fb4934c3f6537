#include "node-agent/sandbox/plan/landlock_rules.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

using Kind = MountEntry::Kind;
using namespace landlock;

constexpr uint64_t kRead = kReadFile | kReadDir;
constexpr uint64_t kDevice = kReadFile | kWriteFile | kTruncate | kIoctlDev;
// Device nodes cannot be made by anybody inside; no rule ever grants it.
constexpr uint64_t kChange = kWriteFile | kRemoveDir | kRemoveFile | kMakeDir | kMakeReg |
                             kMakeSock | kMakeFifo | kMakeSym | kRefer | kTruncate;

// Threads are named by their comm files below /proc, which come and go with them: no rule can be
// about those alone. SECURITY.md says what else of its own a process may write with this.
constexpr uint64_t kNameThreads = kWriteFile | kTruncate;

uint64_t known_files(int version) {
  uint64_t out = kRefer - 1;
  if (version >= 2) out |= kRefer;
  if (version >= 3) out |= kTruncate;
  if (version >= 5) out |= kIoctlDev;
  return out;
}

// No file of /etc is a program.
uint64_t right_to_execute(const MountEntry& entry, const LandlockQuestion& question) {
  return question.only_executables || entry.target.starts_with("/etc/") ? 0 : kExecute;
}

uint64_t rights_of(const MountEntry& entry, const LandlockQuestion& question) {
  const uint64_t execute = right_to_execute(entry, question);
  switch (entry.kind) {
    case Kind::kFolder:
    case Kind::kCover:
    case Kind::kSymlink:
      return 0;  // names only, which the root's own rule lets be read
    case Kind::kFile:
    case Kind::kLoader:
    case Kind::kSecret:
      return kRead;
    case Kind::kProc:
      // Its own memory is among what a process may write: a listed tool that copies bytes could be
      // made to run code that is in no listed program.
      return question.only_executables ? kRead : kRead | kNameThreads;
    case Kind::kSystem:
      return kRead | execute;
    case Kind::kDevice:
      return kDevice;
    case Kind::kTerminals:
      return kDevice | kReadDir;
    case Kind::kBind:
      return kRead | execute | (entry.writable ? kChange : 0);
    case Kind::kScratch:
      return kRead | execute | kChange;
  }
  return 0;
}

class Rules {
 public:
  explicit Rules(uint64_t handled) : handled_(handled) {}
  // Left out if one further up grants all of it already: each costs time at every launch.
  void add(const std::string& path, uint64_t rights) {
    rights &= handled_;
    if (rights == 0 || grants("/", rights)) return;
    for (size_t end = path.find('/', 1); end != path.npos; end = path.find('/', end + 1)) {
      if (grants(std::string_view(path).substr(0, end), rights)) return;
    }
    if (grants(path, rights)) return;
    rules_.push_back({path, rights});
    granted_[path] |= rights;
  }
  std::vector<LandlockRule> take() { return std::move(rules_); }

 private:
  bool grants(std::string_view path, uint64_t rights) const {
    const auto found = granted_.find(path);
    return found != granted_.end() && (rights & ~found->second) == 0;
  }

  uint64_t handled_;
  std::vector<LandlockRule> rules_;
  std::map<std::string, uint64_t, std::less<>> granted_;
};

constexpr std::array kNames = {
    std::pair{kExecute, "execute"},      std::pair{kWriteFile, "write_file"},
    std::pair{kReadFile, "read_file"},   std::pair{kReadDir, "read_dir"},
    std::pair{kRemoveDir, "remove_dir"}, std::pair{kRemoveFile, "remove_file"},
    std::pair{kMakeChar, "make_char"},   std::pair{kMakeDir, "make_dir"},
    std::pair{kMakeReg, "make_reg"},     std::pair{kMakeSock, "make_sock"},
    std::pair{kMakeFifo, "make_fifo"},   std::pair{kMakeBlock, "make_block"},
    std::pair{kMakeSym, "make_sym"},     std::pair{kRefer, "refer"},
    std::pair{kTruncate, "truncate"},    std::pair{kIoctlDev, "ioctl_dev"},
};

std::string names_of(uint64_t rights) {
  std::string out;
  for (const auto& [right, name] : kNames) {
    if ((rights & right) != 0) out += cat(" ", name);
  }
  return out;
}

}  // namespace

LandlockRuleset render_landlock(const std::vector<MountEntry>& table,
                                const LandlockQuestion& question) {
  LandlockRuleset out;
  if (question.version < kLeastVersion) return out;
  out.files = known_files(question.version);
  if (question.version >= 4) out.network = (kBindTcp | kConnectTcp) & ~question.network;
  if (question.version >= 6) out.scopes = kScopeAbstractUnixSocket | kScopeSignal;
  Rules rules(out.files);
  rules.add("/", kReadDir);
  rules.add("/etc", kRead);
  for (const MountEntry& entry : table) {
    const uint64_t rights = rights_of(entry, question);
    rules.add(entry.target, rights);
    if (entry.kind == Kind::kScratch) rules.add("/dev/shm", rights);
  }
  for (const std::string& path : question.executables) rules.add(path, kReadFile | kExecute);
  out.rules = rules.take();
  return out;
}

std::optional<std::vector<LandlockRule>> rules_beyond(const LandlockRuleset& whole,
                                                      const LandlockRuleset& part) {
  if (whole.files != part.files || whole.scopes != part.scopes) return std::nullopt;
  std::set<std::pair<std::string_view, uint64_t>> there;
  for (const LandlockRule& rule : part.rules) there.insert({rule.path, rule.rights});
  std::vector<LandlockRule> rest;
  for (const LandlockRule& rule : whole.rules) {
    if (there.erase({rule.path, rule.rights}) == 0) rest.push_back(rule);
  }
  if (!there.empty()) return std::nullopt;
  return rest;
}

std::string describe_landlock(const LandlockRuleset& ruleset) {
  std::string out = cat("handled:", names_of(ruleset.files));
  if ((ruleset.network & kBindTcp) != 0) out += " bind_tcp";
  if ((ruleset.network & kConnectTcp) != 0) out += " connect_tcp";
  if ((ruleset.scopes & kScopeAbstractUnixSocket) != 0) out += " scope_abstract_unix";
  if ((ruleset.scopes & kScopeSignal) != 0) out += " scope_signal";
  out += '\n';
  for (const LandlockRule& rule : ruleset.rules) {
    out += cat(rule.path, ":", names_of(rule.rights), "\n");
  }
  return out;
}

}  // namespace paddock::sandbox
