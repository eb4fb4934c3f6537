#include "node-agent/sandbox/selftest/container_kind.h"

#include <algorithm>

namespace paddock::sandbox {
namespace {

// The value of a variable in an environment as /proc shows it: one variable after the other, each
// ended by a NUL.
std::string_view variable(std::string_view environ, std::string_view name) {
  while (!environ.empty()) {
    const std::string_view each = environ.substr(0, environ.find('\0'));
    if (each.starts_with(name) && each.substr(name.size()).starts_with('='))
      return each.substr(name.size() + 1);
    environ.remove_prefix(std::min(environ.size(), each.size() + 1));
  }
  return {};
}

bool in_a_pod(const ContainerTraces& traces) {
  constexpr std::string_view kService = "KUBERNETES_SERVICE_HOST";
  // Its /etc/hosts is a file of the kubelet's, service links or not. On the node itself nothing is
  // mounted there.
  return !variable(traces.own_environ, kService).empty() ||
         !variable(traces.init_environ, kService).empty() ||
         traces.mounts.find("/etc-hosts /etc/hosts ") != std::string::npos;
}

}  // namespace

Container container_of(const ContainerTraces& traces) {
  // The variable by which systemd and others tell the first process of a container where it is.
  const std::string_view said = variable(traces.init_environ, "container");
  if (in_a_pod(traces)) return Container::kKubernetes;
  if (traces.containerenv || said == "podman") return Container::kPodman;
  if (traces.dockerenv || said == "docker") return Container::kDocker;
  return said.empty() ? Container::kNone : Container::kOther;
}

std::string enforced_profile(std::string_view attribute) {
  constexpr std::string_view kMode = " (enforce)";
  while (!attribute.empty() && (attribute.back() == '\n' || attribute.back() == '\0'))
    attribute.remove_suffix(1);
  if (!attribute.ends_with(kMode)) return "";
  return std::string(attribute.substr(0, attribute.size() - kMode.size()));
}

}  // namespace paddock::sandbox
