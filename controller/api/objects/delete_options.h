// The options of a DELETE, as Kubernetes has them (DeleteOptions in its body, or the same words in
// its query), and its result.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/contracts/meta.h"
#include "common/wire/value.h"
#include "controller/api/server/http.h"

namespace paddock::api {

struct DeleteOptions {
  bool dry_run = false;
  // The object must be this one, and as it was then; empty: whichever it is.
  std::string uid = {};
  std::string resource_version = {};
  std::optional<int64_t> grace_seconds = {};
  // Nobody waits for the node of a run: its record goes at once.
  bool by_force() const { return grace_seconds == 0; }
  // The run is killed, without what its own grace leaves it: kubectl's --now. More seconds shorten
  // that grace, if it is longer.
  bool at_once() const { return grace_seconds && *grace_seconds <= 1; }
};

// The result of a DELETE for the object that it names.
struct Removal {
  bool gone = false;    // else it is marked
  bool unread = false;  // it could not be read, so nothing that held it was heeded
};

// What the answer warns of.
std::vector<std::string> warnings_of(const Removal& removal);

// 409 unless the options' preconditions hold: PRECONDITION_FAILED.
Status check_preconditions(const DeleteOptions& options, const contracts::ObjectMeta& meta);

// Dependents always go with their object, whatever propagationPolicy says; but the policy must be
// one that exists. PARAMETER_INVALID.
Result<DeleteOptions> read_delete_options(const Request& request, const wire::Value& body);

}  // namespace paddock::api
