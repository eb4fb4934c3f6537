// Runs that come and go leave nothing behind: processes, descriptors, mounts, cgroups, folders.
// PADDOCK_CYCLES says how many: a thousand in `make verify STAGE=faults`.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/process.h"
#include "tests/adversarial/serve_fixture.h"

namespace paddock::adversarial {
namespace {

// More than all that may be open beside it, so that one of anything a run is noticed.
constexpr int kFewCycles = 100;
constexpr int kAtOnce = 5;

int cycles() {
  const char* text = std::getenv("PADDOCK_CYCLES");
  return text == nullptr ? kFewCycles : parse_integer<int>(text).value_or(kFewCycles);
}

size_t entries(const std::string& folder) {
  const auto names = os::list_dir(folder);
  return names.ok() ? names->size() : 0;
}

// What this process has open, by what it is: `pipe:[123]`, a path.
std::vector<std::string> open_files() {
  std::vector<std::string> out;
  const std::vector<std::string> fds = os::list_dir("/proc/self/fd").value();
  for (const std::string& fd : fds) {
    std::error_code gone;  // the one of the listing itself
    const auto target = std::filesystem::read_symlink("/proc/self/fd/" + fd, gone);
    if (!gone) out.push_back(target.string());
  }
  return out;
}

// Counts only the mounts of this test, since those of other tests and of the host come and go.
size_t mounts_that_name(const std::string& folder) {
  const std::string text = os::read_file("/proc/self/mountinfo", 16 << 20).value();
  const std::vector<std::string> lines = split(text, '\n');
  return static_cast<size_t>(std::ranges::count_if(
      lines, [&](const std::string& line) { return line.find(folder) != std::string::npos; }));
}

// Other programs make some too, meanwhile, and their pids come round.
bool lives(const Maker& maker) {
  const auto now = os::identify(maker.pid);
  return now && now->start_ticks == maker.start_ticks;
}

// The cgroups that these launchers left, which have all ended. What was there before belongs to
// others.
std::vector<std::string> cgroups_left(const std::set<pid_t>& launchers,
                                      const std::map<std::string, Maker>& before) {
  std::vector<std::string> out;
  for (const auto& [folder, made_by] : run_cgroups()) {
    if (launchers.contains(made_by.pid) && !before.contains(folder) && !lives(made_by))
      out.push_back(folder);
  }
  return out;
}

template <typename Base>
class CyclesOf : public Base {
 protected:
  void run_them() {
    std::vector<std::string> bases;
    for (int i = 0; i < kAtOnce; ++i)
      bases.push_back(
          this->write_request(this->request({"/bin/sh", "-c", "echo x > /tmp/file; : & exit 0"})));
    const size_t mounts_before = mounts_that_name(this->folder());
    const std::vector<std::string> files_before = open_files();
    const auto cgroups_before = run_cgroups();
    std::set<pid_t> launchers;
    for (int i = 0, most = cycles(); i < most; i += kAtOnce) {
      std::vector<Launched> runs;
      for (const std::string& base : bases) {
        ASSERT_TRUE(os::write_file_atomic(base + ".events", "", 0666).ok());
        runs.push_back(start_one(base));
      }
      for (Launched& launched : runs) launched.wait_end();
      for (const std::string& base : bases) {
        const std::string events = os::read_file(base + ".events", 1 << 20).value();
        ASSERT_THAT(events, testing::HasSubstr(R"("status":"OK")")) << "run " << i;
      }
      for (const Launched& launched : runs) launchers.insert(launched.pid());
    }
    EXPECT_THAT(open_files(), testing::UnorderedElementsAreArray(files_before));
    EXPECT_EQ(mounts_that_name(this->folder()), mounts_before);
    EXPECT_EQ(entries(this->workspace()), 0u);
    EXPECT_THAT(cgroups_left(launchers, cgroups_before), testing::IsEmpty());
  }
  virtual Launched start_one(const std::string& base) = 0;
};

class Cycles : public CyclesOf<SandboxTest> {
 protected:
  Launched start_one(const std::string& base) override {
    return {spawn_launcher({"run", "--request", base + ".request", "--events", base + ".events"}),
            base + ".events"};
  }
};
INSTANTIATE_TEST_SUITE_P(, Cycles, testing::Values(As::kRoot, As::kUser), name_of);

// proves: WSM-97
TEST_P(Cycles, LeaveNothingBehind) {
  run_them();
  EXPECT_TRUE(processes_of(launcher()).empty());
}

class ServedCycles : public CyclesOf<ServeTest> {
 protected:
  Launched start_one(const std::string& base) override {
    auto launched = order(base + ".request", base + ".events");
    EXPECT_TRUE(launched.ok());
    return {launched->launcher, base + ".events", std::move(launched->connection)};
  }
};
INSTANTIATE_TEST_SUITE_P(, ServedCycles, testing::Values(As::kRoot, As::kUser), name_of);

// proves: WSM-97
TEST_P(ServedCycles, LeaveNothingBehind) {
  const auto fds = [&] { return entries(cat("/proc/", server(), "/fd")); };
  const size_t fds_before = fds();
  run_them();
  wait_until_ready();
  // The networks and users that it lends: no more than were ever in use at once.
  constexpr size_t kOfOne = 4;
  constexpr size_t kOfAll = kOfOne * (kAtOnce + 2 * kReady);
  static_assert(kOfAll < kFewCycles);
  EXPECT_LE(fds(), fds_before + kOfAll);
  EXPECT_EQ(processes_of(launcher()).size(), processes_when_ready());
}

}  // namespace
}  // namespace paddock::adversarial
