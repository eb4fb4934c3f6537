#include "node-agent/sandbox/linux/kernel/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/text.h"
#include "common/os/fd.h"
#include "node-agent/sandbox/linux/kernel/raw.h"

namespace paddock::sandbox {
namespace {

using namespace landlock;

// The kernel's structures; those of older headers end earlier.
struct RulesetAttributes {
  uint64_t files = 0;
  uint64_t network = 0;
  uint64_t scopes = 0;
};
struct __attribute__((packed)) PathRule {
  uint64_t rights = 0;
  int32_t path = -1;
};

constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr unsigned kAskVersion = 1;
// From Linux 6.15 on the host's audit log has what Landlock refuses. A program inside may try that
// as fast as it likes: with these flags it is not recorded, nor what rules of its own would refuse.
constexpr unsigned kNoRecords = 1;               // LANDLOCK_RESTRICT_SELF_LOG_SAME_EXEC_OFF
constexpr unsigned kNoRecordsOfItsOwnRules = 4;  // LANDLOCK_RESTRICT_SELF_LOG_SUBDOMAINS_OFF
constexpr int kBeneathPath = 1;
// The rights that can be granted for a file that is no folder.
constexpr uint64_t kForFiles = kExecute | kWriteFile | kReadFile | kTruncate | kIoctlDev;

Result<os::Fd> create(const RulesetAttributes& attributes) {
  os::Fd out(static_cast<int>(syscall(kCreateRuleset, &attributes, sizeof attributes, 0)));
  if (!out.valid()) return step_error("making the Landlock ruleset", errno);
  return out;
}

Status add_rule(const os::Fd& ruleset, const LandlockRule& rule, int path) {
  const auto add = [&](uint64_t rights) {
    const PathRule attributes{rights, path};
    return syscall(kAddRule, ruleset.get(), kBeneathPath, &attributes, 0) == 0;
  };
  if (add(rule.rights)) return {};
  const uint64_t for_file = rule.rights & kForFiles;
  // EINVAL: the path is no folder, so only rights for files can be granted.
  if (errno == EINVAL && for_file != rule.rights && (for_file == 0 || add(for_file))) return {};
  return step_error(cat("adding the Landlock rule for ", rule.path), errno);
}

Status add_below(const os::Fd& ruleset, const LandlockRule& rule, int root) {
  ASSIGN_OR_RETURN(const os::Fd path, open_below(root, rule.path));
  return add_rule(ruleset, rule, path.get());
}

}  // namespace

int landlock_version() {
  const long version = syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  return version > 0 ? static_cast<int>(version) : 0;
}

Result<os::Fd> open_below(int root, const std::string& path) {
  os::Fd out(
      raw::openat2(root, path.c_str(), O_PATH | O_CLOEXEC, RESOLVE_NO_SYMLINKS | RESOLVE_IN_ROOT));
  if (!out.valid()) return step_error(cat("opening ", path, " for its Landlock rule"), errno);
  return out;
}

Result<os::Fd> make_ruleset(const LandlockRuleset& ruleset, int root, const OpenFiles& open) {
  if (ruleset.files == 0) return os::Fd();
  ASSIGN_OR_RETURN(os::Fd out, create({ruleset.files, 0, ruleset.scopes}));
  for (const LandlockRule& rule : ruleset.rules) {
    const auto found = open.find(rule.path);
    TRY(found != open.end() ? add_rule(out, rule, found->second.get())
                            : add_below(out, rule, root));
  }
  return out;
}

Status add_rules(const os::Fd& ruleset, const std::vector<LandlockRule>& rules, int root) {
  for (const LandlockRule& rule : rules) TRY(add_below(ruleset, rule, root));
  return {};
}

Status take_ruleset(const os::Fd& ruleset) {
  if (!ruleset.valid()) return {};
  if (syscall(kRestrictSelf, ruleset.get(), kNoRecords | kNoRecordsOfItsOwnRules) == 0) return {};
  // An older kernel knows no flags, and keeps no records.
  if (errno != EINVAL || syscall(kRestrictSelf, ruleset.get(), 0) != 0)
    return step_error("taking the Landlock ruleset on", errno);
  return {};
}

Result<os::Fd> make_tcp_ruleset(uint64_t refused) {
  constexpr int kKnowsTcp = 4;
  if (landlock_version() < kKnowsTcp) return os::Fd();
  const os::Fd root(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) return step_error("opening the root for its Landlock rule", errno);
  ASSIGN_OR_RETURN(os::Fd out, create({kRefer, refused, 0}));
  TRY(add_rule(out, {"/", kRefer}, root.get()));
  return out;
}

Result<os::Fd> make_signal_ruleset() {
  constexpr int kKnowsScopes = 6;
  if (landlock_version() < kKnowsScopes) return os::Fd();
  return create({0, 0, kScopeSignal});
}

}  // namespace paddock::sandbox
