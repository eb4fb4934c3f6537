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

// The reason and the field of each, and the values and the setting that its sentence names.
std::string refusals(std::string_view asked, std::string_view allowed,
                     const std::vector<std::string>& named = {}) {
  std::string out;
  for (const CeilingRefusal& each : over_ceilings(policy(asked), ceilings(allowed))) {
    out += cat(each.reason, " ", each.field);
    for (const std::string& word : named)
      if (each.message.find(word) != std::string::npos) out += " " + word;
    out += "\n";
  }
  return out;
}

TEST(Ceilings, LetPassWhatReachesThemExactlyAndRefuseOneMore) {
  EXPECT_EQ(refusals("limits: {memory: 4Gi}", "limits: {memory: 4Gi}"), "");
  EXPECT_EQ(refusals("limits: {memory: 4294967297}", "limits: {memory: 4Gi}",
                     {"4294967297", "at most 4Gi", "ceilings.limits.memory"}),
            "LIMIT_OVER_CEILING limits.memory 4294967297 at most 4Gi ceilings.limits.memory\n");
  EXPECT_EQ(refusals("limits: {wallTime: 1h1ms}", "limits: {wallTime: 1h}",
                     {"1h1ms", "at most 1h;", "ceilings.limits.wallTime"}),
            "LIMIT_OVER_CEILING limits.wallTime 1h1ms at most 1h; ceilings.limits.wallTime\n");
}

TEST(Ceilings, HoldForEveryLimit) {
  const wire::Value limits = wire::schema<SandboxLimits>();
  for (const auto& [name, schema] : *limits.find("properties")->object()) {
    const bool time = name.ends_with("Time");
    const bool memory = name == "memory" || name == "addressSpace";
    const std::string tiny = time ? "1ms" : memory ? "1Mi" : "3";
    const std::string setting = cat("ceilings.limits.", name);
    EXPECT_EQ(refusals("limits: {cpuTime: 1h}", cat("limits: {", name, ": ", tiny, "}"), {setting}),
              cat("LIMIT_OVER_CEILING limits.", name, " ", setting, "\n"))
        << "who can change it is told";
  }
}

TEST(Ceilings, CountALimitThatNobodySetAsNoLimit) {
  EXPECT_EQ(refusals("{}", "limits: {cpuTime: 1h}", {"at most 1h"}),
            "LIMIT_OVER_CEILING limits.cpuTime at most 1h\n");
}

TEST(Ceilings, RefuseMountsDevicesAndNetworkThatAreNotNamed) {
  const char* asked =
      "hostMounts: [{hostPath: /srv/data/x, sandboxPath: /x}, {hostPath: /srv/database, "
      "sandboxPath: /y}]\n"
      "devices: [/dev/a, /dev/b]\nnetwork: {enabled: true, allowDomains: [a.example]}";
  EXPECT_EQ(
      refusals(asked, "{hostMounts: [/srv/data], devices: [/dev/a]}",
               {"\"/srv/database\"", "allowed: /srv/data;", "\"/dev/b\"", "allowed: /dev/a;"}),
      "NETWORK_NOT_ALLOWED network.enabled\n"
      "HOST_MOUNT_NOT_ALLOWED hostMounts[1].hostPath \"/srv/database\" allowed: /srv/data;\n"
      "DEVICE_NOT_ALLOWED devices[1] \"/dev/b\" allowed: /dev/a;\n");
  EXPECT_EQ(refusals(asked, "{hostMounts: [/], devices: [/dev/a, /dev/b], network: true}"), "");
}

// A run with such a mount is refused where it is sent, not when it starts.
TEST(Ceilings, RefuseMountsOverTheSystem) {
  EXPECT_EQ(
      refusals("hostMounts: [{hostPath: /etc, sandboxPath: /etc}, {hostPath: /a, sandboxPath: "
               "/lib64}, {hostPath: /b, sandboxPath: /users}]",
               "{hostMounts: [/]}", {"/etc", "/lib64", "/users"}),
      "INVALID_MOUNT hostMounts[0].sandboxPath /etc\n"
      "INVALID_MOUNT hostMounts[1].sandboxPath /lib64\n");
}

// Each ceiling that there is, by the setting that its refusal names.
TEST(Ceilings, AreNamedByEveryRefusal) {
  const std::map<std::string, std::string> beyond = {
      {"network", "network: {enabled: true, allowDomains: [a.example]}"},
      {"hostMounts", "hostMounts: [{hostPath: /srv/x, sandboxPath: /x}]"},
      {"devices", "devices: [/dev/x]"}};
  const Status grace = check_grace(wire::Wait{Millis(2)}, ceilings("terminationGrace: 1ms"));
  const wire::Value all = wire::schema<Ceilings>();
  for (const auto& [name, schema] : *all.find("properties")->object()) {
    if (name == "limits") continue;  // HoldForEveryLimit
    const std::string setting = cat("ceilings.", name);
    const std::string refused = name == "terminationGrace"
                                    ? grace.error().message
                                    : refusals(beyond.at(name), "{}", {setting});
    EXPECT_NE(refused.find(setting), std::string::npos) << refused;
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
