// The API of one controller, whether it leads or follows: what handlers work with, the table of
// routes, and the handler of both.
#pragma once

#include <memory>

#include "controller/api/server/router.h"
#include "controller/api/server/services.h"
#include "controller/app/config.h"
#include "controller/app/controller.h"
#include "controller/standby/services.h"

namespace paddock::app {

// The parts that the owner of an API makes before it, and that outlive it.
struct ApiParts {
  store::Store& store;
  nodes::LeaseTable& leases;
  const cas::Blobs& blobs;
  workspaces::BlobIntake& intake;
  api::Metrics& metrics;
  reconciler::Reconciler& reconciler;
  contracts::Profiles profiles;
};

struct ServedApi {
  ServedApi(api::Services services, api::Router routes);
  ServedApi(const ServedApi&) = delete;
  ServedApi& operator=(const ServedApi&) = delete;

  api::Services services;  // its owner may set what is left, before the first request
  const api::Router router;
  const http_server::Handler handler;  // of the two above
};

// ROUTE_DUPLICATE: the table of routes contradicts itself.
Result<std::unique_ptr<ServedApi>> make_api(const Config& config, const Dependencies& dependencies,
                                            standby::Services& shared, ApiParts parts);

}  // namespace paddock::app
