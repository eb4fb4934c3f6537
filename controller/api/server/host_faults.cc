#include "controller/api/server/host_faults.h"

#include "common/base/log.h"
#include "common/base/text.h"

namespace paddock::api {
namespace {

// Only a full disk and a failing one have codes of their own among the kernel's errors. A node's
// system error is Unavailable already.
bool is_of_our_files(const Error& error) {
  return error.reason == "SYSTEM_ERROR" && error.code != Code::kUnavailable;
}

}  // namespace

Error as_passing(Error error) {
  if (error.reason == "SYSTEM_ERROR" && error.code == Code::kResourceExhausted)
    return {Code::kResourceExhausted, "DISK_FULL",
            "the controller's disk is full; nothing of this change was kept, free some space and "
            "send it again"};
  const char* what = nullptr;
  if (error.reason == kDiskReadOnlyReason) what = "disk is read-only";
  if (error.reason == kDiskFailsReason) what = "disk fails";
  if (is_of_our_files(error)) what = "own files cannot be used now";
  if (what == nullptr) return error;
  log_error("a request met a fault of this host", {{"error", error.describe()}});
  return {Code::kUnavailable, "STORE_IO",
          cat("the controller's ", what,
              "; nothing of this change was kept, send it again once its operator has mended it")};
}

}  // namespace paddock::api
