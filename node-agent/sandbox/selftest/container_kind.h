// Decides which kind of container this is, if it is one, by the traces that runtimes leave in it.
// Pure; linux/selftest/host_settings.cc reads them.
#pragma once

#include <string>
#include <string_view>

namespace paddock::sandbox {

enum class Container { kNone, kDocker, kPodman, kKubernetes, kOther };

struct ContainerTraces {
  bool dockerenv = false;     // /.dockerenv
  bool containerenv = false;  // /run/.containerenv
  std::string init_environ;   // /proc/1/environ, as far as it may be read
  std::string own_environ;    // /proc/self/environ
  std::string mounts;         // /proc/self/mountinfo
};

Container container_of(const ContainerTraces& traces);

// The AppArmor profile that is enforced on a process, from its attr/current: empty for none, for
// one that only complains, and for what another security module says there.
std::string enforced_profile(std::string_view attribute);

}  // namespace paddock::sandbox
