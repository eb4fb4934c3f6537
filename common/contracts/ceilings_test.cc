#include "common/contracts/ceilings.h"

#include <map>

#include <gtest/gtest.h>

#include "common/contracts/profile.h"
#include "common/wire/yaml.h"

namespace paddock::contracts {
namespace {

Ceilings ceilings(std::string_view yaml) {
  return *wire::decode<Ceilings>(*wire::parse_yaml(yaml));
}
SandboxPolicy policy(std::string_view yaml) {
  const auto requested = wire::decode<SandboxPolicy>(*wire::parse_yaml(yaml));
  return effective_policy(*profile_policy("compute"), *requested);
}

std::string refusals(std::string_view asked, std::string_view allowed) {
  std::string out;
  for (const CeilingRefusal& each : over_ceilings(policy(asked), ceilings(allowed)))
    out += cat(each.reason, " ", each.field, ": ", each.message, "\n");
  return out;
}

TEST(Ceilings, LetPassWhatReachesThemExactlyAndRefuseOneMore) {
  EXPECT_EQ(refusals("limits: {memory: 4Gi}", "limits: {memory: 4Gi}"), "");
  EXPECT_EQ(refusals("limits: {memory: 4294967297}", "limits: {memory: 4Gi}"),
            "LIMIT_OVER_CEILING limits.memory: 4294967297 is over the operator's ceiling of 4Gi; "
            "ask for at most 4Gi; an operator can change it: ceilings.limits.memory of the "
            "controller and of its nodes\n");
  EXPECT_EQ(refusals("limits: {wallTime: 1h1ms}", "limits: {wallTime: 1h}"),
            "LIMIT_OVER_CEILING limits.wallTime: 1h1ms is over the operator's ceiling of 1h; ask "
            "for at most 1h; an operator can change it: ceilings.limits.wallTime of the "
            "controller and of its nodes\n");
}

TEST(Ceilings, HoldForEveryLimit) {
  const wire::Value limits = wire::schema<SandboxLimits>();
  for (const auto& [name, schema] : *limits.find("properties")->object()) {
    const bool time = name.ends_with("Time");
    const bool memory = name == "memory" || name == "addressSpace";
    const std::string tiny = time ? "1ms" : memory ? "1Mi" : "3";
    const std::string refused =
        refusals(cat("limits: {cpuTime: 1h}"), cat("limits: {", name, ": ", tiny, "}"));
    EXPECT_EQ(refused.find(cat("LIMIT_OVER_CEILING limits.", name, ": ")), 0u) << refused;
    EXPECT_NE(refused.find(cat("ceilings.limits.", name, " of the controller")), std::string::npos)
        << "who can change it is told: " << refused;
  }
}

TEST(Ceilings, CountALimitThatNobodySetAsNoLimit) {
  EXPECT_EQ(refusals("{}", "limits: {cpuTime: 1h}"),
            "LIMIT_OVER_CEILING limits.cpuTime: no limit is over the operator's ceiling of 1h; ask "
            "for at most 1h; an operator can change it: ceilings.limits.cpuTime of the controller "
            "and of its nodes\n");
}

TEST(Ceilings, RefuseMountsDevicesAndNetworkThatAreNotNamed) {
  const char* asked =
      "hostMounts: [{hostPath: /srv/data/x, sandboxPath: /x}, {hostPath: /srv/database, "
      "sandboxPath: /y}]\n"
      "devices: [/dev/a, /dev/b]\nnetwork: {enabled: true, allowDomains: [a.example]}";
  EXPECT_EQ(refusals(asked, "{hostMounts: [/srv/data], devices: [/dev/a]}"),
            "NETWORK_NOT_ALLOWED network.enabled: the operator allows no network; leave the field "
            "out; an operator can change it: ceilings.network of the controller and of its nodes\n"
            "HOST_MOUNT_NOT_ALLOWED hostMounts[1].hostPath: \"/srv/database\" is not beneath a "
            "folder that the operator allows; allowed: /srv/data; an operator can change it: "
            "ceilings.hostMounts of the controller and of its nodes\n"
            "DEVICE_NOT_ALLOWED devices[1]: \"/dev/b\" is not a device that the operator allows; "
            "allowed: /dev/a; an operator can change it: ceilings.devices of the controller and of "
            "its nodes\n");
  EXPECT_EQ(refusals(asked, "{hostMounts: [/], devices: [/dev/a, /dev/b], network: true}"), "");
}

// A run with such a mount is refused where it is sent, not when it starts.
TEST(Ceilings, RefuseMountsOverTheSystem) {
  EXPECT_EQ(
      refusals("hostMounts: [{hostPath: /etc, sandboxPath: /etc}, {hostPath: /a, sandboxPath: "
               "/lib64}, {hostPath: /b, sandboxPath: /users}]",
               "{hostMounts: [/]}"),
      "INVALID_MOUNT hostMounts[0].sandboxPath: nothing can be mounted at /etc: the system "
      "is there; choose another place, such as /data\n"
      "INVALID_MOUNT hostMounts[1].sandboxPath: nothing can be mounted at /lib64: the system "
      "is there; choose another place, such as /data\n");
}

// Each ceiling that there is, by the setting that its refusal names.
TEST(Ceilings, AreNamedByEveryRefusal) {
  const std::map<std::string, std::string> beyond = {
      {"network", "network: {enabled: true, allowDomains: [a.example]}"},
      {"hostMounts", "hostMounts: [{hostPath: /srv/x, sandboxPath: /x}]"},
      {"devices", "devices: [/dev/x]"}};
  const Status grace = check_grace(wire::Duration{Millis(2)}, ceilings("terminationGrace: 1ms"));
  const wire::Value all = wire::schema<Ceilings>();
  for (const auto& [name, schema] : *all.find("properties")->object()) {
    if (name == "limits") continue;  // HoldForEveryLimit
    const std::string refused =
        name == "terminationGrace" ? grace.error().message : refusals(beyond.at(name), "{}");
    EXPECT_NE(refused.find(cat("ceilings.", name, " of the controller")), std::string::npos)
        << refused;
  }
}

TEST(Ceilings, AreOneErrorWithEveryCause) {
  const Status checked = check_ceilings(policy("limits: {memory: 2Gi, pids: 10}"),
                                        ceilings("limits: {memory: 1Gi, pids: 9}"));
  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.error().reason, "LIMIT_OVER_CEILING");
  EXPECT_EQ(checked.error().causes.size(), 2u);
  EXPECT_TRUE(check_ceilings(policy("{}"), Ceilings{}).ok());
}

TEST(Ceilings, OfANodeThatHasNoneStillKeepTheNetworkOut) {
  const SandboxPolicy plain = policy("limits: {memory: 64Gi}\ndevices: [/dev/kvm]");
  const SandboxPolicy network = policy("network: {enabled: true, allowDomains: [a.example]}");
  EXPECT_TRUE(check_node_bounds(plain, {}).ok());
  EXPECT_EQ(check_node_bounds(network, {}).error().reason, "NETWORK_NOT_ALLOWED");
  EXPECT_EQ(check_node_bounds(network, {ceilings("{}")}).error().reason, "NETWORK_NOT_ALLOWED");
  EXPECT_TRUE(check_node_bounds(network, {ceilings("network: true")}).ok());
  EXPECT_FALSE(check_node_bounds(plain, {ceilings("limits: {memory: 1Gi}")}).ok());
}

}  // namespace
}  // namespace paddock::contracts
