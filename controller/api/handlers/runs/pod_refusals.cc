#include "controller/api/handlers/runs/pod_refusals.h"

#include "common/base/text.h"

namespace paddock::api {
namespace {

Error not_served(const char* what, const std::string& instead) {
  return {Code::kNotFound, "ROUTE_NOT_FOUND",
          cat("`kubectl ", what, "` is not served here: ", instead)};
}

}  // namespace

Result<Response> refuse_attach(Call& call) {
  const std::string run = call.param("name");
  return not_served("attach", cat("a run's own command takes no input. Its output is `kubectl logs "
                                  "-f ",
                                  run, "` or `paddock logs -f ", run,
                                  "`, and a shell beside it `kubectl exec -it ", run, " -- sh`"));
}

Result<Response> refuse_port_forward(Call&) {
  return not_served("port-forward",
                    "no port of a run is reached from outside its sandbox. The files of its "
                    "workspace are shown to browsers by previews (docs/projects.md)");
}

}  // namespace paddock::api
