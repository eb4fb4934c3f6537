#include "controller/agent_sandboxes/advice.h"

#include <array>
#include <utility>

namespace paddock::agent_sandboxes {
namespace {

constexpr std::string_view kFolder =
    "a session has one folder of its own, and no volume: put files into it with its files API, and "
    "leave this out";
constexpr std::string_view kPorts =
    "nothing inside can be reached from outside: leave this out, and read what it wrote";
constexpr std::string_view kProbe =
    "a session has no process to ask: leave this out, and wait for its condition Ready";
constexpr std::string_view kIdentity =
    "nothing inside holds an identity of the cluster: leave this out";
constexpr std::string_view kCores =
    "a command is bounded by its time and memory, not by a share of a processor: leave this out";
constexpr std::string_view kUser = "its user is made for the sandbox alone: leave this out";
constexpr std::string_view kNodes = "say nodeSelector";

// The advice is found by the last member of the field's path.
constexpr std::array<std::pair<std::string_view, std::string_view>, 30> kAdvice = {{
    {"volumes", kFolder},
    {"volumeMounts", kFolder},
    {"volumeDevices", kFolder},
    {"volumeClaimTemplates", kFolder},
    {"workingDir", "commands begin in the session's folder: leave this out"},
    {"ports", kPorts},
    {"hostPort", kPorts},
    {"livenessProbe", kProbe},
    {"readinessProbe", kProbe},
    {"startupProbe", kProbe},
    {"lifecycle", kProbe},
    {"initContainers", "run it as the first command of the session"},
    {"ephemeralContainers", "run it as a command of the session"},
    {"envFrom", "say env with a value"},
    {"valueFrom", "say value: a session reads no Secret and no ConfigMap"},
    {"serviceAccountName", kIdentity},
    {"serviceAccount", kIdentity},
    {"imagePullSecrets", "nothing is pulled: leave this out"},
    {"runtimeClassName",
     "each command runs in Paddock's own sandbox: leave this out, and see what it enforces with "
     "`paddock doctor`"},
    {"cpu", kCores},
    {"runAsUser", kUser},
    {"runAsGroup", kUser},
    {"fsGroup", kUser},
    {"supplementalGroups", kUser},
    {"affinity", kNodes},
    {"tolerations", kNodes},
    {"topologySpreadConstraints", kNodes},
    {"hostAliases", "which names are reached is the image's profile's to say: leave this out"},
    {"sandboxTemplateRef", "of v1alpha1; say warmPoolRef with the name of the template"},
    {"replicas", "a Sandbox is one; of v1alpha1 0 is operatingMode: Suspended"},
}};

}  // namespace

std::string_view advice_for(std::string_view path) {
  if (path.starts_with("networkPolicy."))
    return "the network is what the image's profile allows by name: leave this out, or say an "
           "empty "
           "list to have none";
  const std::string_view last = path.substr(path.find_last_of('.') + 1);
  for (const auto& [name, advice] : kAdvice) {
    if (name == last) return advice;
  }
  return "a session has nothing like it: leave this out";
}

}  // namespace paddock::agent_sandboxes
