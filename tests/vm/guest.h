// The emulated machine as a test finds it: cgroup v2 at kCgroups, and nothing but tests running.
// Every test starts in the root cgroup and leaves no cgroup of its own behind.
#pragma once

#include <string>
#include <vector>

#include "tests/adversarial/sandbox_run.h"

namespace paddock::adversarial {

inline const std::string kCgroups = "/sys/fs/cgroup";
inline constexpr unsigned kOrdinaryUser = 65534;

std::string read_all_of(const std::string& path);
bool write_to(const std::string& path, const std::string& text);
// This process, and what it starts from now on.
bool enter_cgroup(const std::string& folder);
// Every cgroup there is, sorted.
std::vector<std::string> all_cgroups();

// A cgroup for an agent, as a service manager makes it: `folder()` is the agent's to divide, the
// agent itself is in folder()/main.
class AgentCgroup {
 public:
  // `controllers` as handed down to it, such as "+memory +pids".
  explicit AgentCgroup(const std::string& controllers);
  ~AgentCgroup();
  AgentCgroup(const AgentCgroup&) = delete;
  AgentCgroup& operator=(const AgentCgroup&) = delete;

  void delegate_to_user() const;
  bool enter() const { return enter_cgroup(folder() + "/main"); }
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_ = kCgroups + "/service";
};

// Skips where this is not the machine that run.py boots: what these tests do to cgroups and mounts
// is nothing to do to somebody's host.
class GuestTest : public SandboxTest {
 protected:
  void SetUp() override;
  void TearDown() override;
};

}  // namespace paddock::adversarial
