#include "tests/vm/guest.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "common/os/fd.h"

namespace paddock::adversarial {

namespace fs = std::filesystem;

std::string read_all_of(const std::string& path) {
  const os::Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return {};
  auto text = os::read_all(file.get(), size_t{16} << 20);
  return text.ok() ? *text : std::string();
}

bool write_to(const std::string& path, const std::string& text) {
  const os::Fd file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file.valid() &&
         write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool enter_cgroup(const std::string& folder) { return write_to(folder + "/cgroup.procs", "0"); }

std::vector<std::string> all_cgroups() {
  std::vector<std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(kCgroups)) {
    if (entry.is_directory()) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

AgentCgroup::AgentCgroup(const std::string& controllers) {
  // Off for all first: what an earlier test handed down is not what this one asked for.
  write_to(kCgroups + "/cgroup.subtree_control", "-memory -pids -cpu");
  EXPECT_TRUE(write_to(kCgroups + "/cgroup.subtree_control", controllers));
  EXPECT_EQ(mkdir(folder_.c_str(), 0755), 0);
  EXPECT_EQ(mkdir((folder_ + "/main").c_str(), 0755), 0);
}

AgentCgroup::~AgentCgroup() {
  EXPECT_TRUE(enter_cgroup(kCgroups));
  EXPECT_EQ(rmdir((folder_ + "/main").c_str()), 0);
  EXPECT_EQ(rmdir(folder_.c_str()), 0) << "the agent's cgroup is not empty";
  EXPECT_TRUE(write_to(kCgroups + "/cgroup.subtree_control", "+memory +pids +cpu"));
}

void AgentCgroup::delegate_to_user() const {
  for (const char* file : {"", "/cgroup.procs", "/cgroup.subtree_control", "/cgroup.threads"})
    EXPECT_EQ(chown((folder_ + file).c_str(), kOrdinaryUser, kOrdinaryUser), 0);
}

void GuestTest::SetUp() {
  if (std::getenv("PADDOCK_VM") == nullptr) GTEST_SKIP() << "only for the emulated machine";
  ASSERT_TRUE(enter_cgroup(kCgroups));
  SandboxTest::SetUp();
}

void GuestTest::TearDown() {
  if (std::getenv("PADDOCK_VM") == nullptr) return;
  SandboxTest::TearDown();
}

}  // namespace paddock::adversarial
