// The only door to a media provider. A request passes, in this order: where its token comes from,
// the run, the run's policy, its grants; and only then is the provider asked. A denied request
// makes no call. The provider belongs to the external orchestrator, with its credentials, budgets
// and accounts.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "common/base/random.h"
#include "common/contracts/media.h"
#include "controller/auth/principal.h"
#include "controller/store/store.h"

namespace paddock::media {

struct MediaSettings {
  std::string provider_url;  // empty: nothing is generated
  Millis timeout{30'000};
  bool sandbox_mode = false;  // only a tool token of the run will do
};

// Tells the audit log, in the transaction in which it is decided.
using Record =
    std::function<Status(store::WriteTxn& txn, std::string_view type, const contracts::Run& run,
                         std::string_view reason, std::map<std::string, std::string> details)>;

struct MediaCall {
  store::Key run;
  const auth::Principal& caller;
  const contracts::MediaRequest& request;
  const Record& record;
};

// Unauthenticated (TOOL_TOKEN_MISSING); PermissionDenied (MEDIA_POLICY_UNAVAILABLE when the run or
// a grant of it is gone or it has ended, the codes of check_policy() and auth::decide_media());
// FailedPrecondition (MEDIA_PROVIDER_NOT_CONFIGURED); Unavailable (MEDIA_PROVIDER_FAILED).
Result<contracts::MediaTask> generate_media_for_run(const MediaSettings& settings,
                                                    store::Store& store, const MediaCall& call,
                                                    WallTime now, Random& random);

}  // namespace paddock::media
