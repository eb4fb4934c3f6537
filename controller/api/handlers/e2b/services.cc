// filesystem.Filesystem and process.Process of E2B's tools, but for what streams.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "common/base/text.h"
#include "common/wire/json.h"
#include "controller/api/handlers/e2b/e2b.h"
#include "controller/api/handlers/e2b/inside.h"
#include "controller/api/handlers/e2b/user.h"
#include "controller/api/server/documents.h"
#include "controller/e2b/commands.h"
#include "controller/e2b/connect.h"
#include "controller/e2b/fields.h"
#include "controller/e2b/paths.h"

namespace paddock::api {
namespace {

using contracts::SessionFile;
using wire::Value;

constexpr size_t kMostMessage = 64 << 10;
constexpr int64_t kDeepest = 32;
constexpr size_t kMostFolders = 200;     // that one list looks into
constexpr size_t kMostEntries = 10'000;  // of one list: as many as one folder's
constexpr size_t kMostPathBytes = 4 << 20;

Result<std::string> path_in(const Value& request, const char* field) {
  const Value* path = request.find(field);
  if (path == nullptr || path->string() == nullptr)
    return e2b::wrong_field(field, "must be a string");
  return e2b::inner_path(*path->string(), field);
}

std::string below(std::string_view folder, std::string_view name) {
  return folder.empty() ? std::string(name) : cat(folder, "/", name);
}

Value with_entry(Value entry) { return Value::Object{{"entry", std::move(entry)}}; }

// Looks the file up in the list of its folder, so that no file is read. FILE_NOT_FOUND.
Result<SessionFile> find_file(const E2bSandbox& sandbox, std::string_view inner) {
  if (inner.empty()) {
    TRY(sandbox.get());
    return SessionFile{"", "folder", 0};
  }
  const Error missing{Code::kNotFound, "FILE_NOT_FOUND", "there is no such file or folder"};
  const auto folder = sandbox.list(e2b::folder_of(inner));
  if (!folder.ok()) return folder.error().reason == "INVALID_FIELD" ? missing : folder.error();
  const std::string name = e2b::name_of(inner);
  const auto found = std::ranges::find(folder->files, name, &SessionFile::name);
  return found == folder->files.end() ? Result<SessionFile>(missing) : *found;
}

Result<Value> info_of(const E2bSandbox& sandbox, const std::string& inner) {
  ASSIGN_OR_RETURN(const SessionFile file, find_file(sandbox, inner));
  return with_entry(inner.empty() ? e2b::folder_info(inner) : e2b::entry_info(file, inner));
}

Result<Value> stat(const E2bSandbox& sandbox, const Value& request) {
  ASSIGN_OR_RETURN(const std::string inner, path_in(request, "path"));
  return info_of(sandbox, inner);
}

Result<int64_t> depth_of(const Value& request) {
  const Value* depth = request.find("depth");
  if (depth == nullptr || depth->is_null()) return int64_t{1};
  const int64_t* number = depth->integer();
  if (number == nullptr || *number < 0 || *number > kDeepest)
    return e2b::wrong_field("depth", cat("is a number up to ", kDeepest));
  return std::max(*number, int64_t{1});
}

Result<Value> list_folder(const E2bSandbox& sandbox, const Value& request) {
  ASSIGN_OR_RETURN(const std::string top, path_in(request, "path"));
  ASSIGN_OR_RETURN(const int64_t depth, depth_of(request));
  Value entries = Value::Array{};
  size_t bytes = 0;
  std::vector<std::pair<std::string, int64_t>> open = {{top, 1}};
  for (size_t i = 0; i < open.size(); ++i) {
    if (i == kMostFolders)
      return e2b::not_served("depth", "there are more than 200 folders: list them by a command");
    const auto [folder, level] = open[i];
    ASSIGN_OR_RETURN(const auto list, sandbox.list(folder));
    for (const SessionFile& file : list.files) {
      const std::string inner = below(folder, file.name);
      if (entries.array()->size() == kMostEntries || (bytes += inner.size()) > kMostPathBytes)
        return e2b::not_served("depth",
                               "there are more than 10000 names, or their paths have more than 4 "
                               "MiB: list them by a command");
      entries.push_back(e2b::entry_info(file, inner));
      if (file.type == "folder" && level < depth) open.emplace_back(inner, level + 1);
    }
  }
  return Value(Value::Object{{"entries", std::move(entries)}});
}

Result<Value> make_folder(const E2bSandbox& sandbox, const Value& request) {
  ASSIGN_OR_RETURN(const std::string inner, path_in(request, "path"));
  const auto there = find_file(sandbox, inner);
  if (there.ok() && there->type == "folder")
    return Error{Code::kAlreadyExists, "FILE_EXISTS", "the folder is there already"};
  if (there.ok()) return e2b::wrong_field("path", "is a file and no folder");
  if (there.error().reason != "FILE_NOT_FOUND") return there.error();
  OwnRequest wanted = sandbox.file("PUT", inner);
  wanted.query = {{"folder", "true"}};
  TRY(sandbox.ask(std::move(wanted)));
  return with_entry(e2b::folder_info(inner));
}

// Removing a file that does not exist succeeds.
Result<Value> remove(const E2bSandbox& sandbox, const Value& request) {
  ASSIGN_OR_RETURN(const std::string inner, path_in(request, "path"));
  if (inner.empty()) return e2b::wrong_field("path", "the sandbox's folder goes with it: kill it");
  const auto done = sandbox.ask(sandbox.file("DELETE", inner));
  if (!done.ok() && done.error().reason != "FILE_NOT_FOUND") return done.error();
  return Value(Value::Object{});
}

// A session has no such call: it is a command of its own, by its tools.
Result<Value> move(const E2bSandbox& sandbox, const Value& request) {
  ASSIGN_OR_RETURN(const std::string from, path_in(request, "source"));
  ASSIGN_OR_RETURN(const std::string to, path_in(request, "destination"));
  if (from.empty() || to.empty())
    return e2b::wrong_field(from.empty() ? "source" : "destination", "is the sandbox's own folder");
  TRY(find_file(sandbox, from));
  const std::string folder = e2b::folder_of(to);
  const std::string make =
      folder.empty() ? std::string() : cat("mkdir -p ", e2b::quoted(cat("./", folder)), " && ");
  const std::string text =
      cat(make, "mv -T ", e2b::quoted(cat("./", from)), " ", e2b::quoted(cat("./", to)));
  OwnRequest wanted = sandbox.request("POST", {"commands"});
  wanted.headers["content-type"] = "application/json";
  wanted.body = wire::to_json(Value::Object{{"command", text}});
  ASSIGN_OR_RETURN(const Response answer, sandbox.ask(std::move(wanted)));
  ASSIGN_OR_RETURN(const Value result, wire::parse_json(answer.body));
  if (const Value* code = result.find("exitCode"); code == nullptr || !(*code == Value(0)))
    return Error{Code::kAlreadyExists, "FILE_EXISTS",
                 cat("it was not moved: ", trim(result.text("stderr")))};
  return info_of(sandbox, to);
}

Result<Value> send_signal(const E2bSandbox& sandbox, const Value& request) {
  ASSIGN_OR_RETURN(const int64_t pid, e2b::process_of(request));
  TRY(e2b::check_signal(request));
  TRY(sandbox.ask(sandbox.request("POST", {"commands", e2b::command_id(pid), "cancel"})));
  return Value(Value::Object{});
}

struct Method {
  std::string_view service;
  std::string_view name;
  Result<Value> (*run)(const E2bSandbox&, const Value&);
};
constexpr std::string_view kFiles = "filesystem.Filesystem";
constexpr std::array kMethods = {
    Method{kFiles, "Stat", stat},           Method{kFiles, "ListDir", list_folder},
    Method{kFiles, "MakeDir", make_folder}, Method{kFiles, "Remove", remove},
    Method{kFiles, "Move", move},           Method{"process.Process", "SendSignal", send_signal}};

// The path ends with the service and the method.
std::string_view called(const Call& call, size_t from_end) {
  return call.request.segments[call.request.segments.size() - from_end];
}

Error no_such_method(const Call& call) {
  return e2b::not_served(
      cat(called(call, 2), "/", called(call, 1)),
      "a command is run in the foreground, without terminal, input or a way to come back to it, "
      "and no folder is watched: commands.run with redirected files does most of that");
}

Result<Value> answer(Call& call) {
  const auto method = std::ranges::find_if(kMethods, [&](const Method& each) {
    return each.service == called(call, 2) && each.name == called(call, 1);
  });
  if (method == kMethods.end()) return no_such_method(call);
  TRY(check_e2b_user(call.request));
  ASSIGN_OR_RETURN(const E2bSandbox sandbox, E2bSandbox::in_header(call));
  ASSIGN_OR_RETURN(const std::string body, call.request.body->read(kMostMessage));
  ASSIGN_OR_RETURN(const Value request, e2b::plain_message(body));
  auto out = method->run(sandbox, request);
  if (out.ok()) return out;
  const std::string path = request.text("path");
  return e2b::of_file(out.error(), path.empty() ? request.text("source") : path);
}

}  // namespace

Result<Response> call_e2b_service(Call& call) {
  const Result<Value> out = answer(call);
  // A method that streams answers a refusal as a stream of one error.
  if (!out.ok() && call.request.header("content-type").starts_with("application/connect+json")) {
    Response response;
    response.content_type = "application/connect+json";
    response.body = e2b::end_of_stream(out.error());
    return response;
  }
  if (out.ok()) return json_response(*out);
  return json_response(e2b::error_body(out.error()), e2b::error_status(out.error()));
}

}  // namespace paddock::api
