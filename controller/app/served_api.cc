#include "controller/app/served_api.h"

#include <utility>

#include "controller/api/routes.h"
#include "controller/api/server/pipeline.h"

namespace paddock::app {

ServedApi::ServedApi(api::Services wanted, api::Router routes)
    : services(std::move(wanted)),
      router(std::move(routes)),
      handler(api::make_handler(router, services)) {}

Result<std::unique_ptr<ServedApi>> make_api(const Config& config, const Dependencies& dependencies,
                                            standby::Services& shared, ApiParts parts) {
  ASSIGN_OR_RETURN(api::Router router, api::Router::build(api::routes()));
  api::Services services{parts.store,   shared.notifier, shared.history,     parts.leases,
                         parts.blobs,   parts.intake,    dependencies.clock, dependencies.random,
                         parts.metrics, parts.reconciler};
  services.profiles = std::move(parts.profiles);
  services.images = config.sessions.images;
  services.open_requests = shared.open_requests;
  return std::make_unique<ServedApi>(std::move(services), std::move(router));
}

}  // namespace paddock::app
