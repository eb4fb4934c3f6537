// Names, labels and the metadata of new objects. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/base/time.h"
#include "common/contracts/meta.h"
#include "common/contracts/names.h"
#include "controller/k8s/resources.h"

namespace paddock::k8s {

using contracts::is_dns_label;

// What a new object's metadata becomes. Server-owned fields that the caller sent are dropped.
// InvalidArgument: NAME_REQUIRED, NAME_INVALID, NAMESPACE_INVALID, NAMESPACE_MISMATCH,
// LABEL_INVALID, FINALIZER_INVALID.
struct NewObject {
  std::string name_space;  // from the path; empty for cluster-scoped kinds
  std::string uid;
  std::string suffix;  // for generateName
  WallTime now;
};
Result<contracts::ObjectMeta> new_metadata(const contracts::ObjectMeta& sent,
                                           const NewObject& made);

// A name no longer than allowed: a long prefix is cut.
std::string generated_name(std::string_view prefix, std::string_view suffix);

// Labels and annotations that can be stored. LABEL_INVALID.
Status check_labels(const contracts::ObjectMeta& meta);

// Makes of a wished metadata what may replace the live one: its labels, annotations and finalizers;
// the rest is the server's. Conflict (STALE_RESOURCE_VERSION, PRECONDITION_FAILED) when it names
// another version or uid; InvalidArgument (NAME_MISMATCH, NAMESPACE_MISMATCH, LABEL_INVALID).
Result<contracts::ObjectMeta> changed_metadata(const contracts::ObjectMeta& live,
                                               const contracts::ObjectMeta& wished,
                                               const Resource& resource);

// InvalidArgument (KIND_MISMATCH) unless both are the expected ones.
Status check_kind(std::string_view api_version, std::string_view kind,
                  std::string_view expected_kind,
                  std::string_view expected_version = contracts::kApiVersion);
Status check_kind(std::string_view api_version, std::string_view kind, const Resource& expected);

// Marks the object for deletion: it is erased once no finalizer holds it. False if it was marked
// before, and then nothing changes.
bool mark_deleted(contracts::ObjectMeta& meta, std::optional<int64_t> grace_seconds, WallTime now);

// The answer to a finished delete.
wire::Value deleted_status(const Resource& resource, const contracts::ObjectMeta& meta);

}  // namespace paddock::k8s
