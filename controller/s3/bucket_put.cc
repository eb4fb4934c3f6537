// Storing objects: the half of Bucket that sends them, whole or in parts, and has them confirmed.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "common/base/log.h"
#include "common/base/percent.h"
#include "common/base/text.h"
#include "common/crypto/digest.h"
#include "controller/s3/bucket.h"
#include "controller/s3/request.h"

namespace paddock::s3 {
namespace {

constexpr int64_t kMostParts = 9'000;  // S3 takes 10'000
constexpr size_t kReadAtOnce = 256 << 10;

Error not_confirmed(std::string_view why) {
  return {Code::kUnavailable, "BUCKET_BAD_ANSWER",
          cat("the bucket's server said that it stored an object, and ", why)};
}

Result<std::string> sha256_of_part(const Body& part) {
  const auto buffer = std::make_unique_for_overwrite<char[]>(kReadAtOnce);
  crypto::Sha256 hash;
  for (int64_t at = 0; at < part.size;) {
    const auto want = static_cast<size_t>(std::min<int64_t>(part.size - at, kReadAtOnce));
    const ssize_t got = ::pread(part.fd, buffer.get(), want, part.offset + at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return system_error("reading a blob", got < 0 ? errno : EIO);
    hash.update({buffer.get(), static_cast<size_t>(got)});
    at += got;
  }
  return hash.finish_hex();
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const std::string_view entity = c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : "";
    if (entity.empty()) {
      out += c;
    } else {
      out += entity;
    }
  }
  return out;
}

}  // namespace

Status Bucket::put(const std::string& key, const Body& body) const {
  Status done = body.size > settings_.part ? put_parts(key, body) : put_whole(key, body);
  if (done.ok() || done.error().reason != "OBJECT_NOT_FOUND") return done;
  return not_confirmed("does not know it any more");  // an upload that somebody ended
}

Status Bucket::put_text(const std::string& key, const std::string& text) const {
  Call call{.method = "PUT", .key = key};
  call.text = text;
  TRY(send(call));
  return confirm_size(key, static_cast<int64_t>(text.size()));
}

// The digest is signed, so a server that looks at signatures takes nothing else.
Status Bucket::put_whole(const std::string& key, const Body& body) const {
  const std::string sum = base64(hex_decode(body.sha256));
  Call call{.method = "PUT", .key = key};
  call.headers["x-amz-checksum-sha256"] = sum;
  call.body = body;
  ASSIGN_OR_RETURN(const http::Response response, send(call));
  const std::string stored = header_of(response, "x-amz-checksum-sha256");
  if (stored.empty()) return confirm_size(key, body.size);
  if (stored != sum) return not_confirmed("names another digest");
  return {};
}

Status Bucket::confirm_size(const std::string& key, int64_t size) const {
  const Result<int64_t> there = this->size(key);
  if (!there && there.error().reason == "OBJECT_NOT_FOUND")
    return not_confirmed("does not have it");
  if (!there) return there.error();
  return *there == size ? Status() : Status(not_confirmed("has another size of it"));
}

Status Bucket::put_parts(const std::string& key, const Body& body) const {
  Call begin{.method = "POST", .key = key};
  begin.query = {{"uploads", ""}};
  ASSIGN_OR_RETURN(const http::Response begun, send(begin));
  ASSIGN_OR_RETURN(const std::string id, read_upload_id(begun.body));
  const Result<std::vector<std::string>> tags = send_parts(key, id, body);
  const Status done = tags ? complete(key, id, *tags) : Status(tags.error());
  if (done.ok()) return confirm_size(key, body.size);
  if (const Status ended = abort(key, id); !ended.ok())  // found by its age later
    log_warn("an upload in parts was not ended", {{"reason", ended.error().reason}});
  return done;
}

Result<std::vector<std::string>> Bucket::send_parts(const std::string& key, const std::string& id,
                                                    const Body& body) const {
  const int64_t step = std::max(settings_.part, (body.size + kMostParts - 1) / kMostParts);
  std::vector<std::string> tags;
  for (int64_t at = 0; at < body.size; at += step) {
    Call call{.method = "PUT", .key = key};
    call.query = {{"partNumber", std::to_string(tags.size() + 1)}, {"uploadId", id}};
    call.body = {body.fd, body.offset + at, std::min(step, body.size - at), {}};
    ASSIGN_OR_RETURN(call.body.sha256, sha256_of_part(call.body));
    ASSIGN_OR_RETURN(const http::Response response, send(call));
    tags.push_back(header_of(response, "etag"));
    if (tags.back().empty()) return not_confirmed("gave no tag for a part of it");
  }
  return tags;
}

Status Bucket::complete(const std::string& key, const std::string& id,
                        const std::vector<std::string>& tags) const {
  Call call{.method = "POST", .key = key};
  call.query = {{"uploadId", id}};
  call.text = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
  for (size_t i = 0; i < tags.size(); ++i) {
    call.text +=
        cat("<Part><PartNumber>", i + 1, "</PartNumber><ETag>", escaped(tags[i]), "</ETag></Part>");
  }
  call.text += "</CompleteMultipartUpload>";
  ASSIGN_OR_RETURN(const http::Response response, send(call));
  return check_completed(response);
}

Status Bucket::abort(const std::string& key, const std::string& id) const {
  Call call{.method = "DELETE", .key = key};
  call.query = {{"uploadId", id}};
  const Result<http::Response> response = send(call);
  if (response || response.error().reason == "OBJECT_NOT_FOUND") return {};
  return response.error();
}

}  // namespace paddock::s3
