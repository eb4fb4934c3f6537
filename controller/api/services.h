// What handlers work with. References to things that outlive every request.
#pragma once

#include "common/base/random.h"
#include "common/base/time.h"
#include "controller/admission/admit.h"
#include "controller/api/metrics.h"
#include "controller/events/notifier.h"
#include "controller/events/watch_history.h"
#include "controller/nodes/leases.h"
#include "controller/reconciler/reconciler.h"
#include "controller/store/store.h"
#include "controller/volumes/publish.h"
#include "controller/workspaces/blob_intake.h"
#include "controller/workspaces/tree_members.h"

namespace paddock::api {

struct Services {
  store::Store& store;
  events::Notifier& notifier;
  const events::WatchHistory& history;
  nodes::LeaseTable& leases;
  const cas::BlobStore& blobs;
  workspaces::BlobIntake& intake;
  const Clock& clock;
  Random& random;  // thread-safe
  Metrics& metrics;
  reconciler::Reconciler& reconciler;
  contracts::Ceilings ceilings = admission::default_ceilings();
  contracts::Profiles profiles = contracts::builtin_profiles();
  volumes::VolumeLimits volumes = {};
  std::string data_dir = {};  // of the store and its backups; empty: the store has no file
  std::shared_ptr<workspaces::TreeMembers> tree_members =
      std::make_shared<workspaces::TreeMembers>();
};

}  // namespace paddock::api
