#include "cli/output/receipt_text.h"

#include "cli/terminal/terminal.h"
#include "common/base/text.h"
#include "common/contracts/receipt.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

using wire::Value;

// Text that came from a node, without line breaks and control characters.
std::string said(const Value& in, std::string_view path) { return printable(in.text(path)); }

size_t count_of(const Value& predicate, std::string_view path) {
  const Value* list = predicate.at(path);
  return list != nullptr && list->array() != nullptr ? list->array()->size() : 0;
}

int64_t number_at(const Value& predicate, std::string_view path) {
  const Value* found = predicate.at(path);
  return found != nullptr && found->integer() != nullptr ? *found->integer() : 0;
}

std::string how_it_ended(const Value& predicate) {
  const std::string status = said(predicate, "result.status");
  if (status.empty()) return cat(said(predicate, "phase"), " ", said(predicate, "reason"));
  return cat(said(predicate, "phase"), ", ", status, " rc ", number_at(predicate, "result.rc"));
}

// The names of the limits and walls that were asked for and not in force.
std::string not_enforced(const Value& predicate, size_t& all) {
  std::string names;
  const Value* enforced = predicate.at("result.enforced");
  if (enforced == nullptr || enforced->object() == nullptr) return names;
  for (const auto& [name, each] : *enforced->object()) {
    ++all;
    const Value* applied = each.find("applied");
    if (applied != nullptr && applied->boolean() != nullptr && *applied->boolean()) continue;
    names += cat(names.empty() ? "" : ", ", printable(name));
  }
  return names;
}

std::string enforcement(const Value& predicate) {
  size_t all = 0;
  const std::string missing = not_enforced(predicate, all);
  if (all == 0) return "nothing: no sandbox was made";
  return missing.empty() ? cat("all ", all, " of what its policy asked for") : cat("not ", missing);
}

// Word by word, as it was given to the kernel; a run of type code has none.
std::string command(const Value& predicate) {
  const Value* words = predicate.at("result.cmd");
  const bool none = words == nullptr || words->array() == nullptr || words->array()->empty();
  return none ? "" : cat("command   ", printable(wire::to_json(*words)), "\n");
}

std::string denials(const Value& predicate) {
  const Value* list = predicate.at("result.denials");
  std::string text;
  if (list == nullptr || list->array() == nullptr) return "nothing";
  for (const Value& each : *list->array())
    text += cat(text.empty() ? "" : "; ", said(each, "what"), " on ", said(each, "target"));
  return text.empty() ? "nothing" : text;
}

// How many entries name what did not come back; the last one may stand for more.
std::string left_out(const Value& predicate) {
  const Value* list = predicate.at("leftOut");
  if (list == nullptr || list->array() == nullptr || list->array()->empty()) return "";
  const bool more = list->array()->back().text("reason") == "MORE_LEFT_OUT";
  const size_t named = list->array()->size() - (more ? 1 : 0);
  return cat("left out  ", named, named == 1 ? " file or folder" : " files or folders",
             more ? ", and more that are not listed\n" : "\n");
}

}  // namespace

Result<std::vector<ReceiptSubject>> receipt_subjects(const Value& statement) {
  const Value* list = statement.find("subject");
  if (statement.text("_type") != contracts::kStatementType ||
      statement.text("predicateType") != contracts::kReceiptPredicate || list == nullptr ||
      list->array() == nullptr) {
    return invalid_argument("RECEIPT_MALFORMED",
                            "what was signed is no receipt of a run, but something else");
  }
  std::vector<ReceiptSubject> out;
  for (const Value& each : *list->array())
    out.push_back({each.text("name"), each.text("digest.sha256")});
  return out;
}

std::string receipt_text(const Value& statement) {
  const Value* found = statement.find("predicate");
  const Value predicate = found == nullptr ? Value() : *found;
  return cat("run       ", said(predicate, "run.namespace"), "/", said(predicate, "run.name"), " (",
             said(predicate, "run.uid"), "), by ", said(predicate, "createdBy"), "\n",
             command(predicate), "where     node ", said(predicate, "node"), ", attempt ",
             number_at(predicate, "attempt"), ", ended ", said(predicate, "finishedAt"),
             "\nended     ", how_it_ended(predicate), "\nenforced  ", enforcement(predicate),
             "\ndenied    ", denials(predicate), "\ninputs    ", count_of(predicate, "inputs"),
             ", outputs ", count_of(statement, "subject"), "\n", left_out(predicate));
}

}  // namespace paddock::cli
