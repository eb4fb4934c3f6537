// docs/results.md row by row: the program that a row names ends exactly as the row says, twice, in
// real sandboxes. The document is the test's only table, so neither can drift from the other.
#include <signal.h>

#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/wire/json.h"
#include "tests/adversarial/sandbox_run.h"

namespace paddock::adversarial {
namespace {

using contracts::LaunchRequest;
using contracts::SandboxResult;
using contracts::SandboxStatus;
using wire::Quantity;

struct Row {
  std::string status;
  int64_t rc = 0;
  std::string error_class;
  std::string code;
  bool needs_cgroup = false;
  std::string proof;
};

std::vector<Row> rows_of_document() {
  const char* source = std::getenv("PADDOCK_SOURCE_DIR");
  const auto text = os::read_file(cat(source == nullptr ? "." : source, "/docs/results.md"));
  std::vector<Row> out;
  for (const std::string& line : split(text.ok() ? *text : "", '\n')) {
    std::vector<std::string> cells;
    for (const std::string& cell : split(line, '|')) {
      std::string plain(trim(cell));
      std::erase(plain, '`');
      cells.push_back(std::move(plain));
    }
    if (cells.size() != 9 || cells[1] == "status" || cells[1].starts_with("--")) continue;
    const auto rc = parse_integer<int64_t>(split(cells[2], ',')[0]);
    EXPECT_TRUE(rc) << line;
    out.push_back({cells[1], rc.value_or(-1), cells[3], cells[4], cells[6] == "cgroup", cells[7]});
  }
  return out;
}

class Results : public SandboxTest {
 protected:
  using Proof = std::function<LaunchRequest(Results&)>;

  LaunchRequest shell(const std::string& script) const { return request({"sh", "-c", script}); }
  LaunchRequest with(LaunchRequest launch, auto change) const {
    change(launch.policy.limits);
    return launch;
  }
  LaunchRequest with_cpu_second(LaunchRequest launch) const {
    launch.policy.limits.cpu_time = wire::Duration{Millis(1000)};
    return launch;
  }
  LaunchRequest with_little_memory(LaunchRequest launch) const {
    launch.policy.limits.memory = Quantity{48 << 20};
    return launch;
  }
  LaunchRequest denied_and(const std::string& ending) const {
    return request({"python3", "-c",
                    "import os, socket, sys\n"
                    "try: socket.socket().connect(('1.1.1.1', 443))\n"
                    "except OSError: pass\n"
                    "os.close(2)\n"
                    "sys.exit(" +
                        ending + ")"});
  }

  static const std::map<std::string, Proof>& proofs();
  Finished run_proof(const std::string& name);
  void expect_row(const Row& row);
};
INSTANTIATE_TEST_SUITE_P(, Results, testing::Values(As::kRoot, As::kUser), name_of);

const std::map<std::string, Results::Proof>& Results::proofs() {
  using L = contracts::SandboxLimits;
  static const std::map<std::string, Proof> kProofs = {
      {"ends-well", [](Results& t) { return t.shell("exit 0"); }},
      {"goes-on-without", [](Results& t) { return t.denied_and("0"); }},
      {"says-too-much",
       [](Results& t) {
         return t.with(t.shell("echo 12345"), [](L& l) { l.stdout_bytes = Quantity{5}; });
       }},
      {"exits-7", [](Results& t) { return t.shell("exit 7"); }},
      {"says-too-much-and-exits-7",
       [](Results& t) {
         return t.with(t.shell("echo 12345 >&2; exit 7"),
                       [](L& l) { l.stderr_bytes = Quantity{5}; });
       }},
      {"denied-and-exits-7", [](Results& t) { return t.denied_and("7"); }},
      {"says-that-it-was-denied",
       [](Results& t) {
         return t.shell("echo E_CAPABILITY_DENIED: Operation not permitted >&2; exit 1");
       }},
      {"dies-of-a-fault", [](Results& t) { return t.shell("kill -SEGV $$"); }},
      {"names-no-command", [](Results& t) { return t.request({"no-such-command"}); }},
      {"names-no-program", [](Results& t) { return t.request({"/etc/hostname"}); }},
      {"sleeps-on",
       [](Results& t) {
         return t.with(t.request({"sleep", "1000"}),
                       [](L& l) { l.wall_time = wire::Duration{Millis(300)}; });
       }},
      {"loops", [](Results& t) { return t.with_cpu_second(t.shell("while :; do :; done")); }},
      {"loops-and-ignores-signals",
       [](Results& t) { return t.with_cpu_second(t.request(t.probe("consume", {"cpu"}))); }},
      {"loops-as-a-family",
       [](Results& t) { return t.with_cpu_second(t.request(t.probe("consume", {"family"}))); }},
      {"eats-memory",
       [](Results& t) { return t.with_little_memory(t.request(t.probe("consume", {"memory"}))); }},
      {"has-a-child-that-eats-memory",
       // Quiet: whether the shell gets to say "Killed" before it is killed too is chance.
       [](Results& t) {
         return t.with_little_memory(t.shell("exec 2>/dev/null; /probes/consume memory; exit 0"));
       }},
      {"terminates-itself", [](Results& t) { return t.shell("kill -TERM $$"); }},
      {"kills-itself", [](Results& t) { return t.shell("kill -KILL $$"); }},
      {"is-canceled", [](Results& t) { return t.shell("echo READY; exec sleep 1000"); }},
      {"calls-reboot", [](Results& t) { return t.request(t.probe("forbidden", {"reboot"})); }},
      {"needs-many-processes",
       [](Results& t) {
         return t.with(t.shell("for i in 1 2 3 4 5 6; do sleep 1000 & done"),
                       [](L& l) { l.pids = 4; });
       }},
      {"makes-many-files",
       [](Results& t) {
         return t.with(t.shell("i=0; while : > /tmp/$i; do i=$((i+1)); done"),
                       [](L& l) { l.file_count = 50; });
       }},
      {"makes-many-files-and-ends-well",
       [](Results& t) {
         return t.with(t.shell("i=0; while (: > /tmp/$i) 2>&-; do i=$((i+1)); done; exit 0"),
                       [](L& l) { l.file_count = 50; });
       }},
      {"fills-its-scratch-space",
       [](Results& t) {
         return t.with(t.shell("head -c 8388608 /dev/zero > /dev/shm/file"),
                       [](L& l) { l.fs_bytes = Quantity{4 << 20}; });
       }},
      {"fills-its-scratch-space-and-ends-well",
       [](Results& t) {
         return t.with(t.shell("head -c 8388608 /dev/zero > /tmp/file; exit 0"),
                       [](L& l) { l.fs_bytes = Quantity{4 << 20}; });
       }},
      {"writes-a-large-file",
       [](Results& t) {
         return t.with(t.request(t.probe("consume", {"file-signal"})),
                       [](L& l) { l.file_size = Quantity{1 << 20}; });
       }},
      {"hoards-space",
       [](Results& t) {
         return t.with(t.request(t.probe("hoard_bytes", {"at-once"})),
                       [](L& l) { l.fs_bytes = Quantity{8 << 20}; });
       }},
      {"hoards-files",
       [](Results& t) {
         return t.with(t.shell("cd $(mktemp -d -p .) && touch a b c"),
                       [](L& l) { l.file_count = 3; });
       }},
      {"is-too-long",
       [](Results& t) {
         return t.with(t.shell(std::string(100, ' ')),
                       [](L& l) { l.command_bytes = Quantity{100}; });
       }},
      {"has-no-sandbox",
       [](Results& t) {
         LaunchRequest launch = t.shell("echo ran");
         launch.mounts.push_back({t.folder() + "/none", "/data", contracts::MountMode::kReadOnly});
         return launch;
       }},
  };
  return kProofs;
}

Finished Results::run_proof(const std::string& name) {
  for (const auto& entry : std::filesystem::directory_iterator(workspace()))
    std::filesystem::remove_all(entry.path());  // each run finds the same
  Launched launched = start(proofs().at(name)(*this));
  if (name == "is-canceled") {
    EXPECT_TRUE(launched.wait_for_output("READY\n"));
    kill(launched.pid(), SIGTERM);
  }
  return launched.wait();
}

// What two runs of one policy must have in common.
std::string comparable(SandboxResult result) {
  result.duration_ms = 0;
  result.usage = {};
  return wire::to_pretty_json(wire::encode(result));
}

void Results::expect_row(const Row& row) {
  const Finished done = run_proof(row.proof);
  ASSERT_TRUE(done.result);
  const SandboxResult& result = *done.result;
  const char* limit = row.status == "CPU_LIMIT"   ? "cpuTime"
                      : row.status == "MEM_LIMIT" ? "memory"
                                                  : "pids";
  if (row.needs_cgroup && result.enforced.at(limit).mechanism.find("cgroup") == std::string::npos) {
    EXPECT_NE(result.status, SandboxStatus::kInternalError);
    return;
  }
  EXPECT_EQ(wire::enum_name(result.status), row.status) << result.reason << "\n" << done.err;
  EXPECT_EQ(result.rc, row.rc);
  EXPECT_EQ(result.error_class.value_or(""), row.error_class);
  EXPECT_EQ(result.code.value_or(""), row.code);
  EXPECT_EQ(result.version, 2);
  EXPECT_FALSE(result.enforced.empty() && done.started);
  const Finished again = run_proof(row.proof);
  ASSERT_TRUE(again.result);
  EXPECT_EQ(comparable(result), comparable(*again.result));
}

// proves: VLT-05, VLT-12, VLT-13, VLT-14, VLT-15, VLT-17, VLT-43, VLT-44, VLT-45, VLT-46, VLT-47,
// VLT-24, VLT-48, VLT-49, VLT-50, VLT-51, VLT-89, VLT-94, VLT-96, VLT-97, VLT-99, WSM-26, WSM-37
TEST_P(Results, AreTheRowsOfTheDocument) {
  const std::vector<Row> rows = rows_of_document();
  std::set<std::string> named;
  std::set<std::string> statuses;
  for (const Row& row : rows) {
    SCOPED_TRACE(row.proof);
    ASSERT_TRUE(proofs().contains(row.proof)) << "the document names a proof that does not exist";
    EXPECT_TRUE(named.insert(row.proof).second) << "two rows name it";
    statuses.insert(row.status);
    expect_row(row);
  }
  EXPECT_EQ(named.size(), proofs().size()) << "a proof has no row";
  EXPECT_EQ(statuses.size(), wire::EnumNames<SandboxStatus>::values.size());
}

// proves: VLT-53, VLT-69, VLT-70, VLT-71, VLT-72, VLT-73, VLT-75
// proves partly: VLT-74, VLT-111
TEST_P(Results, HaveEveryFieldOfTheirShape) {
  LaunchRequest launch = shell("printf 'a\\377'; printf b >&2; exit 7");
  launch.trace_id = "0123456789abcdef";
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  const wire::Value result = wire::encode(*done.result);
  EXPECT_EQ(result.text("reason"), "exited with 7");
  EXPECT_EQ(result.text("stdout"), "a\xef\xbf\xbd");
  EXPECT_EQ(result.text("stderr"), "b");
  EXPECT_EQ(result.text("traceId"), "0123456789abcdef");
  ASSERT_NE(result.at("duration_ms"), nullptr);
  EXPECT_GE(*result.at("duration_ms")->integer(), 0);
  EXPECT_EQ(done.result->cmd, launch.command);
  for (const auto& [name, entry] : *result.at("enforced")->object()) {
    ASSERT_NE(entry.find("requested"), nullptr) << name;
    EXPECT_NE(entry.find("applied")->boolean(), nullptr) << name;
    EXPECT_NE(entry.find("mechanism")->string(), nullptr) << name;
  }
}

// Whatever a limit on memory leaves no room for, it is not the launcher's own words that the run
// prints.
TEST_P(Results, AnEnvironmentThatTheLimitHasNoRoomForEndsTheRunClearly) {
  contracts::LaunchRequest launch = request({"true"});
  launch.policy.limits.address_space = Quantity{1 << 20};
  for (int i = 0; i < 20; ++i) launch.env[cat("LARGE_", i)] = std::string(100'000, 'x');
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.err, "");
  EXPECT_THAT(done.result->reason, testing::HasSubstr("cannot be executed"));
}

}  // namespace
}  // namespace paddock::adversarial
