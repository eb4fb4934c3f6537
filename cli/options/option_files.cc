#include "cli/options/option_files.h"

#include <unistd.h>

#include "cli/options/names.h"
#include "cli/terminal/interrupt.h"
#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/read_stream.h"
#include "common/receipts/envelope.h"

namespace paddock::cli {
namespace {

constexpr size_t kMostOptionBytes = size_t{1} << 20;
constexpr size_t kMostKeysBytes = size_t{1} << 20;

Result<std::string> read_named(const std::string& file, Reason reason, const char* option) {
  const ReadingFile reading;
  Result<std::string> text = read_file_or_stdin(file, kMostOptionBytes);
  if (text.ok()) return text;
  return invalid_argument(reason, cat("`", file, "`: ", text.error().message), option);
}

Status check_one_stdin(const Parsed& parsed) {
  int wanted = (parsed.text("policy") == "-" ? 1 : 0) + (parsed.text("stdin") == "-" ? 1 : 0);
  for (const std::string& file : parsed.list("env-file")) wanted += file == "-" ? 1 : 0;
  if (wanted < 2) return {};
  return invalid_argument("STDIN_TWICE", "only one option can read standard input", "--stdin");
}

}  // namespace

Result<std::string> read_file_or_stdin(const std::string& file, size_t most) {
  return file == "-" ? os::read_all(STDIN_FILENO, most) : os::read_stream(file, most);
}

Result<std::optional<std::string>> read_policy(const Parsed& parsed) {
  if (!parsed.has("policy")) return std::optional<std::string>();
  ASSIGN_OR_RETURN(std::string text,
                   read_named(parsed.text("policy"), "POLICY_UNREADABLE", "--policy"));
  return std::optional(std::move(text));
}

Result<OptionFiles> read_option_files(const Parsed& parsed) {
  TRY(check_one_stdin(parsed));
  OptionFiles files;
  ASSIGN_OR_RETURN(files.policy, read_policy(parsed));
  for (const std::string& file : parsed.list("env-file")) {
    ASSIGN_OR_RETURN(std::string text, read_named(file, "ENV_FILE_UNREADABLE", "--env-file"));
    files.variables.push_back({file, std::move(text)});
  }
  return files;
}

Result<std::string> read_named(const Parsed& parsed, const std::string& cwd, const char* name,
                               size_t most, Reason reason) {
  Result<std::string> text = os::read_stream(absolute_path(cwd, parsed.text(name)), most);
  if (text.ok()) return text;
  return invalid_argument(reason, cat("`", parsed.text(name), "`: ", text.error().describe()),
                          cat("--", name));
}

Result<std::string> read_subject(const Parsed& parsed, const std::string& cwd, size_t most,
                                 Reason reason) {
  Result<std::string> text = os::read_stream(absolute_path(cwd, parsed.text("FILE")), most);
  if (text.ok()) return text;
  return unreadable_subject(parsed, text.error(), reason);
}

Error unreadable_subject(const Parsed& parsed, const Error& cause, Reason reason) {
  const std::string file = parsed.text("FILE");
  if (cause.code == Code::kNotFound)
    return {Code::kNotFound, "FILE_NOT_FOUND", cat("there is no file `", file, "`")};
  return invalid_argument(reason, cat("`", file, "`: ", cause.describe()), "FILE");
}

Result<std::string> read_keys_file(const Parsed& parsed, const std::string& cwd,
                                   std::string_view why) {
  if (!parsed.has("keys"))
    return invalid_argument("USAGE",
                            cat("--keys FILE is needed", why,
                                ": the controller's public keys, as `paddock receipt-keys` prints "
                                "them"),
                            "--keys");
  return read_named(parsed, cwd, "keys", kMostKeysBytes, "SIGNING_KEY_INVALID");
}

Result<std::vector<std::string>> read_keys(const Parsed& parsed, const std::string& cwd,
                                           std::string_view why) {
  ASSIGN_OR_RETURN(const std::string text, read_keys_file(parsed, cwd, why));
  return receipts::public_keys_in(text);
}

}  // namespace paddock::cli
