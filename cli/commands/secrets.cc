// `paddock secret create` and `paddock secret rotate-key`.
#include <unistd.h>

#include "cli/client/name_choice.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/options/env_file.h"
#include "cli/options/option_files.h"
#include "cli/options/secret_values.h"
#include "cli/terminal/exit_codes.h"
#include "common/base/percent.h"
#include "common/os/file.h"

namespace paddock::cli {
namespace {

using contracts::Secret;
using wire::Value;
using SecretValues = std::map<std::string, std::string>;

Result<std::string> read_value(const std::string& file, const char* option) {
  constexpr size_t kMost = contracts::kMaxSecretBytes + 1;
  Result<std::string> bytes = read_file_or_stdin(file, kMost);
  // A person who types a value ends the line, and does not mean the line end as a part of it.
  if (bytes.ok() && file == "-" && isatty(STDIN_FILENO) == 1 && bytes->ends_with('\n'))
    bytes->pop_back();
  if (bytes.ok() && bytes->size() <= contracts::kMaxSecretBytes) return bytes;
  const std::string why = bytes.ok() || bytes.error().code == Code::kTooLarge
                              ? cat("a Secret holds at most ", contracts::kMaxSecretBytes, " bytes")
                              : bytes.error().message;
  return invalid_argument("SECRET_FILE_UNREADABLE", cat("`", file, "`: ", why), option);
}

Status check_stdin_once(const Parsed& parsed) {
  int wanted = 0;
  for (const std::string& text : parsed.list("from-file")) wanted += text.ends_with("=-") ? 1 : 0;
  for (const std::string& file : parsed.list("from-env-file")) wanted += file == "-" ? 1 : 0;
  if (wanted < 2) return {};
  return invalid_argument("STDIN_TWICE", "only one option can read standard input", "--from-file");
}

Result<SecretValues> values_of(const Parsed& parsed, const Env& env) {
  TRY(check_stdin_once(parsed));
  SecretValues out;
  for (const std::string& text : parsed.list("from-file")) {
    ASSIGN_OR_RETURN(const ValueFile wanted, parse_value_file(text));
    ASSIGN_OR_RETURN(std::string bytes, read_value(wanted.file, "--from-file"));
    TRY(add_value(wanted.key, std::move(bytes), "--from-file", out));
  }
  for (const std::string& file : parsed.list("from-env-file")) {
    ASSIGN_OR_RETURN(const std::string text, read_value(file, "--from-env-file"));
    ASSIGN_OR_RETURN(const Variables variables,
                     parse_env_file(text, file, env.vars, "--from-env-file"));
    for (const auto& [key, value] : variables) TRY(add_value(key, value, "--from-env-file", out));
  }
  for (const std::string& text : parsed.list("from-literal")) TRY(add_literal(text, out));
  if (!out.empty()) return out;
  return invalid_argument("USAGE",
                          "a Secret has at least one value: --from-file KEY=FILE, or KEY=- for "
                          "stdin",
                          "--from-file");
}

std::string collection(const std::string& name_space) {
  return cat("/apis/paddock.dev/v1alpha1/namespaces/", percent_encode(name_space), "/secrets");
}

Result<int> create_secret(Watcher& watcher, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const SecretValues values, values_of(parsed, env));
  ASSIGN_OR_RETURN(const std::string name, name_of(Kind::kSecret, parsed.text("NAME")));
  const std::string all = collection(parsed.text("namespace", "default"));
  const Value document =
      wire::encode(make_secret(name, parsed.text("namespace", "default"), values));
  auto made = watcher.client.send("POST", cat(all, "?fieldManager=paddock"), document,
                                  make_uuid(env.random));
  const bool there = !made.ok() && made.error().reason == "SECRET_ALREADY_EXISTS";
  if (there && parsed.has("replace")) {
    const std::string one = cat(all, "/", percent_encode(name), "?fieldManager=paddock");
    TRY(watcher.client.send("PUT", one, document));
    env.out.write(cat("secret/", printable(name), " replaced\n"));
    return kExitOk;
  }
  if (there)
    return Error{made.error().code, made.error().reason,
                 cat("there is a Secret ", name,
                     " already; --replace puts these values in place of "
                     "its own")};
  if (!made.ok()) return made.error();
  env.out.write(cat("secret/", printable(name), " created\n"));
  return kExitOk;
}

Result<int> rotate_key(Watcher& watcher, const std::string& to, const Env& env) {
  std::string target = "/admin/secret-key/rotate";
  if (!to.empty()) target += cat("?key=", percent_encode(to));
  ASSIGN_OR_RETURN(const Value answer, watcher.client.send("POST", target, Value(Value::Object{})));
  ASSIGN_OR_RETURN(const auto done, wire::decode<contracts::SecretKeyRotation>(answer));
  env.say(
      cat("the key is ", printable(done.key_id), " now; ", done.values,
          done.values == 1 ? " value was" : " values were",
          " sealed with it. Keep a copy of the controller's secrets.key, and give it to the other "
          "controllers of its database, if it has any"));
  return kExitOk;
}

}  // namespace

int secret_create_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) { return create_secret(watcher, parsed, env); });
}

int secret_rotate_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env,
               [&](Watcher& watcher) { return rotate_key(watcher, parsed.text("to"), env); });
}

}  // namespace paddock::cli
