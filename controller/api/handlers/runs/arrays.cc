#include "controller/api/handlers/runs/arrays.h"

#include <array>
#include <vector>

#include "common/base/text.h"

namespace paddock::api {
namespace {

using contracts::Run;

constexpr std::array kReserved = {contracts::kArrayLabel, contracts::kArrayIndexLabel};
constexpr size_t kMostLabels = 64;
constexpr size_t kLongestName = 63;

Error reserved(const char* label) {
  return invalid_argument(
      "LABEL_RESERVED",
      cat("only the controller writes ", label, ", on the elements of an array; leave it out"),
      cat("metadata.labels.", label));
}

Error taken(const std::string& why) {
  const std::string message = cat(why, "; choose another name");
  return {Code::kAlreadyExists, "ARRAY_NAME_TAKEN", message, {{"metadata.name", message}}};
}

}  // namespace

Status check_array_metadata(const Run& run) {
  for (const char* label : kReserved)
    if (run.metadata.labels.contains(label)) return reserved(label);
  if (!contracts::is_array(run.spec)) return {};
  if (run.metadata.labels.size() + kReserved.size() > kMostLabels)
    return invalid_argument("LABEL_INVALID",
                            cat("an array has at most ", kMostLabels - kReserved.size(),
                                " labels: its elements have two more"),
                            "metadata.labels");
  const std::string last =
      contracts::element_name(run.metadata.name, contracts::element_count(run.spec) - 1);
  if (last.size() <= kLongestName) return {};
  return invalid_argument("ARRAY_NAME_TOO_LONG",
                          cat("its elements would have names such as ", last, ", of ", last.size(),
                              " characters; at most ", kLongestName,
                              " are allowed: shorten the name by ", last.size() - kLongestName),
                          "metadata.name");
}

Status check_array_labels(const contracts::ObjectMeta& live, const contracts::ObjectMeta& next) {
  for (const char* label : kReserved) {
    const auto before = live.labels.find(label);
    const auto after = next.labels.find(label);
    const bool there = before != live.labels.end();
    if (there != (after != next.labels.end()) || (there && before->second != after->second))
      return reserved(label);
  }
  return {};
}

Status check_element_names(store::ReadTxn& txn, const Run& run) {
  if (!contracts::is_array(run.spec)) return {};
  const contracts::ObjectMeta& meta = run.metadata;
  // ':' follows the digits. One statement: a database is a network away from each.
  ASSIGN_OR_RETURN(
      const std::vector<std::string> names,
      txn.names(Run::kKind, {meta.name_space, cat(meta.name, "-0")}, cat(meta.name, "-:")));
  for (const std::string& name : names) {
    const auto known = contracts::parse_element_name(name);
    if (!known || known->array != meta.name || known->index >= contracts::element_count(run.spec))
      continue;
    return taken(cat("run ", name, " is there already, and an element of array ", meta.name,
                     " would have its name"));
  }
  return {};
}

Error element_name_taken(const std::string& name, const std::string& array) {
  return taken(cat(name, " is the name of an element of array ", array));
}

Status check_own_name(store::ReadTxn& txn, const Run& run) {
  const contracts::ObjectMeta& meta = run.metadata;
  const auto name = contracts::parse_element_name(meta.name);
  if (!name) return {};
  ASSIGN_OR_RETURN(const auto array, txn.find<Run>({meta.name_space, name->array}));
  if (!array || name->index >= contracts::element_count(array->spec)) return {};
  return element_name_taken(meta.name, name->array);
}

Status refuse_array(const Run& run, std::string_view what) {
  if (!contracts::is_array(run.spec)) return {};
  const std::string& name = run.metadata.name;
  return Error{Code::kFailedPrecondition, "RUN_IS_ARRAY",
               cat(name, contracts::is_gang(run.spec) ? " is a gang" : " is an array",
                   " and has no ", what, " of its own; ask ", contracts::element_name(name, 0),
                   " to ", contracts::element_name(name, contracts::element_count(run.spec) - 1))};
}

}  // namespace paddock::api
