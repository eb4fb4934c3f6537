#include "controller/media/internal/http_provider.h"

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/http/http_client.h"
#include "common/wire/json.h"

namespace paddock::media::internal {
namespace {

using wire::Value;

constexpr size_t kLongestAnswer = size_t{64} << 10;
constexpr size_t kLongestText = 256;

Error failed(const std::string& what) {
  log_warn("the media provider failed", {{"what", what}});
  return {Code::kUnavailable, "MEDIA_PROVIDER_FAILED",
          "the media provider could not be asked, or refused"};
}

// The provider gave no answer, but it may have the request and be working on it.
Error unheard(const std::string& what) {
  log_warn("the media provider did not answer", {{"what", what}});
  return {Code::kUnavailable, "MEDIA_PROVIDER_SILENT",
          "the media provider did not answer; it may have begun, so that this counts on the grant"};
}

// `https://host:port` and the path.
std::pair<std::string, std::string> split_url(const std::string& url) {
  const size_t host = url.find("://") + 3;
  const size_t slash = url.find('/', host);
  if (slash == std::string::npos) return {url, "/"};
  return {url.substr(0, slash), url.substr(slash)};
}

std::string short_text(const Value& answer, const char* name, std::string otherwise) {
  std::string text = answer.text(name);
  return text.empty() || text.size() > kLongestText ? std::move(otherwise) : text;
}

}  // namespace

Result<contracts::MediaTask> HttpProvider::generate(const ProviderRequest& request) const {
  const auto [base, path] = split_url(url_);
  const auto client = http::make_client({.base_url = base});
  http::Request post;
  post.method = "POST";
  post.target = path;
  post.headers = {{"Content-Type", "application/json"}, {"Idempotency-Key", request.task_id}};
  post.timeout = timeout_;
  Value body = wire::encode(request.media);
  body.set("taskId", request.task_id);
  body.set("run",
           Value::Object{
               {"namespace", request.name_space}, {"name", request.run}, {"uid", request.run_uid}});
  post.body = wire::to_json(body);
  const Result<http::Response> response = client->send(post);
  if (!response) {
    const Error& error = response.error();
    return is_one_of(error.reason, {"UNREACHABLE", http::kNameUnknown}) ? failed(error.describe())
                                                                        : unheard(error.describe());
  }
  if (response->status < 200 || response->status > 299)
    return failed(cat("status ", response->status));
  contracts::MediaTask task{request.task_id, "accepted", {}};
  if (response->body.empty() || response->body.size() > kLongestAnswer) return task;
  if (const auto answer = wire::parse_json(response->body); answer && answer->object()) {
    task.task_id = short_text(*answer, "taskId", task.task_id);
    task.status = short_text(*answer, "status", task.status);
  }
  return task;
}

}  // namespace paddock::media::internal
