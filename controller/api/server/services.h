// What handlers work with. References to things that outlive every request.
#pragma once

#include <atomic>

#include "common/base/random.h"
#include "common/base/time.h"
#include "common/contracts/execute.h"
#include "controller/admission/admit.h"
#include "controller/agent_sandboxes/mapping.h"
#include "controller/api/metrics/metrics.h"
#include "controller/api/server/denial_rate_limiter.h"
#include "controller/api/server/open_requests.h"
#include "controller/api/server/sound_blobs.h"
#include "controller/api/server/write_behind_queue.h"
#include "controller/calls/relay.h"
#include "controller/events/notifier.h"
#include "controller/events/watch_history.h"
#include "controller/media/generate.h"
#include "controller/nodes/leases.h"
#include "controller/nodes/usage_table.h"
#include "controller/projects/preview_scopes.h"
#include "controller/receipts/receipt_keys.h"
#include "controller/reconciler/reconciler.h"
#include "controller/secrets/vault.h"
#include "controller/sessions/under_way.h"
#include "controller/store/store.h"
#include "controller/volumes/publish.h"
#include "controller/workspaces/blob_intake.h"
#include "controller/workspaces/shown_blobs.h"
#include "controller/workspaces/stored_bytes.h"
#include "controller/workspaces/tree_members.h"

namespace paddock::api {

// Of POST /execute, as the operator set them.
struct ExecuteSettings {
  int64_t default_timeout_seconds = contracts::kDefaultTimeoutSeconds;
  int64_t max_memory_mb = contracts::kMaxMemoryMb;
};

struct Services {
  store::Store& store;
  events::Notifier& notifier;
  const events::WatchHistory& history;
  nodes::LeaseTable& leases;
  const cas::Blobs& blobs;
  workspaces::BlobIntake& intake;
  const Clock& clock;
  Random& random;  // thread-safe
  Metrics& metrics;
  reconciler::Reconciler& reconciler;
  contracts::Ceilings ceilings = admission::default_ceilings();
  contracts::Profiles profiles = contracts::builtin_profiles();
  volumes::VolumeLimits volumes = {};
  media::MediaSettings media = {};
  std::string data_dir = {};         // of the store and its backups; empty: the store has no file
  bool backed_up_elsewhere = false;  // the store is no file there
  std::shared_ptr<workspaces::TreeMembers> tree_members =
      std::make_shared<workspaces::TreeMembers>();
  std::shared_ptr<workspaces::ShownBlobs> shown_blobs = std::make_shared<workspaces::ShownBlobs>();
  std::shared_ptr<SoundBlobs> sound_blobs = std::make_shared<SoundBlobs>();
  std::shared_ptr<workspaces::StoredBytes> stored = std::make_shared<workspaces::StoredBytes>(
      store, blobs, workspaces::Shares{}, std::chrono::hours(24), clock);
  std::shared_ptr<calls::Relay> calls = std::make_shared<calls::Relay>();
  // For a node to come where none is there that could take a call: right after a start, or a
  // restart of the controller.
  Millis node_patience{0};
  ExecuteSettings execute = {};
  agent_sandboxes::Images images = agent_sandboxes::default_images();
  std::vector<std::string> compute_types = contracts::compute_artifact_types();
  std::shared_ptr<projects::PreviewScopes> previews = std::make_shared<projects::PreviewScopes>();
  std::shared_ptr<std::atomic<int>> exports = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<DenialRateLimiter> denials = std::make_shared<DenialRateLimiter>();
  std::shared_ptr<OpenRequests> open_requests = std::make_shared<OpenRequests>();
  std::shared_ptr<WriteBehindQueue> later = std::make_shared<WriteBehindQueue>();
  std::shared_ptr<secrets::Vault> vault = std::make_shared<secrets::Vault>();
  std::shared_ptr<receipts::ReceiptKeys> receipt_keys = std::make_shared<receipts::ReceiptKeys>();
  std::shared_ptr<sessions::UnderWay> under_way = std::make_shared<sessions::UnderWay>();
  std::shared_ptr<nodes::UsageTable> usage = std::make_shared<nodes::UsageTable>();
};

// What a commit changed, to whoever waits for it. Called from StoreOptions::on_changes.
inline void announce(std::vector<store::ObjectWrite> changes, calls::Relay& calls,
                     events::WatchHistory& history) {
  for (const store::ObjectWrite& each : changes) {
    if (each.kind == contracts::Node::kKind) calls.node_changed(each.key.name);
  }
  history.publish(std::move(changes));
}

}  // namespace paddock::api
