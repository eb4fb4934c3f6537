#include "node-agent/uplink/conversation.h"

#include "common/base/log.h"
#include "common/client/node_identity.h"
#include "node-agent/base/regularly.h"
#include "node-agent/uplink/controller_ports.h"

namespace paddock::agent {
namespace {

constexpr Millis kFarewell{6'000};

}  // namespace

Status Conversation::enrol() {
  ASSIGN_OR_RETURN(const std::string token, enroll(node_, credentials_.endpoint(), random_));
  credentials_.set_token(token);
  return {};
}

Status Conversation::take_credential() { return credentials_.reload() ? Status() : enrol(); }

Status Conversation::run(sync::SyncLoop& loop) {
  for (bool enrolled = false, swapped = false;;) {
    const std::string used = credentials_.token();
    ClientSyncPort report(credentials_.endpoint(), node_.name, clocks_);
    ClientSyncPort hold(credentials_.endpoint(), node_.name, clocks_);
    const sync::Ended ended = loop.run(report, hold);
    if (ended.verdict == sync::Verdict::kRetry) return {};
    if (ended.verdict == sync::Verdict::kStop) return ended.error;
    if (credentials_.reload() || credentials_.token() != used) continue;
    if (!swapped && client::swap_credentials(node_.data_dir)) {
      log_warn("the controller does not know this node's credential; trying the one before it");
      credentials_.reload();
      swapped = true;
      continue;
    }
    if (enrolled) return ended.error;
    log_warn("the controller does not know this node's credential; enrolling again");
    TRY(enrol());
    enrolled = true;
  }
}

void Conversation::take_leave(sync::SyncLoop& loop,
                              const std::optional<std::set<sync::RunKey>>& begun) {
  ClientSyncPort port(credentials_.endpoint(), node_.name, clocks_);
  const Regularly patience(Regularly::First::kLater, kFarewell, [&] { port.abort(); });
  const Status told = loop.take_leave(port, begun);
  if (!told)
    log_warn("the controller could not be told that this agent stops",
             {{"error", told.error().describe()}});
}

void Conversation::leave_for_good() {
  client::ControllerClient client(credentials_.endpoint());
  const Regularly patience(Regularly::First::kLater, kFarewell, [&] { client.abort(); });
  if (const Status left = client.leave(node_.name, false); !left) {
    log_warn("the node stays listed", {{"error", left.error().describe()}});
    return;
  }
  if (const Status gone = client::forget_identity(node_.data_dir); !gone)
    log_warn("the credential could not be removed", {{"error", gone.error().describe()}});
}

}  // namespace paddock::agent
