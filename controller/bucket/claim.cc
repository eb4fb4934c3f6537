#include "controller/bucket/claim.h"

#include "common/base/text.h"
#include "common/os/file.h"

namespace paddock::bucket {
namespace {

constexpr const char* kClaims = "claims/";
constexpr Millis kBelieved{60'000};

Error taken(std::string_view why) {
  return {
      Code::kFailedPrecondition, "BUCKET_TAKEN",
      cat("the blobs below blobs.s3.prefix ", why, "; each controller needs a prefix of its own")};
}

bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= 64 &&
         text.find_first_not_of("0123456789abcdef-") == std::string_view::npos;
}

// Empty: there is none yet.
Result<std::string> known_id(const std::string& path) {
  ASSIGN_OR_RETURN(const bool made, os::is_there(path));
  if (!made) return std::string();
  ASSIGN_OR_RETURN(const std::string text, os::read_file(path, 4096));
  const std::string id(trim(text));
  if (is_id(id)) return id;
  return Error{Code::kFailedPrecondition, "STORE_NOT_OURS",
               "the data folder's file bucket-id is damaged"};
}

Result<std::string> read_id(const std::string& path, Random& random) {
  ASSIGN_OR_RETURN(std::string known, known_id(path));
  if (!known.empty()) return known;
  std::string made = make_uuid(random);
  TRY(os::write_file_atomic(path, made + "\n"));
  return made;
}

}  // namespace

Result<std::unique_ptr<Claim>> Claim::take(const s3::Bucket& bucket, const std::string& id_file,
                                           const Clock& clock, Random& random) {
  ASSIGN_OR_RETURN(std::string id, read_id(id_file, random));
  std::unique_ptr<Claim> claim(new Claim(bucket, std::move(id), clock));
  // Looked at before, so that nothing is left of a start that is refused; and afterwards, as two
  // may start at the same time: then both see both.
  TRY(claim->look(false));
  TRY(bucket.put_text(kClaims + claim->id_,
                      "the blobs beside it belong to a Paddock controller\n"));
  const Status alone = claim->check();
  if (!alone.ok()) TRY(bucket.remove(kClaims + claim->id_));
  if (!alone.ok()) return alone.error();
  return claim;
}

Status Claim::check_free(const s3::Bucket& bucket, const std::string& id_file, const Clock& clock) {
  ASSIGN_OR_RETURN(std::string id, known_id(id_file));
  return Claim(bucket, std::move(id), clock).look(false);
}

Status Claim::check() {
  const std::lock_guard lock(mutex_);
  if (checked_ && clock_.mono() - *checked_ < kBelieved) return {};
  TRY(look(true));
  checked_ = clock_.mono();
  return {};
}

Status Claim::look(bool ours_must_be_there) const {
  bool ours = false;
  std::string other;
  TRY(bucket_.list(kClaims, [&](const std::vector<s3::Object>& page) -> Status {
    for (const s3::Object& each : page) {
      const std::string id = each.key.substr(std::string_view(kClaims).size());
      ours = ours || id == id_;
      if (id != id_) other = is_id(id) ? id : "with an odd name";
    }
    return {};
  }));
  if (!other.empty()) {
    return taken(cat("belong to another controller (claims/", other,
                     ": remove that object once it is gone for good)"));
  }
  if (!ours && ours_must_be_there) return taken("are not this controller's any more");
  return {};
}

}  // namespace paddock::bucket
