// `paddock sandbox files`: what a session holds, in and out.
#include <unistd.h>

#include "cli/client/name_choice.h"
#include "cli/client/other_kind.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/options/names.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/safe_output.h"
#include "cli/terminal/table.h"
#include "common/base/percent.h"
#include "common/contracts/api_paths.h"
#include "common/contracts/session_calls.h"
#include "common/contracts/status.h"
#include "common/os/file.h"
#include "common/os/read_stream.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

namespace paths = contracts::paths;

constexpr size_t kMostFileBytes = size_t{8} << 20;  // of one request
constexpr wire::ParseLimits kFileLimits{size_t{64} << 20, 16, 200'000};

Result<std::string> target_of(const Parsed& parsed) {
  ASSIGN_OR_RETURN(const std::string name, name_of(Kind::kSandbox, parsed.text("NAME")));
  std::string out =
      cat(paths::object(parsed.text("namespace", "default"), "sandboxes", name), "/files");
  for (const std::string& part : split(parsed.text("PATH"), '/'))
    if (!part.empty()) out += cat("/", percent_encode(part));
  return out;
}

Result<http::Response> ask(Watcher& watcher, const http::Request& request) {
  ASSIGN_OR_RETURN(http::Response response, watcher.http.send(request));
  if (response.status / 100 == 2) return response;
  const auto body = wire::parse_json(response.body, kFileLimits);
  return contracts::error_from_body(response.status, body.ok() ? *body : wire::Value());
}

Result<std::string> content_of(const Parsed& parsed, const Env& env) {
  const ReadingFile reading;
  const std::string file = parsed.text("put");
  if (file == "-") return os::read_all(STDIN_FILENO, kMostFileBytes);
  const std::string path = absolute_path(env.cwd, file);
  if (os::list_dir(path).ok())
    return invalid_argument("NOT_A_REGULAR_FILE",
                            cat("`", file,
                                "` is a folder; --put takes one file, such as "
                                "`tar -cf - ",
                                file, " | paddock sandbox files NAME all.tar --put -`"),
                            "--put");
  return os::read_stream(path, kMostFileBytes);
}

Status change(Watcher& watcher, const Parsed& parsed, const Env& env) {
  http::Request request;
  ASSIGN_OR_RETURN(request.target, target_of(parsed));
  if (parsed.has("rm")) {
    request.method = "DELETE";
  } else {
    request.method = "PUT";
    request.headers["Content-Type"] = "application/octet-stream";
    if (parsed.has("mkdir")) {
      request.target += "?folder=true";
    } else {
      ASSIGN_OR_RETURN(request.body, content_of(parsed, env));
    }
  }
  ASSIGN_OR_RETURN([[maybe_unused]] const http::Response done, ask(watcher, request));
  env.say(cat(parsed.text("PATH"), parsed.has("rm") ? " removed" : " written"));
  return {};
}

void print_folder(const contracts::SessionFileList& folder, const Env& env) {
  Table table{{"NAME", "TYPE", "SIZE"}, {}};
  for (const contracts::SessionFile& each : folder.files)
    table.rows.push_back(
        {printable(each.name), each.type, each.type == "file" ? format_bytes(each.size) : ""});
  if (table.rows.empty()) return env.say("nothing is there");
  env.out.write(render(table));
}

Status show(Watcher& watcher, const Parsed& parsed, const Env& env) {
  http::Request request;
  ASSIGN_OR_RETURN(request.target, target_of(parsed));
  ASSIGN_OR_RETURN(const http::Response response, ask(watcher, request));
  const auto type = response.headers.find("content-type");
  if (type == response.headers.end() || !type->second.starts_with("application/json")) {
    env.out.write(env.out.tty ? terminal_safe(response.body) : response.body);
    return {};
  }
  ASSIGN_OR_RETURN(const wire::Value body, wire::parse_json(response.body, kFileLimits));
  ASSIGN_OR_RETURN(const auto folder, wire::decode<contracts::SessionFileList>(body));
  print_folder(folder, env);
  return {};
}

}  // namespace

int sandbox_files_command(const Parsed& parsed, Env& env) {
  const int changes = int{parsed.has("put")} + int{parsed.has("mkdir")} + int{parsed.has("rm")};
  if (changes > 1 || (changes == 1 && parsed.text("PATH").empty())) {
    return fail(env,
                invalid_argument("USAGE", "--put, --mkdir and --rm take a PATH, and one of them"));
  }
  return watch(parsed, env, [&](Watcher& watcher) -> Result<int> {
    ASSIGN_OR_RETURN(const std::string name, name_of(Kind::kSandbox, parsed.text("NAME")));
    TRY(or_other_kind(watcher.client, parsed, name,
                      changes == 1 ? change(watcher, parsed, env) : show(watcher, parsed, env)));
    return kExitOk;
  });
}

}  // namespace paddock::cli
