// What handlers work with. References to things that outlive every request. All of the API includes
// this: what is only referred to is named here and not included, so who uses it includes its
// header.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "common/base/random.h"
#include "common/base/time.h"
#include "common/contracts/execute.h"
#include "controller/admission/admit.h"
#include "controller/agent_sandboxes/mapping.h"
#include "controller/media/generate.h"
#include "controller/store/store.h"
#include "controller/volumes/publish.h"

namespace paddock::calls {
class Relay;
}
namespace paddock::cas {
class Blobs;
}
namespace paddock::events {
class Notifier;
class WatchHistory;
}  // namespace paddock::events
namespace paddock::nodes {
class LeaseTable;
class UsageTable;
}  // namespace paddock::nodes
namespace paddock::projects {
class PreviewScopes;
}
namespace paddock::receipts {
class ReceiptKeys;
}
namespace paddock::reconciler {
class Reconciler;
}
namespace paddock::secrets {
class Vault;
}
namespace paddock::sessions {
class UnderWay;
}
namespace paddock::workspaces {
class BlobIntake;
class ShownBlobs;
class StoredBytes;
class TreeMembers;
}  // namespace paddock::workspaces

namespace paddock::api {

class DenialRateLimiter;
class Metrics;
class OpenRequests;
class SoundBlobs;
class WriteBehindQueue;

// Of POST /execute, as the operator set them.
struct ExecuteSettings {
  int64_t default_timeout_seconds = contracts::kDefaultTimeoutSeconds;
  int64_t max_memory_mb = contracts::kMaxMemoryMb;
};

// A new one, for callers that give Services none of theirs; made in services.cc, for its members
// alone.
template <class T>
std::shared_ptr<T> fresh();
std::shared_ptr<workspaces::StoredBytes> fresh_stored_bytes(store::Store& store,
                                                            const cas::Blobs& blobs,
                                                            const Clock& clock);

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
  bool follows = false;  // another controller leads: only what is stored is answered here
  std::shared_ptr<workspaces::TreeMembers> tree_members = fresh<workspaces::TreeMembers>();
  std::shared_ptr<workspaces::ShownBlobs> shown_blobs = fresh<workspaces::ShownBlobs>();
  std::shared_ptr<SoundBlobs> sound_blobs = fresh<SoundBlobs>();
  std::shared_ptr<workspaces::StoredBytes> stored = fresh_stored_bytes(store, blobs, clock);
  std::shared_ptr<calls::Relay> calls = fresh<calls::Relay>();
  // How long a call waits for a node where none is there that could take it: right after a start,
  // or a restart of the controller.
  Millis node_patience{0};
  ExecuteSettings execute = {};
  agent_sandboxes::Images images = agent_sandboxes::default_images();
  std::vector<std::string> compute_types = contracts::compute_artifact_types();
  std::shared_ptr<projects::PreviewScopes> previews = fresh<projects::PreviewScopes>();
  std::shared_ptr<std::atomic<int>> exports = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<DenialRateLimiter> denials = fresh<DenialRateLimiter>();
  std::shared_ptr<OpenRequests> open_requests = fresh<OpenRequests>();
  std::shared_ptr<WriteBehindQueue> later = fresh<WriteBehindQueue>();
  std::shared_ptr<secrets::Vault> vault = fresh<secrets::Vault>();
  std::shared_ptr<receipts::ReceiptKeys> receipt_keys = fresh<receipts::ReceiptKeys>();
  std::shared_ptr<sessions::UnderWay> under_way = fresh<sessions::UnderWay>();
  std::shared_ptr<nodes::UsageTable> usage = fresh<nodes::UsageTable>();
};

// Tells what a commit changed to those who wait for it. Called from StoreOptions::on_changes.
void announce(std::vector<store::ObjectWrite> changes, calls::Relay& calls,
              events::WatchHistory& history);

}  // namespace paddock::api
