#include "controller/api/objects/common_answers.h"

#include "common/base/text.h"
#include "controller/api/objects/spec_differences.h"

namespace paddock::api {

k8s::Labels common_fields(const contracts::ObjectMeta& meta) {
  return {{"metadata.name", meta.name}, {"metadata.namespace", meta.name_space}};
}

Status refuse_status(std::string_view kind) {
  return immutable({{"status", cat("the status of a ", kind, " is written by the server alone")}});
}

}  // namespace paddock::api
