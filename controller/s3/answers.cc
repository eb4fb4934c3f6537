#include "controller/s3/answers.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "common/base/text.h"
#include "controller/s3/xml.h"

namespace paddock::s3 {
namespace {

constexpr size_t kLongestToken = 4096;
constexpr Millis kMostSkew{15 * 60'000};  // what S3 takes

Error bad_answer(std::string_view why) {
  return {Code::kUnavailable, "BUCKET_BAD_ANSWER", cat("the bucket's server answered ", why)};
}

struct KnownCode {
  std::string_view code;  // of S3
  Reason reason;
};
constexpr auto kKnownCodes = std::to_array<KnownCode>({
    {"NoSuchBucket", "BUCKET_NOT_FOUND"},
    {"AccessDenied", "BUCKET_DENIED"},
    {"AllAccessDisabled", "BUCKET_DENIED"},
    {"AccountProblem", "BUCKET_DENIED"},
    {"InvalidAccessKeyId", "BUCKET_DENIED"},
    {"SignatureDoesNotMatch", "BUCKET_DENIED"},
    {"ExpiredToken", "BUCKET_DENIED"},
    {"InvalidToken", "BUCKET_DENIED"},
    {"AuthorizationHeaderMalformed", "BUCKET_WRONG_REGION"},
    {"AuthorizationQueryParametersError", "BUCKET_WRONG_REGION"},
    {"InvalidRegion", "BUCKET_WRONG_REGION"},
    {"PermanentRedirect", "BUCKET_WRONG_REGION"},
    {"TemporaryRedirect", "BUCKET_WRONG_REGION"},
    {"RequestTimeTooSkewed", "BUCKET_CLOCK_SKEW"},
    {"RequestExpired", "BUCKET_CLOCK_SKEW"},
    {"SlowDown", "BUCKET_BUSY"},
    {"ServiceUnavailable", "BUCKET_BUSY"},
    {"RequestTimeout", "BUCKET_BUSY"},
    {"OperationAborted", "BUCKET_BUSY"},
    {"QuotaExceeded", "BUCKET_FULL"},
    {"InsufficientStorage", "BUCKET_FULL"},
});

// A server's word as far as it is one: nothing else of its answer gets into messages and logs.
std::string plain_word(std::string_view text) {
  constexpr size_t kMost = 64;
  std::string out;
  for (const char c : text.substr(0, kMost)) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || c == '-') out += c;
  }
  return out;
}

std::string s3_code(const http::Response& response) {
  if (response.body.empty()) return {};
  const Result<Element> root = parse_xml(response.body);
  if (!root || root->name != "Error") return {};
  return plain_word(root->text_of("Code"));
}

bool is_skewed(const http::Response& response) {
  return response.clock_gap && std::abs(response.clock_gap->count()) > kMostSkew.count();
}

Reason reason_for_status(const http::Response& response) {
  const int status = response.status;
  if (status >= 300 && status < 400) return "BUCKET_WRONG_REGION";
  if (status == 401 || status == 403)
    return is_skewed(response) ? Reason("BUCKET_CLOCK_SKEW") : Reason("BUCKET_DENIED");
  if (status == 400 && !header_of(response, "x-amz-bucket-region").empty())
    return "BUCKET_WRONG_REGION";
  if (status == 429 || status == 503) return "BUCKET_BUSY";
  if (status == 507) return "BUCKET_FULL";
  return "BUCKET_FAILED";
}

Reason reason_of(const http::Response& response, std::string_view code) {
  const auto* known = std::ranges::find(kKnownCodes, code, &KnownCode::code);
  if (known != kKnownCodes.end()) return known->reason;
  if (code.ends_with("StorageFull")) return "BUCKET_FULL";
  return reason_for_status(response);
}

Result<Element> root_named(std::string_view body, std::string_view name) {
  ASSIGN_OR_RETURN(Element root, parse_xml(body));
  if (root.name != name) return bad_answer("with another document than was asked for");
  return root;
}

Result<Object> read_object(const Element& element, std::string_view prefix) {
  Object out{element.text_of("Key"), 0, {}};
  const auto size = parse_integer<int64_t>(element.text_of("Size"));
  const auto modified = parse_time(element.text_of("LastModified"));
  const bool sized = size && *size >= 0 && *size <= kLargestObject;
  if (!out.key.starts_with(prefix) || !sized || !modified)
    return bad_answer("with a list that has something else in it");
  out.size = *size;
  out.modified = *modified;
  return out;
}

}  // namespace

std::string header_of(const http::Response& response, const std::string& name) {
  const auto found = response.headers.find(name);
  return found == response.headers.end() ? std::string() : found->second;
}

Result<Page> read_page(std::string_view body, std::string_view prefix) {
  ASSIGN_OR_RETURN(const Element root, root_named(body, "ListBucketResult"));
  Page out;
  for (const Element& each : root.children) {
    if (each.name != "Contents") continue;
    ASSIGN_OR_RETURN(Object object, read_object(each, prefix));
    out.objects.push_back(std::move(object));
  }
  if (root.text_of("IsTruncated") != "true") return out;
  out.next = root.text_of("NextContinuationToken");
  if (out.next.empty() || out.next.size() > kLongestToken)
    return bad_answer("with a list that cannot be continued");
  return out;
}

Result<std::vector<Upload>> read_uploads(std::string_view body, std::string_view prefix) {
  ASSIGN_OR_RETURN(const Element root, root_named(body, "ListMultipartUploadsResult"));
  std::vector<Upload> out;
  for (const Element& each : root.children) {
    if (each.name != "Upload") continue;
    const auto begun = parse_time(each.text_of("Initiated"));
    Upload upload{each.text_of("Key"), each.text_of("UploadId"), begun.value_or(WallTime{})};
    if (!upload.key.starts_with(prefix)) continue;  // not every server looks at the prefix
    if (!begun || upload.id.empty() || upload.id.size() > kLongestToken)
      return bad_answer("with a list that has something else in it");
    out.push_back(std::move(upload));
  }
  return out;
}

Result<std::string> read_upload_id(std::string_view body) {
  ASSIGN_OR_RETURN(const Element root, root_named(body, "InitiateMultipartUploadResult"));
  std::string id = root.text_of("UploadId");
  if (id.empty() || id.size() > kLongestToken) return bad_answer("without naming the upload");
  return id;
}

Status check_completed(const http::Response& response) {
  const std::string code = s3_code(response);
  if (!code.empty()) return fault_of(response);
  const Result<Element> root = root_named(response.body, "CompleteMultipartUploadResult");
  return root ? Status() : Status(root.error());
}

Error fault_of(const http::Response& response) {
  const std::string code = s3_code(response);
  if (response.status == 404 && code != "NoSuchBucket")
    return {Code::kNotFound, "OBJECT_NOT_FOUND", "the bucket has no such object"};
  Error out{Code::kUnavailable, reason_of(response, code),
            cat("the bucket's server refused: status ", response.status)};
  if (!code.empty()) out.message += cat(", ", code);
  const std::string region = plain_word(header_of(response, "x-amz-bucket-region"));
  if (!region.empty() && is_one_of(out.reason, {"BUCKET_WRONG_REGION"}))
    out.message += cat("; it says that the bucket is in region ", region);
  return out;
}

Error fault_of(const Error& transport) {
  if (transport.reason == http::kWrongProtocol)
    return Error{Code::kUnavailable, "BUCKET_UNREACHABLE",
                 "the bucket's port speaks another protocol than its address says"};
  if (http::is_peer_unproven(transport)) {
    return Error{Code::kUnavailable, "BUCKET_NOT_TRUSTED",
                 "the certificate of the bucket's server is not trusted, or not valid now"};
  }
  if (transport.code == Code::kDeadlineExceeded) {
    return Error{Code::kUnavailable, "BUCKET_SLOW", "the bucket's server did not answer in time"};
  }
  if (is_one_of(transport.reason, {"ANSWER_TOO_LARGE"}))
    return bad_answer("with more than anything expected");
  if (transport.code == Code::kUnavailable) {
    return Error{Code::kUnavailable, "BUCKET_UNREACHABLE",
                 is_one_of(transport.reason, {"UNREACHABLE", http::kNameUnknown})
                     ? "the bucket's server cannot be reached"
                     : "the connection to the bucket's server broke"};
  }
  return transport;
}

std::optional<Millis> retry_after(const http::Response& response, Millis most) {
  const auto seconds = parse_integer<int64_t>(header_of(response, "retry-after"));
  if (!seconds || *seconds < 0) return std::nullopt;
  return std::min(Millis(std::min<int64_t>(*seconds, 3600) * 1000), most);
}

}  // namespace paddock::s3
