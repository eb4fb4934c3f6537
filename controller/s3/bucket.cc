#include "controller/s3/bucket.h"

#include <algorithm>
#include <utility>

#include "common/base/percent.h"
#include "common/base/text.h"
#include "common/crypto/digest.h"
#include "controller/s3/credentials.h"
#include "controller/s3/request.h"

namespace paddock::s3 {
namespace {

constexpr int kTries = 3;
constexpr Millis kLongestRest{5'000};
constexpr Millis kPatience{30'000};  // for a free client
constexpr int64_t kSlowest = 256;    // bytes a millisecond that a server must at least take or give
constexpr Millis kEachRequest{60'000};
constexpr size_t kMostAnswer = size_t{4} << 20;

bool may_be_tried_again(const Error& error) {
  return is_one_of(error.reason, {"BUCKET_BUSY", "BUCKET_UNREACHABLE", "BUCKET_FAILED"});
}

}  // namespace

Bucket::Bucket(BucketSettings settings, const Clock& clock)
    : settings_(std::move(settings)), clock_(clock) {
  http::Endpoint endpoint;
  const size_t scheme = settings_.endpoint.find("://");
  endpoint.base_url = cat(settings_.endpoint.substr(0, scheme), "://", host());
  endpoint.ca_pem = settings_.ca_pem;
  pool_ = std::make_unique<ClientPool>(endpoint, settings_.transfers);
}

std::string Bucket::host() const {
  const size_t scheme = settings_.endpoint.find("://");
  const std::string name = settings_.endpoint.substr(scheme + 3);
  return settings_.path_style ? name : cat(settings_.bucket, ".", name);
}

std::string Bucket::path_of(const std::string& key) const {
  const std::string name = percent_encode_path(cat(settings_.prefix, key));
  return settings_.path_style ? cat("/", settings_.bucket, "/", name) : cat("/", name);
}

Result<http::Request> Bucket::request_of(const Call& call) const {
  ASSIGN_OR_RETURN(const Credentials credentials, read_credentials(settings_.credentials_file));
  const WallTime now = clock_.wall();
  ToSign sign{call.method, call.whole_bucket ? bucket_path() : path_of(call.key), call.query,
              call.headers, call.body.sha256};
  if (sign.payload_sha256.empty()) sign.payload_sha256 = crypto::sha256_hex(call.text);
  sign.headers["host"] = host();
  sign.headers["x-amz-date"] = amz_date(now);
  sign.headers["x-amz-content-sha256"] = sign.payload_sha256;
  if (!credentials.session_token.empty())
    sign.headers["x-amz-security-token"] = credentials.session_token;
  http::Request out;
  out.method = call.method;
  out.target = sign.path;
  if (!call.query.empty()) out.target += cat("?", canonical_query(call.query));
  out.headers = sign.headers;
  out.headers["authorization"] = authorization(sign, credentials, {settings_.region}, now);
  out.body = call.text;
  out.body_fd = call.body.fd;
  out.body_offset = call.body.offset;
  out.body_size = call.body.size;
  out.timeout = kEachRequest + Millis((call.body.size + call.expected) / kSlowest);
  out.idle_timeout = settings_.silence;
  out.most_body = kMostAnswer;
  out.on_data = call.on_data;
  return out;
}

std::string Bucket::bucket_path() const {
  return settings_.path_style ? cat("/", settings_.bucket) : "/";
}

Result<http::Response> Bucket::send_once(const Call& call) const {
  ASSIGN_OR_RETURN(const http::Request request, request_of(call));
  ASSIGN_OR_RETURN(const ClientPool::Lease client, pool_->lease(kPatience));
  Result<http::Response> response = (*client).send(request);
  if (response || response.error().reason == "ABORTED") return response;
  return fault_of(response.error());
}

// Sends the request until it succeeds or may not be tried again. A response that is not 2xx is an
// error.
Result<http::Response> Bucket::send(const Call& call) const {
  Millis rest = settings_.first_retry;
  for (int tries = 1;; ++tries) {
    Result<http::Response> response = send_once(call);
    if (response && response->status >= 200 && response->status < 300) return response;
    const Error fault = response ? fault_of(*response) : response.error();
    // A body of which the caller has taken a part cannot be given to it a second time.
    if (tries == kTries || call.on_data || !may_be_tried_again(fault)) return fault;
    if (response) rest = std::max(rest, retry_after(*response, kLongestRest).value_or(rest));
    if (!pool_->wait(rest)) return fault;
    rest = std::min(rest * 4, kLongestRest);
  }
}

Status Bucket::check() const {
  Call call{.method = "GET", .whole_bucket = true};
  call.query = {{"list-type", "2"}, {"max-keys", "1"}, {"prefix", settings_.prefix}};
  ASSIGN_OR_RETURN(const http::Response response, send(call));
  const Result<Page> page = read_page(response.body, settings_.prefix);
  return page ? Status() : Status(page.error());
}

Result<int64_t> Bucket::size(const std::string& key) const {
  ASSIGN_OR_RETURN(const http::Response response, send({.method = "HEAD", .key = key}));
  const auto length = response.headers.find("content-length");
  const auto size =
      length == response.headers.end() ? std::nullopt : parse_integer<int64_t>(length->second);
  if (size && *size >= 0 && *size <= kLargestObject) return *size;
  return Error{Code::kUnavailable, "BUCKET_BAD_ANSWER",
               "the bucket's server does not say how large an object is"};
}

Status Bucket::get(const std::string& key, int64_t from, int64_t size,
                   const std::function<bool(std::string_view)>& take) const {
  Call call{.method = "GET", .key = key};
  call.expected = size - from;
  call.on_data = take;
  if (from > 0) call.headers["range"] = cat("bytes=", from, "-");
  ASSIGN_OR_RETURN(const http::Response response, send(call));
  if (from == 0) return {};
  const std::string range = header_of(response, "content-range");
  if (response.status == 206 && range.starts_with(cat("bytes ", from, "-"))) return {};
  return Error{Code::kUnavailable, "BUCKET_BAD_ANSWER",
               "the bucket's server sent another part of an object than was asked for"};
}

Status Bucket::remove(const std::string& key) const {
  const Result<http::Response> response = send({.method = "DELETE", .key = key});
  if (response || response.error().reason == "OBJECT_NOT_FOUND") return {};
  return response.error();
}

Status Bucket::list(const std::string& below,
                    const std::function<Status(const std::vector<Object>&)>& visit) const {
  const std::string prefix = cat(settings_.prefix, below);
  Call call{.method = "GET", .whole_bucket = true};
  call.query = {
      {"list-type", "2"}, {"max-keys", std::to_string(settings_.page)}, {"prefix", prefix}};
  for (std::string last;;) {
    ASSIGN_OR_RETURN(const http::Response response, send(call));
    ASSIGN_OR_RETURN(Page page, read_page(response.body, prefix));
    for (Object& each : page.objects) each.key = each.key.substr(settings_.prefix.size());
    TRY(visit(page.objects));
    if (page.next.empty()) return {};
    const bool goes_on = !page.objects.empty() && page.objects.back().key > last;
    if (!goes_on) {
      return Error{Code::kUnavailable, "BUCKET_BAD_ANSWER",
                   "the bucket's server lists the same objects again and again"};
    }
    last = page.objects.back().key;
    call.query["continuation-token"] = page.next;
  }
}

Result<int64_t> Bucket::abort_uploads(WallTime before) const {
  Call call{.method = "GET", .whole_bucket = true};
  call.query = {{"uploads", ""}, {"prefix", settings_.prefix}};
  ASSIGN_OR_RETURN(const http::Response response, send(call));
  ASSIGN_OR_RETURN(const std::vector<Upload> uploads,
                   read_uploads(response.body, settings_.prefix));
  int64_t ended = 0;
  for (const Upload& each : uploads) {
    if (each.begun >= before) continue;
    TRY(abort(each.key.substr(settings_.prefix.size()), each.id));
    ++ended;
  }
  return ended;
}

}  // namespace paddock::s3
