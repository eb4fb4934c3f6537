#include "controller/api/objects/delete_collection.h"

#include "common/crypto/digest.h"

namespace paddock::api {

namespace {
constexpr size_t kMostKept = 100;
}

Result<ListQuery> parse_deletion(Call& call, const k8s::Labels& supported) {
  const bool sent = !call.body_hash.empty() && call.body_hash != crypto::sha256_hex("");
  if (sent && call.body.object() == nullptr)
    return invalid_argument("INVALID_FIELD", "the body, if there is one, must be DeleteOptions");
  // A client that put an empty name behind the collection's path did not mean all of it.
  if (call.request.path.ends_with('/')) {
    return invalid_argument("NAME_REQUIRED",
                            "the path names no object; without the last / it means all that match");
  }
  for (const char* part : {"limit", "continue", "resourceVersion", "resourceVersionMatch"}) {
    const std::string value = call.request.parameter(part).value_or("");
    if (value.empty() || value == "0") continue;
    return invalid_argument("PARAMETER_INVALID",
                            cat("a deletion takes labelSelector and fieldSelector, not ", part),
                            part);
  }
  ASSIGN_OR_RETURN(ListQuery query, parse_list_query(call, supported));
  query.options.limit = kDeletedAtOnce;
  query.options.bytes = kDeletionBytesShown;
  query.options.leave_out = query.options.leave_out_any = true;
  return query;
}

bool is_refusal(const Error& error) {
  return error.code == Code::kFailedPrecondition || error.code == Code::kConflict ||
         error.code == Code::kPermissionDenied;
}

void keep(Deletions& done, Error error, std::string_view plural, const std::string& name) {
  ++done.kept;
  if (done.why.size() == kMostKept) return;
  error.causes = {{cat(plural, "/", name), error.message}};
  done.why.push_back(std::move(error));
}

void absorb(Deletions& all, Deletions part) {
  all.deleted += part.deleted;
  all.kept += part.kept;
  all.warnings.merge(part.warnings);
  for (Error& each : part.why) {
    if (all.why.size() < kMostKept) all.why.push_back(std::move(each));
  }
}

Status judge(const Deletions& done, bool dry_run) {
  if (done.kept == 0) return {};
  Error error = done.why[0];
  error.message = cat(done.deleted, dry_run ? " would be deleted, " : " were deleted, ", done.kept,
                      " stay: ", error.message);
  for (size_t i = 1; i < done.why.size(); ++i) error.causes.push_back(done.why[i].causes[0]);
  return error;
}

std::vector<std::string> warnings_of(const Deletions& done, std::string_view plural, bool selects) {
  // An object that cannot be read may not be one of those that were meant.
  const std::string_view why =
      selects ? " may be meant too and stays: this version cannot read it"
              : " stays, as this version cannot read it: delete it by its name";
  constexpr size_t kMostNamed = 15;  // and as many warnings of what went fit beside them
  std::vector<std::string> out;
  for (const std::string& name : done.unread) {
    if (out.size() == kMostNamed) {
      out.push_back(cat("and ", done.unread.size() - kMostNamed, " more"));
      break;
    }
    out.push_back(cat(plural, "/", name, why));
  }
  out.insert(out.end(), done.warnings.begin(), done.warnings.end());
  return out;
}

Error cut_short(const Deletions& done) {
  return {Code::kUnavailable, "DELETION_CUT_SHORT",
          cat(done.deleted, " were deleted before the client went away or the server stopped; ",
              "delete again")};
}

}  // namespace paddock::api
