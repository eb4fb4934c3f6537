#include "controller/e2b/commands.h"

#include <algorithm>
#include <initializer_list>

#include "common/base/text.h"
#include "common/wire/json.h"
#include "controller/e2b/connect.h"
#include "controller/e2b/fields.h"
#include "controller/e2b/paths.h"

namespace paddock::e2b {
namespace {

using wire::Value;

constexpr int64_t kMostPid = 0xffffffff;
constexpr std::string_view kCommand = "process-";
constexpr size_t kMostDenials = 5;

bool says_nothing(const Value* value) {
  if (value == nullptr || value->is_null()) return true;
  if (const bool* flag = value->boolean()) return !*flag;
  return value->string() != nullptr && value->string()->empty();
}

Status check_members(const Value& object, std::string_view where,
                     std::initializer_list<std::string_view> known) {
  for (const auto& [name, value] : *object.object()) {
    if (std::ranges::find(known, name) == known.end() && !says_nothing(&value))
      return not_served(cat(where, name), "this sandbox has nothing like it: leave it out");
  }
  return {};
}

Status check_asked(const Value& request) {
  if (const Value* pty = request.find("pty"); pty != nullptr && !pty->is_null())
    return not_served("pty", "there is no terminal: use commands.run");
  if (!says_nothing(request.find("stdin")))
    return not_served("stdin",
                      "a command has no standard input: write a file and read it with `< file`");
  if (!says_nothing(request.find("tag")))
    return not_served("tag", "a command is known by its pid alone");
  return check_members(request, "", {"process", "pty", "stdin", "tag"});
}

Result<std::string> text_of(const Value* value, std::string_view field) {
  if (value == nullptr || value->is_null()) return std::string();
  if (value->string() == nullptr) return wrong_field(field, "must be a string");
  if (value->string()->find('\0') != std::string::npos)
    return wrong_field(field, "must not have a NUL");
  return *value->string();
}

bool is_variable(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && letter(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

Result<std::string> exports_of(const Value* envs) {
  std::string out;
  if (envs == nullptr || envs->is_null()) return out;
  if (envs->object() == nullptr) return wrong_field("process.envs", "must be an object of strings");
  for (const auto& [name, value] : *envs->object()) {
    if (!is_variable(name))
      return wrong_field("process.envs",
                         "a variable's name is letters, digits and _, no digit first");
    const std::string field = cat("process.envs.", name);
    if (value.string() == nullptr) return wrong_field(field, "must be a string");
    ASSIGN_OR_RETURN(const std::string text, text_of(&value, field));
    out += cat("export ", name, "=", quoted(text), " && ");
  }
  return out;
}

Result<std::string> change_of_folder(const Value& process) {
  ASSIGN_OR_RETURN(const std::string cwd, text_of(process.find("cwd"), "process.cwd"));
  ASSIGN_OR_RETURN(const std::string inner, inner_path(cwd, "process.cwd"));
  if (inner.empty()) return std::string();
  // Behind ./ no name is taken for an option. What is said of one that is not there has the
  // caller's own path.
  return cat("cd ", quoted(cat("./", inner)), " 2>/dev/null || { printf '%s\\n' ",
             quoted(cat("cwd: ", cwd, " is no folder of this sandbox")), " >&2; exit 1; }; ");
}

Result<std::string> words_of(const Value& process) {
  ASSIGN_OR_RETURN(std::string program, text_of(process.find("cmd"), "process.cmd"));
  if (program.empty()) return wrong_field("process.cmd", "which program?");
  if (program == "/bin/bash") program = "bash";  // by its name it is one of a session's tools
  std::string out = quoted(program);
  const Value* args = process.find("args");
  if (args == nullptr || args->is_null()) return out;
  if (args->array() == nullptr) return wrong_field("process.args", "must be an array of strings");
  for (size_t i = 0; i < args->array()->size(); ++i) {
    const std::string field = cat("process.args[", i, "]");
    const Value& word = (*args->array())[i];
    if (word.string() == nullptr) return wrong_field(field, "must be a string");
    ASSIGN_OR_RETURN(const std::string text, text_of(&word, field));
    out += cat(" ", quoted(text));
  }
  return out;
}

std::string event(std::string_view name, Value value) {
  return envelope(Value::Object{{"event", Value::Object{{std::string(name), std::move(value)}}}});
}

int64_t number(const Value& object, std::string_view name) {
  const Value* found = object.find(name);
  return found != nullptr && found->integer() != nullptr ? *found->integer() : 0;
}

bool flag(const Value& object, std::string_view path) {
  const Value* found = object.at(path);
  return found != nullptr && found->boolean() != nullptr && *found->boolean();
}

// `denied: exec on /usr/bin/whoami (tools); remedy: …`
std::string told(const Value& denial) {
  std::string out = cat("denied: ", denial.text("what"));
  if (const std::string target = denial.text("target"); !target.empty()) out += cat(" on ", target);
  if (const int64_t times = number(denial, "count"); times > 1) out += cat(", ", times, " times");
  out += cat(" (", denial.text("rule"), ")");
  const std::string remedy = denial.text("remedy");
  return remedy.empty() ? out : cat(out, ": ", remedy);
}

// The first of them, and how many more there are.
std::vector<std::string> denials_in(const Value& result) {
  std::vector<std::string> out;
  const Value* denials = result.find("denials");
  if (denials == nullptr || denials->array() == nullptr) return out;
  for (const Value& denial : *denials->array()) {
    if (out.size() < kMostDenials) out.push_back(told(denial));
  }
  if (const size_t all = denials->array()->size(); all > out.size())
    out.push_back(cat("and ", all - out.size(), " more denials"));
  return out;
}

// What the caller would not know by the exit code: what was cut, denied or over a limit.
std::string remark_on(const Value& result) {
  const std::string code = result.text("code");
  std::string why = result.text("reason");
  if (why.empty() && !code.empty()) why = trim(result.text("stderr"));
  std::vector<std::string> parts;
  if (!why.empty() || !code.empty())
    parts.push_back(why.empty() ? code : code.empty() ? why : cat(why, " (", code, ")"));
  for (const char* stream : {"stdout", "stderr"}) {
    if (flag(result, cat("truncated.", stream)))
      parts.push_back(cat(stream, " was cut: write it to a file instead"));
  }
  for (std::string& denial : denials_in(result)) parts.push_back(std::move(denial));
  return join(parts, "; ");
}

}  // namespace

std::string quoted(std::string_view word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

Result<std::string> command_text(const Value& request) {
  TRY(check_asked(request));
  const Value* process = request.find("process");
  if (process == nullptr || process->object() == nullptr)
    return wrong_field("process", "must be an object: what is started");
  TRY(check_members(*process, "process.", {"cmd", "args", "envs", "cwd"}));
  ASSIGN_OR_RETURN(const std::string folder, change_of_folder(*process));
  ASSIGN_OR_RETURN(const std::string exports, exports_of(process->find("envs")));
  ASSIGN_OR_RETURN(const std::string words, words_of(*process));
  return cat(folder, exports, "exec ", words);
}

std::string command_id(int64_t pid) { return cat(kCommand, pid); }

Result<int64_t> process_of(const Value& request) {
  const Value* pid = request.at("process.pid");
  const int64_t* number = pid == nullptr ? nullptr : pid->integer();
  if (number == nullptr || *number < 0 || *number > kMostPid)
    return wrong_field("process.pid", "a process is known by its pid");
  return *number;
}

Status check_signal(const Value& request) {
  const Value* signal = request.find("signal");
  const bool ends = signal != nullptr &&
                    (*signal == Value("SIGNAL_SIGKILL") || *signal == Value("SIGNAL_SIGTERM") ||
                     *signal == Value(9) || *signal == Value(15));
  if (ends) return {};
  return not_served("signal", "SIGKILL and SIGTERM end a command: there is no other");
}

std::string start_event(int64_t pid) { return event("start", Value::Object{{"pid", pid}}); }

std::string output_event(std::string_view stream, std::string_view base64) {
  return event("data", Value::Object{{std::string(stream), base64}});
}

std::string keepalive_event() { return event("keepalive", Value::Object{}); }

std::string end_events(const Value& result) {
  if (result.text("errorClass") == "TIMEOUT")
    return end_of_stream(Error{Code::kDeadlineExceeded, "COMMAND_TIMEOUT",
                               "the command took as long as this template lets one take"});
  const int64_t code = number(result, "exitCode");
  const bool canceled = result.text("errorClass") == "CANCELLED";
  Value end = Value::Object{
      {"exitCode", code},
      {"exited", !canceled},
      {"status", canceled ? std::string("signal: killed") : cat("exit status ", code)}};
  if (std::string remark = remark_on(result); !remark.empty()) end.set("error", std::move(remark));
  return event("end", std::move(end)) + end_of_stream();
}

void EventReader::read(std::string_view bytes, const Take& take) {
  constexpr std::string_view kName = "event: ";
  constexpr std::string_view kData = "\ndata: ";
  rest_ += bytes;
  size_t begin = 0;
  for (size_t end = 0; (end = rest_.find("\n\n", begin)) != std::string::npos; begin = end + 2) {
    const std::string_view whole = std::string_view(rest_).substr(begin, end - begin);
    const size_t data = whole.find(kData);
    if (!whole.starts_with(kName) || data == std::string_view::npos) continue;
    const auto document = wire::parse_json(whole.substr(data + kData.size()));
    if (document.ok()) take(whole.substr(kName.size(), data - kName.size()), *document);
  }
  rest_.erase(0, begin);
}

}  // namespace paddock::e2b
