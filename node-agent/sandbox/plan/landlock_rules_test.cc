#include "node-agent/sandbox/plan/landlock_rules.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

using Kind = MountEntry::Kind;

std::vector<MountEntry> table() {
  return {
      {Kind::kSystem, "/usr", "/usr"},
      {Kind::kSymlink, "/bin", "usr/bin"},
      {Kind::kFile, "/etc/passwd", "content"},
      {Kind::kSystem, "/etc/alternatives", "/etc/alternatives"},
      {Kind::kDevice, "/dev/null", "/dev/null"},
      {Kind::kTerminals, "/dev/pts", ""},
      {Kind::kProc, "/proc", ""},
      {Kind::kScratch, "/tmp", "", true, 1, 1},
      {Kind::kFolder, "/var", ""},
      {Kind::kFile, "/run/paddock/policy.json", "{}"},
      {Kind::kBind, "/workspace", "/srv/ws", true},
      {Kind::kBind, "/workspace/in", "/srv/in", false},
      {Kind::kBind, "/venv", "/srv/venv", false},
  };
}

TEST(LandlockRules, GrantWhatTheMountTableShowsAndNothingElse) {
  EXPECT_EQ(
      describe_landlock(render_landlock(table(), {.version = 7})),
      "handled: execute write_file read_file read_dir remove_dir remove_file make_char make_dir "
      "make_reg make_sock make_fifo make_block make_sym refer truncate ioctl_dev bind_tcp "
      "connect_tcp scope_abstract_unix scope_signal\n"
      "/: read_dir\n"
      "/etc: read_file read_dir\n"
      "/usr: execute read_file read_dir\n"
      "/dev/null: write_file read_file truncate ioctl_dev\n"
      "/dev/pts: write_file read_file read_dir truncate ioctl_dev\n"
      "/proc: write_file read_file read_dir truncate\n"
      "/tmp: execute write_file read_file read_dir remove_dir remove_file make_dir make_reg "
      "make_sock make_fifo make_sym refer truncate\n"
      "/dev/shm: execute write_file read_file read_dir remove_dir remove_file make_dir make_reg "
      "make_sock make_fifo make_sym refer truncate\n"
      "/run/paddock/policy.json: read_file read_dir\n"
      "/workspace: execute write_file read_file read_dir remove_dir remove_file make_dir "
      "make_reg make_sock make_fifo make_sym refer truncate\n"
      "/venv: execute read_file read_dir\n");
}

TEST(LandlockRules, UseOnlyWhatTheKernelKnows) {
  EXPECT_EQ(render_landlock(table(), {.version = 0}).files, 0u);
  EXPECT_EQ(render_landlock(table(), {.version = 1}).files, 0u);
  for (int version = 2; version <= 7; ++version) {
    const LandlockRuleset set = render_landlock(table(), {.version = version});
    EXPECT_EQ((set.files & landlock::kRefer) != 0, version >= 2);
    EXPECT_EQ((set.files & landlock::kTruncate) != 0, version >= 3);
    EXPECT_EQ((set.files & landlock::kIoctlDev) != 0, version >= 5);
    EXPECT_EQ(set.network != 0, version >= 4);
    EXPECT_EQ(set.scopes != 0, version >= 6);
    for (const LandlockRule& rule : set.rules) EXPECT_EQ(rule.rights & ~set.files, 0u);
  }
}

TEST(LandlockRules, LeaveTcpWhereItIsGrantedToTheNamespaceAndTheBroker) {
  using namespace landlock;
  const auto denied = [](uint64_t granted) {
    return render_landlock(table(), {.version = 7, .network = granted}).network;
  };
  EXPECT_EQ(denied(0), kBindTcp | kConnectTcp);
  EXPECT_EQ(denied(kConnectTcp), kBindTcp);
  EXPECT_EQ(denied(kBindTcp | kConnectTcp), 0u);
}

// proves: WSM-25
TEST(LandlockRules, LetOnlyTheNamedToolsBeExecuted) {
  const LandlockRuleset set = render_landlock(
      table(), {.version = 7, .executables = {"/usr/bin/dash"}, .only_executables = true});
  for (const LandlockRule& rule : set.rules) {
    EXPECT_EQ((rule.rights & landlock::kExecute) != 0, rule.path == "/usr/bin/dash") << rule.path;
  }
  EXPECT_TRUE(
      std::ranges::any_of(set.rules, [](const auto& r) { return r.path == "/usr/bin/dash"; }));
}

// A process that writes its own memory runs code of no listed program.
TEST(LandlockRules, LetProcBeWrittenOnlyWithoutAListOfTools) {
  for (const bool tools : {false, true}) {
    const LandlockRuleset set = render_landlock(table(), {.version = 7, .only_executables = tools});
    const auto proc = std::ranges::find(set.rules, "/proc", &LandlockRule::path);
    ASSERT_NE(proc, set.rules.end());
    constexpr uint64_t kRead = landlock::kReadFile | landlock::kReadDir;
    EXPECT_EQ(proc->rights, tools ? kRead : kRead | landlock::kWriteFile | landlock::kTruncate);
  }
}

TEST(LandlockRules, BeyondAPartAreThoseThatItHasNot) {
  const LandlockRuleset part = render_landlock(table(), {.version = 7});
  LandlockRuleset whole = part;
  EXPECT_TRUE(rules_beyond(whole, part).value().empty());
  whole.rules.insert(whole.rules.begin() + 1, {"/workspace", landlock::kReadFile});
  whole.rules.push_back(part.rules[0]);
  EXPECT_EQ(rules_beyond(whole, part).value(),
            (std::vector<LandlockRule>{{"/workspace", landlock::kReadFile}, part.rules[0]}));
  whole = part;
  whole.rules.pop_back();
  EXPECT_FALSE(rules_beyond(whole, part)) << "the part grants what the whole does not";
  whole = part;
  whole.rules[0].rights |= landlock::kExecute;
  EXPECT_FALSE(rules_beyond(whole, part)) << "the same path with other rights is another rule";
  whole = part;
  whole.network = ~whole.network;
  EXPECT_TRUE(rules_beyond(whole, part)) << "TCP is another ruleset's";
  whole.scopes = ~whole.scopes;
  EXPECT_FALSE(rules_beyond(whole, part)) << "it handles other things";
}

TEST(LandlockRules, GrantNoDeviceNodeToBeMade) {
  for (const LandlockRule& rule : render_landlock(table(), {.version = 7}).rules)
    EXPECT_EQ(rule.rights & (landlock::kMakeChar | landlock::kMakeBlock), 0u) << rule.path;
}

}  // namespace
}  // namespace paddock::sandbox
