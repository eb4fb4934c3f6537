// Sandbox sessions: a folder that commands share, each in a sandbox of its own.
#include "common/base/percent.h"
#include "common/base/random.h"
#include "common/base/text.h"
#include "common/contracts/api_paths.h"
#include "common/contracts/sandbox.h"
#include "common/contracts/session_calls.h"
#include "common/mcp/answer_room.h"
#include "common/mcp/argument_names.h"
#include "common/mcp/command_time.h"
#include "common/mcp/faults.h"
#include "common/mcp/schema_words.h"
#include "common/mcp/tool_rows.h"

namespace paddock::mcp {
namespace {

using contracts::Sandbox;
using wire::Value;
namespace paths = contracts::paths;

constexpr int64_t kUsualCommandSeconds = 45;
constexpr int64_t kMostCommandSeconds = 600;
constexpr size_t kReadAtOnce = size_t{64} << 10;
constexpr size_t kMostNames = 500;
constexpr size_t kPathRoom = size_t{8} << 10;

std::string sessions(const Place& place) {
  return paths::collection(place.name_space, "sandboxes");
}

Result<std::string> session_of(const Place& place, const Arguments& given) {
  ASSIGN_OR_RETURN(const std::string name, given.name("sandbox"));
  return cat(sessions(place), "/", name);
}

Value session_brief(const Value& session) {
  Value out = Value::Object{{"sandbox", session.text("metadata.name")},
                            {"phase", session.text("status.phase")}};
  const auto tell = [&](const char* name, const std::string& value) {
    if (!value.empty()) out.set(name, clipped(value, 600));
  };
  tell("node", session.text("status.nodeName"));
  tell("reason", session.text("status.reason"));
  tell("createdAt", session.text("metadata.creationTimestamp"));
  tell("expiresAt", session.text("status.expiresAt"));
  return out;
}

// A number of bytes as people write it, for a limit of the session.
void set_bytes_limit(const Arguments& given, const char* argument, const char* limit,
                     Value& limits) {
  const auto bytes = parse_quantity(given.text(argument));
  if (bytes.ok()) limits.set(limit, *bytes);
}

Value session_spec_of(const Arguments& given) {
  Value limits = Value::Object{
      {"timeoutMs", given.integer("commandTimeoutSeconds", kUsualCommandSeconds) * 1000}};
  set_bytes_limit(given, "memory", "memoryBytes", limits);
  set_bytes_limit(given, "disk", "fsBytes", limits);
  Value security = Value::Object{{"limits", std::move(limits)}};
  if (const Value* tools = given.find("tools")) security.set("toolAllowlist", *tools);
  if (const Value* domains = given.find("allowDomains"))
    security.set("network", Value::Object{{"enabled", true}, {"allowDomains", *domains}});
  Value spec = Value::Object{{"security", std::move(security)}};
  if (const auto minutes = given.integer("idleMinutes"))
    spec.set("idleTimeout", cat(*minutes, "m"));
  return spec;
}

Result<Value> create_sandbox(const Place& place, const Arguments& given) {
  ASSIGN_OR_RETURN(const std::string name, given.name("name", true));
  ASSIGN_OR_RETURN(const std::string key, idempotency_key(given));
  const Value body = Value::Object{{"apiVersion", contracts::kApiVersion},
                                   {"kind", Sandbox::kKind},
                                   {"metadata", metadata_of(name, "sandbox-")},
                                   {"spec", session_spec_of(given)}};
  const Result<Value> made = place.api.send({"POST", sessions(place), body, key});
  if (!made) return as_arguments(made.error(), given);
  return session_brief(*made);
}

struct CommandAsked {
  std::string target;
  Value body;
  std::optional<Millis> time = {};  // that its caller gives it, where the API takes none
};

Result<CommandAsked> command_in_run(const Place& place, const Arguments& given) {
  ASSIGN_OR_RETURN(const std::string run, given.name("run"));
  const int64_t seconds = given.integer("timeoutSeconds", kUsualCommandSeconds);
  Value::Array words = {"sh", "-c", given.text("command")};
  Value body = Value::Object{{"command", std::move(words)}, {"timeoutMs", seconds * 1000}};
  if (const std::string input = given.text("stdin"); !input.empty())
    body.set("stdin", base64(input));
  return CommandAsked{cat(paths::run(place.name_space, run), "/commands"), std::move(body)};
}

Result<CommandAsked> command_in_session(const Place& place, const Arguments& given) {
  ASSIGN_OR_RETURN(const std::string session, session_of(place, given));
  if (given.find("stdin") != nullptr)
    return bad_argument("stdin is for a run; of a sandbox, sandbox_write a file and `< file`",
                        "stdin");
  CommandAsked out{session + "/commands", Value::Object{{"command", given.text("command")}}};
  if (const auto seconds = given.integer("timeoutSeconds")) {
    SystemRandom random;
    out.body.set("commandId", make_uuid(random));  // to cancel it by
    out.time = Millis(*seconds * 1000);
  }
  return out;
}

Result<CommandAsked> command_asked(const Place& place, const Arguments& given) {
  const bool in_run = given.find("run") != nullptr;
  if (in_run == (given.find("sandbox") != nullptr))
    return bad_argument("name a sandbox, or a run that runs, and not both",
                        in_run ? "run" : "sandbox");
  return in_run ? command_in_run(place, given) : command_in_session(place, given);
}

Result<Value> exec_in_sandbox(const Place& place, const Arguments& given) {
  ASSIGN_OR_RETURN(const CommandAsked asked, command_asked(place, given));
  const Api::Ask ask{"POST", asked.target, asked.body, "", Millis(0)};
  ASSIGN_OR_RETURN(const Value result,
                   asked.time ? run_within(place.api, ask, *asked.time) : place.api.send(ask));
  Value answer = Value::Object{{"exitCode", *result.find("exitCode")}};
  set_output(answer, result.text("stdout"), result.text("stderr"));
  if (result.find("truncated") != nullptr && !result.find("truncated")->is_null())
    answer.set("truncated", true);
  for (const char* name : {"errorClass", "code", "reason"})
    if (const std::string said = result.text(name); !said.empty())
      answer.set(name, clipped(said, 600));
  if (Value denials = denials_of(result.find("denials")); !denials.array()->empty())
    answer.set("denials", std::move(denials));
  mark_untrusted(answer, {"stdout", "stderr", "denials"});
  return answer;
}

// A folder may have become a file a moment ago, whose content a program wrote. So an answer that is
// no list of files is not used.
Result<contracts::SessionFileList> folder_of(const Place& place, const std::string& target) {
  ASSIGN_OR_RETURN(const Value said, place.api.send({.target = target}));
  auto list = wire::decode<contracts::SessionFileList>(said);
  if (list.ok()) return list;
  return Error{Code::kFailedPrecondition, "FILE_CHANGED",
               "the folder was changed while it was read; read it again"};
}

Value folder_part(const std::vector<contracts::SessionFile>& files, const std::string& path,
                  int64_t offset) {
  ListPart part(kTextRoom, kMostNames);
  size_t at = std::min(static_cast<size_t>(offset), files.size());
  for (; at < files.size(); ++at) {
    const contracts::SessionFile& file = files[at];
    Value entry = Value::Object{{"name", file.name}, {"type", file.type}};
    if (file.type == "file") entry.set("size", file.size);
    if (!part.add(std::move(entry))) break;
  }
  Value answer = Value::Object{{"path", path}, {"entries", part.take()}};
  if (at < files.size()) answer.set("next", at);
  mark_untrusted(answer, {"entries"});
  return answer;
}

Result<Value> read_sandbox(const Place& place, const Arguments& given) {
  ASSIGN_OR_RETURN(const std::string session, session_of(place, given));
  ASSIGN_OR_RETURN(const std::string path, inner_path("path", given.text("path")));
  const int64_t offset = given.integer("offset", 0);
  const std::string target =
      path.empty() ? session + "/files" : cat(session, "/files/", percent_encode_path(path));
  ASSIGN_OR_RETURN(const Api::Part bytes, place.api.read(target, offset, kReadAtOnce));
  if (bytes.json) {
    ASSIGN_OR_RETURN(const contracts::SessionFileList list, folder_of(place, target));
    return folder_part(list.files, path, offset);
  }
  Value answer = Value::Object{{"path", clipped(path, kPathRoom)}};
  set_bytes(answer, bytes.bytes, offset, bytes.more);
  mark_untrusted(answer, {"text", "base64"});
  return answer;
}

Result<Value> write_sandbox(const Place& place, const Arguments& given) {
  ASSIGN_OR_RETURN(const std::string session, session_of(place, given));
  ASSIGN_OR_RETURN(const std::string path, inner_path("path", given.text("path")));
  if (path.empty()) return bad_argument("path names a file below /workspace", "path");
  ASSIGN_OR_RETURN(const std::string bytes, content_of(given, ""));
  ASSIGN_OR_RETURN(const Value done,
                   place.api.put(cat(session, "/files/", percent_encode_path(path)), bytes));
  return Value(Value::Object{{"path", path}, {"size", bytes.size()}});
}

Result<Value> list_sandboxes(const Place& place, const Arguments& given) {
  std::string target = sessions(place) + "?order=newest";
  if (const std::string phase = given.text("phase"); !phase.empty())
    target += cat("&fieldSelector=status.phase%3D", phase);
  ASSIGN_OR_RETURN(const Value page, list_page(place, target, given));
  Value::Array out;
  for (const Value& session : *page.find("items")->array()) out.push_back(session_brief(session));
  Value answer = Value::Object{{"sandboxes", std::move(out)}};
  set_cursor(answer, page);
  return answer;
}

Result<Value> destroy_sandbox(const Place& place, const Arguments& given) {
  ASSIGN_OR_RETURN(const std::string session, session_of(place, given));
  ASSIGN_OR_RETURN(const Value done, place.api.send({"DELETE", session}));
  return Value(Value::Object{{"sandbox", given.text("sandbox")}, {"destroyed", true}});
}

Value session_name() { return text("as sandbox_create answered"); }

Properties session_properties() {
  return {{"sandbox", text("its name")},
          {"phase", text("Pending, Ready or Ended; commands can be run in a Pending one too")},
          {"node", text("where it lives")},
          {"reason", text("why it ended")},
          {"createdAt", text("when")},
          {"expiresAt", text("the end of its lifetime")}};
}

Tool sandbox_create_tool() {
  return {"sandbox_create", "Create a sandbox",
          "Creates a sandbox session: a folder, /workspace, in which sandbox_exec runs commands. "
          "No network unless domains are named. Ends after 15 idle minutes.",
          object({{"name", text("made up unless given")},
                  {"commandTimeoutSeconds",
                   number("for each command; 45 unless given. Many hosts give up after 60", 1,
                          kMostCommandSeconds)},
                  {"memory", text("for each command, such as 512Mi; 256Mi unless given")},
                  {"disk", text("for all its files, such as 1Gi; 256Mi unless given")},
                  {"tools", texts("the only programs that may run, such as [\"node\", \"git\"]; "
                                  "core tools and python3 unless given")},
                  {"allowDomains", texts("names that it may reach, where the operator allows any")},
                  {"idleMinutes", number("ends after so long unused", 1, int64_t{24} * 60)},
                  {"idempotencyKey", text("the same key creates the same one once")}}),
          object(session_properties(), {"sandbox", "phase"})};
}

Tool sandbox_exec_tool() {
  return {"sandbox_exec",
          "Run a command in a sandbox",
          "Runs a shell command in a sandbox's /workspace, or in that of a run while it runs, and "
          "waits for its end. Files stay; processes, variables and cd do not. Long output loses "
          "its middle: write it to a file and read that.",
          object({{"sandbox", text("as sandbox_create answered; or else name a run")},
                  {"run", text("one that runs, as run_start answered")},
                  {"command", text("for the shell, such as python3 a.py 2>&1 | tail")},
                  {"stdin", text("all that a command in a run reads as its standard input")},
                  {"timeoutSeconds",
                   number("for this command; in a run 45 unless given, in a sandbox its "
                          "commandTimeoutSeconds at most",
                          1, kMostCommandSeconds)}},
                 {"command"}),
          object({{"exitCode", number("as a shell shows it")},
                  {"stdout", text("what it printed")},
                  {"stderr", text("what it printed there")},
                  {"truncated", flag("the middle is missing")},
                  {"errorClass", text("TIMEOUT, CANCELLED, CAPABILITY_DENIED or LIMIT_EXCEEDED")},
                  {"code", text("such as E_LIMIT_MEMORY")},
                  {"reason", text("a sentence")},
                  {"denials", denials_schema()},
                  {"untrusted", untrusted()}},
                 {"exitCode", "stdout", "stderr", "truncated"}),
          false,
          true};
}

Tool sandbox_read_tool() {
  return {"sandbox_read",
          "Read a file of a sandbox",
          "Reads a file of a sandbox in parts, or lists a folder.",
          object({{"sandbox", session_name()},
                  {"path", text("below /workspace; that folder unless given")},
                  {"offset", number("`next` of the part before", 0, int64_t{1} << 40)}},
                 {"sandbox"}),
          object({{"path", text("below /workspace")},
                  {"text", text("a part of the file")},
                  {"base64", text("a part of a file that is no text")},
                  {"entries", list_of(object({{"name", text("of it")},
                                              {"type", text("file, folder, link or other")},
                                              {"size", number("bytes")}}),
                                      "of a folder")},
                  {"next", number("offset of what follows, if anything does")},
                  {"untrusted", untrusted()}},
                 {"path"}),
          true};
}

Tool sandbox_write_tool() {
  return {"sandbox_write",
          "Write a file of a sandbox",
          "Writes a file of a sandbox, over an older one, and makes its folders.",
          object({{"sandbox", session_name()},
                  {"path", text("below /workspace, such as src/a.py")},
                  {"text", text("its content")},
                  {"base64", text("its content, if that is no text")}},
                 {"sandbox", "path"}),
          object({{"path", text("below /workspace")}, {"size", number("bytes")}}, {"path", "size"}),
          false,
          true};
}

Tool sandbox_list_tool() {
  return {"sandbox_list",
          "List sandboxes",
          "Sandboxes of this namespace, the newest first.",
          object({{"phase", one_of(words_of<contracts::SandboxPhase>(), "only those")},
                  {"limit", number("20 unless given", 1, kMostListed)},
                  {"cursor", cursor()}}),
          object({{"sandboxes", list_of(object(session_properties()), "the newest first")},
                  {"next", text("cursor of the next page, if there is one")}},
                 {"sandboxes"}),
          true};
}

Tool sandbox_destroy_tool() {
  return {"sandbox_destroy",
          "Destroy a sandbox",
          "Ends a sandbox and removes its files.",
          object({{"sandbox", session_name()}}, {"sandbox"}),
          object({{"sandbox", text("its name")}, {"destroyed", flag("it is gone")}},
                 {"sandbox", "destroyed"}),
          false,
          true};
}

}  // namespace

std::vector<ToolRow> sandbox_tools() {
  return {{sandbox_create_tool(), create_sandbox}, {sandbox_exec_tool(), exec_in_sandbox},
          {sandbox_write_tool(), write_sandbox},   {sandbox_read_tool(), read_sandbox},
          {sandbox_list_tool(), list_sandboxes},   {sandbox_destroy_tool(), destroy_sandbox}};
}

}  // namespace paddock::mcp
