#include "controller/api/server/services.h"

#include "controller/api/server/denial_rate_limiter.h"
#include "controller/api/server/open_requests.h"
#include "controller/api/server/sound_blobs.h"
#include "controller/api/server/write_behind_queue.h"
#include "controller/calls/relay.h"
#include "controller/events/watch_history.h"
#include "controller/nodes/usage_table.h"
#include "controller/projects/preview_scopes.h"
#include "controller/receipts/receipt_keys.h"
#include "controller/secrets/vault.h"
#include "controller/sessions/under_way.h"
#include "controller/workspaces/shown_blobs.h"
#include "controller/workspaces/stored_bytes.h"
#include "controller/workspaces/tree_members.h"

namespace paddock::api {

template <class T>
std::shared_ptr<T> fresh() {
  return std::make_shared<T>();
}

template std::shared_ptr<workspaces::TreeMembers> fresh();
template std::shared_ptr<workspaces::ShownBlobs> fresh();
template std::shared_ptr<SoundBlobs> fresh();
template std::shared_ptr<calls::Relay> fresh();
template std::shared_ptr<projects::PreviewScopes> fresh();
template std::shared_ptr<DenialRateLimiter> fresh();
template std::shared_ptr<OpenRequests> fresh();
template std::shared_ptr<WriteBehindQueue> fresh();
template std::shared_ptr<secrets::Vault> fresh();
template std::shared_ptr<receipts::ReceiptKeys> fresh();
template std::shared_ptr<sessions::UnderWay> fresh();
template std::shared_ptr<nodes::UsageTable> fresh();

std::shared_ptr<workspaces::StoredBytes> fresh_stored_bytes(store::Store& store,
                                                            const cas::Blobs& blobs,
                                                            const Clock& clock) {
  return std::make_shared<workspaces::StoredBytes>(store, blobs, workspaces::Shares{},
                                                   std::chrono::hours(24), clock);
}

void announce(std::vector<store::ObjectWrite> changes, calls::Relay& calls,
              events::WatchHistory& history) {
  for (const store::ObjectWrite& each : changes) {
    if (each.kind == contracts::Node::kKind) calls.node_changed(each.key.name);
  }
  history.publish(std::move(changes));
}

}  // namespace paddock::api
