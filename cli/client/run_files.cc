#include "cli/client/run_files.h"

#include "common/base/percent.h"
#include "common/base/text.h"
#include "common/contracts/api_paths.h"
#include "common/contracts/status.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

constexpr wire::ParseLimits kListLimits{size_t{64} << 20, 16, 200'000};

Result<http::Response> ask(http::Client& http, const http::Request& request) {
  ASSIGN_OR_RETURN(http::Response response, http.send(request));
  if (response.status / 100 == 2) return response;
  const auto body = wire::parse_json(response.body, kListLimits);
  return contracts::error_from_body(response.status, body.ok() ? *body : wire::Value());
}

Result<http::Response> ask(http::Client& http, const std::string& target) {
  http::Request request;
  request.target = target;
  return ask(http, request);
}

std::string header_of(const http::Response& response, const char* name) {
  const auto found = response.headers.find(name);
  return found == response.headers.end() ? std::string() : found->second;
}

bool is_folder(const http::Response& response) {
  return header_of(response, "content-type").starts_with("application/json");
}

Error changed() {
  return {Code::kFailedPrecondition, "FILE_CHANGED",
          "the run wrote to the file while it was copied"};
}

}  // namespace

std::string run_files_target(const std::string& name_space, const std::string& run,
                             const std::string& path) {
  std::string out = cat(contracts::paths::run(name_space, run), "/files");
  for (const std::string& part : split(path, '/'))
    if (!part.empty()) out += cat("/", percent_encode(part));
  return out;
}

Result<contracts::SessionFileList> list_run_folder(http::Client& http, const std::string& target) {
  ASSIGN_OR_RETURN(const http::Response response, ask(http, target));
  if (!is_folder(response))
    return invalid_argument("PATH_NOT_A_FOLDER", "this is a file: `paddock cp` copies it");
  ASSIGN_OR_RETURN(const wire::Value body, wire::parse_json(response.body, kListLimits));
  return wire::decode<contracts::SessionFileList>(body);
}

Status read_run_file(http::Client& http, const std::string& target,
                     const std::function<Status(std::string_view)>& take) {
  std::string version;
  for (int64_t offset = 0;;) {
    ASSIGN_OR_RETURN(const http::Response part, ask(http, cat(target, "?offset=", offset)));
    if (is_folder(part))
      return invalid_argument(
          "NOT_A_REGULAR_FILE",
          "this is a folder: `paddock files` lists it, `paddock cp -r` copies it");
    const auto size = parse_integer<int64_t>(header_of(part, "paddock-file-size"));
    const std::string now = header_of(part, "paddock-file-version");
    if (!size)
      return Error{Code::kUnavailable, "UNEXPECTED_ANSWER", "the answer does not say its size"};
    if (offset > 0 && now != version) return changed();
    version = now;
    TRY(take(part.body));
    offset += static_cast<int64_t>(part.body.size());
    if (offset >= *size) return {};
    if (part.body.empty()) return changed();
  }
}

Status put_run_file(http::Client& http, const std::string& target, std::string bytes) {
  http::Request request;
  request.method = "PUT";
  request.target = target;
  request.headers["Content-Type"] = "application/octet-stream";
  request.body = std::move(bytes);
  ASSIGN_OR_RETURN([[maybe_unused]] const http::Response done, ask(http, request));
  return {};
}

}  // namespace paddock::cli
