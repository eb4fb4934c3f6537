// GET and POST /files, /health: what of a sandbox's inside is no part of the Connect protocol.
#include <optional>
#include <string>
#include <vector>

#include "common/base/text.h"
#include "common/contracts/status.h"
#include "controller/api/handlers/e2b/e2b.h"
#include "controller/api/handlers/e2b/inside.h"
#include "controller/api/handlers/e2b/user.h"
#include "controller/api/server/documents.h"
#include "controller/e2b/connect.h"
#include "controller/e2b/fields.h"
#include "controller/e2b/multipart.h"
#include "controller/e2b/paths.h"

namespace paddock::api {
namespace {

using wire::Value;

// All files of one upload together, and what a form needs beside them.
constexpr size_t kMostUpload = static_cast<size_t>(contracts::kMostRpcBytes) + (64 << 10);

// Their tools read `message`, and the status: 502 is the end of the sandbox, 507 a full one.
Result<Response> in_their_words(Result<Response> answer) {
  if (answer.ok()) return answer;
  const Error& error = answer.error();
  const int status = e2b::plain_error_status(error);
  if (status == contracts::http_status(error.code)) return answer;
  return json_response(
      Value::Object{{"code", status},
                    {"message", cat(error.message, " (", error.reason.text(), ")")}},
      status);
}

Result<std::string> path_parameter(const Call& call) {
  const auto path = call.request.parameter("path");
  if (!path || path->empty()) return e2b::wrong_field("path", "which file?");
  return e2b::inner_path(*path, "path");
}

Result<Response> read_file(Call& call) {
  TRY(check_e2b_user(call.request));
  ASSIGN_OR_RETURN(const E2bSandbox sandbox, E2bSandbox::in_header(call));
  ASSIGN_OR_RETURN(const std::string inner, path_parameter(call));
  auto answer = sandbox.ask(sandbox.file("GET", inner));
  if (!answer.ok()) return e2b::of_file(answer.error(), *call.request.parameter("path"));
  if (answer->content_type.starts_with("application/json"))
    return e2b::wrong_field("path", "is a folder: list it by files.list");
  return answer;
}

struct Upload {
  std::string inner;
  std::string_view content;
};

// `body` must outlive what is returned.
Result<std::vector<Upload>> uploads_in(const Call& call, std::string_view body) {
  const std::string type = call.request.header("content-type");
  const auto path = call.request.parameter("path");
  if (!call.request.header("content-encoding").empty())
    return e2b::not_served("Content-Encoding", "send files as they are: gzip: false");
  std::vector<Upload> out;
  if (type.starts_with("application/octet-stream")) {
    ASSIGN_OR_RETURN(std::string inner, path_parameter(call));
    out.push_back({std::move(inner), body});
    return out;
  }
  ASSIGN_OR_RETURN(const auto files, e2b::uploaded_files(type, body));
  const bool one = path && !path->empty();
  if (one && files.size() > 1)
    return e2b::wrong_field("path", "is of one file, and there are more in the body");
  for (const auto& file : files) {
    ASSIGN_OR_RETURN(std::string inner, e2b::inner_path(one ? *path : file.name, "path"));
    out.push_back({std::move(inner), file.content});
  }
  return out;
}

Result<Response> write_files(Call& call) {
  TRY(check_e2b_user(call.request));
  ASSIGN_OR_RETURN(const E2bSandbox sandbox, E2bSandbox::in_header(call));
  ASSIGN_OR_RETURN(const std::string body, call.request.body->read(kMostUpload));
  ASSIGN_OR_RETURN(const auto uploads, uploads_in(call, body));
  for (const Upload& upload : uploads) {
    if (upload.inner.empty()) return e2b::wrong_field("path", "is a folder, and no file");
  }
  Value written = Value::Array{};
  for (const Upload& upload : uploads) {
    OwnRequest wanted = sandbox.file("PUT", upload.inner);
    wanted.headers["content-type"] = "application/octet-stream";
    wanted.body = std::string(upload.content);
    TRY(sandbox.ask(std::move(wanted)));
    written.push_back(e2b::written_info(upload.inner));
  }
  return json_response(written);
}

Result<Response> check_health(Call& call) {
  ASSIGN_OR_RETURN(const E2bSandbox sandbox, E2bSandbox::in_header(call));
  TRY(sandbox.get());
  Response response;
  response.status = 204;
  return response;
}

}  // namespace

Result<Response> read_e2b_file(Call& call) { return in_their_words(read_file(call)); }

Result<Response> write_e2b_files(Call& call) { return in_their_words(write_files(call)); }

Result<Response> check_e2b_health(Call& call) { return in_their_words(check_health(call)); }

}  // namespace paddock::api
