#include "controller/api/server/kubernetes_words.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "common/base/text.h"

namespace paddock::api {
namespace {

constexpr size_t kMostShown = 10;

bool is_client_of_kubernetes(const Request& request) {
  return request.header("user-agent").find("kubernetes/") != std::string::npos;
}

std::string all_causes(const Error& error) {
  std::string out;
  const size_t shown = std::min(error.causes.size(), kMostShown);
  for (size_t i = 0; i < shown; ++i) {
    const Cause& cause = error.causes[i];
    out += cat(i == 0 ? "" : "; ", cause.field, cause.field.empty() ? "" : ": ", cause.message);
  }
  if (error.causes.size() > shown) out += cat(" (and ", error.causes.size() - shown, " more)");
  return out;
}

// Empty: there is no other way that somebody would look for.
std::string_view other_way(const Request& request) {
  const auto& path = request.segments;
  if (path.size() < 3 || path[0] != "api" || path[1] != "v1" || path[2] != "namespaces") return {};
  if (path.size() == 3)
    return "namespaces exist by being used: leave this step out, and name one with the first "
           "object (-n NAME)";
  if (path.size() == 4)
    return "a namespace goes with its objects: `kubectl delete runs --all -n NAME` empties one of "
           "runs";
  if (path[4] == "pods")
    return "pods show runs, and are not made or changed themselves: create, patch or delete the "
           "run (`kubectl apply -f` with kind Run, `kubectl delete run NAME`, or `paddock run`)";
  return {};
}

}  // namespace

Error in_kubernetes_words(Error error, const Request& request) {
  if (error.reason == "METHOD_NOT_ALLOWED") {
    const std::string_view instead = other_way(request);
    if (!instead.empty()) error.message = cat(instead, "; ", error.message);
  } else if (error.causes.size() > 1 && is_client_of_kubernetes(request)) {
    error.message = all_causes(error);
  }
  return error;
}

}  // namespace paddock::api
