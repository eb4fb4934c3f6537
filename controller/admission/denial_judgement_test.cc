// What a denial would be under another policy.
#include "controller/admission/denial_judgement.h"

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::admission {
namespace {

using contracts::Denial;
using contracts::NetworkPolicy;
using contracts::SandboxPolicy;

SandboxPolicy with_network(std::vector<std::string> domains, std::optional<bool> loopback = {}) {
  SandboxPolicy policy;
  policy.network = NetworkPolicy{!domains.empty(), std::move(domains), loopback};
  return policy;
}

SandboxPolicy with_tools(std::vector<std::string> tools) {
  SandboxPolicy policy;
  policy.tools = std::move(tools);
  return policy;
}

Denial denial(const char* what, const char* target, const char* rule, const char* remedy = "") {
  return {what, target, "/usr/bin/x", rule, remedy};
}

struct Judged {
  Denial denial;
  SandboxPolicy policy;
  const char* said;
};

class DenialJudgement : public testing::TestWithParam<Judged> {};

TEST_P(DenialJudgement, AsksWhatTheSandboxAsks) {
  const auto judged = judge_denial(GetParam().denial, GetParam().policy);
  const std::string said = cat(wire::enum_name(judged.outcome), ": ", judged.why);
  EXPECT_EQ(said.substr(0, std::string_view(GetParam().said).size()), GetParam().said) << said;
}

constexpr const char* kNames = "network.allowDomains";
constexpr const char* kOff = "network.enabled=false";
constexpr const char* kTools = "tools: only the programs that it names may be executed";
const Judged kJudged[] = {
    {denial("network connect", "pypi.org:443", kOff), {}, "denied: network.enabled is false"},
    {denial("network connect", "pypi.org:443", kOff), with_network({"x.example", "pypi.org"}),
     "allowed: network.allowDomains[1]: pypi.org"},
    {denial("network connect", "PyPI.org.:443", kNames), with_network({"pypi.org"}), "allowed: "},
    {denial("network connect", "files.pypi.org:443", kNames), with_network({"*.pypi.org"}),
     "allowed: network.allowDomains[0]: *.pypi.org"},
    {denial("network connect", "pypi.org:443", kNames), with_network({"*.pypi.org"}),
     "denied: no entry of network.allowDomains is pypi.org:443"},
    {denial("network connect", "pypi.org:22", kNames), with_network({"pypi.org"}), "denied: "},
    {denial("network connect", "pypi.org:22", kNames), with_network({"pypi.org:22"}), "allowed: "},
    {denial("network connect", "10.1.2.3:80", kOff), with_network({"pypi.org"}),
     "denied: addresses are not reached"},
    {denial("network connect", "[2001:db8::1]:443", kOff), with_network({"pypi.org"}), "denied: "},
    {denial("network connect", "pypi.org:99999", kOff), with_network({"pypi.org"}), "denied: "},
    {denial("network connect", "pypi.org", kOff), with_network({"pypi.org"}), "denied: "},
    {denial("name lookup", "pypi.org", kNames), with_network({"pypi.org:22"}), "allowed: "},
    {denial("name lookup", "evil.example", kNames), with_network({"pypi.org"}),
     "denied: no entry of network.allowDomains is evil.example"},
    {denial("network listen", "0.0.0.0:80", kOff), with_network({"pypi.org"}), "denied: "},
    {denial("network listen", "127.0.0.1:8000", "network.loopback=false"),
     {},
     "denied: network.loopback is false"},
    {denial("network listen", "127.0.0.1:8000", "network.loopback=false"), with_network({}, true),
     "allowed: network.loopback"},
    {denial("network connect", "127.0.0.1:8000", "network.loopback=false"),
     with_network({"pypi.org"}), "allowed: network.loopback"},
    {denial("execute", "/usr/bin/git", kTools), {}, "allowed: tools names none"},
    {denial("execute", "/usr/bin/git", kTools), with_tools({"python3", "/usr/bin/git"}),
     "allowed: tools[1]: /usr/bin/git"},
    {denial("execute", "/usr/bin/git", kTools), with_tools({"git"}), "unknown: "},
    {denial("execute", "git", kTools), with_tools({"git"}), "unknown: "},
    {denial("system call", "memfd_create", "tools: a file in memory could be executed"),
     with_tools({"git"}), "denied: "},
    {denial("system call", "mount", "system call filter: it changes the view",
            "words that may be improved"),
     with_network({"pypi.org"}), "denied: no policy allows it: system call filter"},
    {denial("network connect", "others", kOff), with_network({"pypi.org"}), "unknown: "},
    {denial("network connect", "a.example:443 at 10.0.0.1",
            "the name leads to an address that is not public", "the operator of this node may"),
     with_network({"a.example"}), "unknown: not by the policy alone"},
};
INSTANTIATE_TEST_SUITE_P(Each, DenialJudgement, testing::ValuesIn(kJudged));

}  // namespace
}  // namespace paddock::admission
