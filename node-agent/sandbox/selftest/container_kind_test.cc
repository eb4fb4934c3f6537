#include "node-agent/sandbox/selftest/container_kind.h"

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

using std::string_literals::operator""s;

TEST(ContainerKind, IsNoneOnAHost) {
  EXPECT_EQ(container_of({}), Container::kNone);
  ContainerTraces host;
  host.init_environ = "HOME=/\0TERM=linux\0"s;
  host.own_environ = "container_name=x\0MY_KUBERNETES_SERVICE_HOST=x\0"s;
  host.mounts = "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n";
  EXPECT_EQ(container_of(host), Container::kNone);
  host.mounts = "9 1 0:5 / /var/lib/kubelet/pods/7e0/volumes/x rw - tmpfs tmpfs rw\n";
  EXPECT_EQ(container_of(host), Container::kNone) << "a node of a cluster, outside of its pods";
}

TEST(ContainerKind, IsKnownByTheFilesOfDockerAndPodman) {
  EXPECT_EQ(container_of({.dockerenv = true}), Container::kDocker);
  EXPECT_EQ(container_of({.containerenv = true}), Container::kPodman);
  EXPECT_EQ(container_of({.init_environ = "PATH=/bin\0container=podman\0"s}), Container::kPodman);
}

TEST(ContainerKind, IsAPodWhateverMadeIt) {
  const std::string service = "KUBERNETES_SERVICE_HOST=10.0.0.1\0"s;
  EXPECT_EQ(container_of({.own_environ = service}), Container::kKubernetes);
  EXPECT_EQ(container_of({.dockerenv = true, .init_environ = "A=b\0"s + service}),
            Container::kKubernetes);
  const char* links =
      "5 1 8:1 /var/lib/kubelet/pods/7e0/etc-hosts /etc/hosts rw - ext4 /dev/sda rw";
  EXPECT_EQ(container_of({.mounts = links}), Container::kKubernetes) << "without service links";
}

TEST(ContainerKind, IsAnotherWhereTheFirstProcessWasTold) {
  for (const char* each : {"lxc", "systemd-nspawn", "oci"})
    EXPECT_EQ(container_of({.init_environ = std::string("container=") + each + '\0'}),
              Container::kOther);
}

TEST(EnforcedProfile, IsOneThatIsEnforced) {
  EXPECT_EQ(enforced_profile("docker-default (enforce)\n"), "docker-default");
  EXPECT_EQ(enforced_profile("cri-containerd.apparmor.d (enforce)"), "cri-containerd.apparmor.d");
  for (const char* none : {"", "unconfined\n", "paddock (complain)\n",
                           "system_u:system_r:container_t:s0:c1,c2", "kernel"})
    EXPECT_EQ(enforced_profile(none), "") << none;
}

}  // namespace
}  // namespace paddock::sandbox
