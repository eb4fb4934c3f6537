#include "controller/api/handlers/meta/dashboard.h"

#include "common/base/text.h"
#include "controller/dashboard/files.h"

namespace paddock::api {
namespace {

// Asked for anew each time and answered with 304: an upgraded controller is seen at once.
constexpr const char* kRevalidate = "no-cache";

void confine(Response& response) {
  response.headers.insert(
      response.headers.end(),
      {{"content-security-policy", std::string(dashboard::kContentPolicy)},
       {"x-content-type-options", "nosniff"},
       {"x-frame-options", "DENY"},
       {"referrer-policy", "no-referrer"},
       {"permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"},
       {"cross-origin-opener-policy", "same-origin"},
       {"cross-origin-resource-policy", "same-origin"},
       {"cache-control", kRevalidate}});
}

// If-None-Match: `*`, or a list in which a tag may be marked as weak.
bool has_already(const Request& request, std::string_view etag) {
  for (const std::string& part : split(request.header("if-none-match"), ',')) {
    std::string_view tag = trim(part);
    if (tag == "*") return true;
    if (tag.starts_with("W/")) tag.remove_prefix(2);
    if (tag == etag) return true;
  }
  return false;
}

Response file_response(const Request& request, const dashboard::File& file) {
  Response response;
  response.content_type = file.media_type;
  confine(response);
  response.headers.emplace_back("etag", file.etag);
  if (has_already(request, file.etag)) {
    response.status = 304;
  } else {
    response.body = file.content;
  }
  return response;
}

// Whether the client accepts JSON and not HTML. Without an Accept header it gets the page; a
// browser always names text/html.
bool wants_json_only(const Request& request) {
  const std::string accept = ascii_lower(request.header("accept"));
  return accept.find("json") != std::string::npos && accept.find("text/html") == std::string::npos;
}

}  // namespace

Result<Response> dashboard_page(Call& call) {
  if (wants_json_only(call.request)) {
    return Error{Code::kNotFound, "ROUTE_NOT_FOUND",
                 "here is the dashboard, a page for people; the API begins at /apis"};
  }
  Response response = file_response(call.request, *dashboard::find_file(dashboard::kPage));
  response.headers.emplace_back("vary", "Accept");
  return response;
}

Result<Response> dashboard_file(Call& call) {
  const dashboard::File* file = dashboard::find_file(call.param("file"));
  if (file == nullptr)
    return Error{Code::kNotFound, "FILE_NOT_FOUND", "the dashboard has no file of this name"};
  return file_response(call.request, *file);
}

}  // namespace paddock::api
