// `paddock receipt`, `paddock receipt-keys` and `paddock verify`.
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/options/names.h"
#include "cli/options/option_files.h"
#include "cli/output/receipt_text.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"
#include "common/base/percent.h"
#include "common/contracts/api_paths.h"
#include "common/crypto/digest.h"
#include "common/os/file.h"
#include "common/receipts/envelope.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

using contracts::ReceiptEnvelope;
using contracts::ReceiptKey;
using contracts::ReceiptKeyList;
using wire::Value;

constexpr size_t kMostReceiptBytes = size_t{8} << 20;
constexpr std::string_view kArtifacts = "artifacts/";
constexpr std::string_view kFormer = " signed before\n";  // behind a key's name, in a file of keys

Result<int> fetch_receipt(Watcher& watcher, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const RunRef ref, run_ref(parsed));
  ASSIGN_OR_RETURN(
      const Value answer,
      watcher.client.get(cat(contracts::paths::run(ref.name_space, ref.name), "/receipt")));
  env.out.write(cat(wire::to_json(answer), "\n"));
  return kExitOk;
}

Result<int> show_keys(Watcher& watcher, const Parsed& parsed, const Env& env) {
  const std::string to = parsed.text("to");
  if (!to.empty() && !parsed.has("rotate"))
    return invalid_argument("USAGE", "it names the key for --rotate, which is not there", "--to");
  std::string target = "/admin/receipt-key/rotate";
  if (!to.empty()) target += cat("?key=", percent_encode(to));
  const Result<Value> answer = parsed.has("rotate")
                                   ? watcher.client.send("POST", target, Value(Value::Object{}))
                                   : watcher.client.get("/receipt-keys");
  if (!answer.ok()) return answer.error();
  ASSIGN_OR_RETURN(const auto keys, wire::decode<ReceiptKeyList>(*answer));
  for (const ReceiptKey& key : keys.items)
    env.out.write(printable_lines(
        cat("# ", key.key_id, key.current ? " signs now\n" : kFormer, key.public_key)));
  return kExitOk;
}

Result<Value> parse_receipt(std::string_view text) {
  const Result<Value> parsed = wire::parse_json(text);
  if (!parsed.ok())
    return invalid_argument("RECEIPT_MALFORMED", "the file is no receipt: it is not JSON");
  return *parsed;
}

// The signed statement, once its signature was verified. `signer`: the key that signed.
Result<Value> verified_statement(const Parsed& parsed, const Env& env, std::string& signer) {
  ASSIGN_OR_RETURN(const std::string file, read_keys_file(parsed, env.cwd));
  ASSIGN_OR_RETURN(const auto keys, receipts::public_keys_in(file));
  ASSIGN_OR_RETURN(const std::string text,
                   read_subject(parsed, env.cwd, kMostReceiptBytes, "RECEIPT_MALFORMED"));
  ASSIGN_OR_RETURN(const Value document, parse_receipt(text));
  const auto envelope = wire::decode<ReceiptEnvelope>(document);
  if (!envelope.ok())
    return invalid_argument("RECEIPT_MALFORMED",
                            cat("the file is no receipt: ", envelope.error().message));
  ASSIGN_OR_RETURN(const receipts::OpenedReceipt opened, receipts::open_receipt(*envelope, keys));
  const bool former =
      cat("\n", file).find(cat("\n# ", opened.key_id, kFormer)) != std::string::npos;
  signer = cat(opened.key_id, former ? " (a former key)" : "");
  return parse_receipt(opened.statement);
}

// Hashes a file beneath the folder. It follows no link out of it.
Result<std::string> digest_beneath(int folder, const std::string& path) {
  ASSIGN_OR_RETURN(const os::Fd file, os::open_regular_beneath(folder, path));
  return crypto::sha256_fd(file.get());
}

// The artifacts that the receipt names are in this folder, byte for byte.
Result<size_t> check_artifacts(const std::vector<ReceiptSubject>& subjects,
                               const std::string& path) {
  const Result<os::Fd> folder = os::open_root(path);
  if (!folder.ok())
    return invalid_argument(
        "ROOT_NOT_FOUND",
        cat("`", path, "` is no folder that can be read: ", folder.error().message), "--artifacts");
  size_t same = 0;
  for (const ReceiptSubject& each : subjects) {
    if (!each.name.starts_with(kArtifacts)) continue;
    const std::string file = each.name.substr(kArtifacts.size());
    const Result<std::string> digest = digest_beneath(folder->get(), file);
    if (!digest.ok() || *digest != each.sha256)
      return Error{Code::kFailedPrecondition, "ARTIFACT_DIFFERS",
                   cat("`", file,
                       digest.ok() ? "` is not the file that the receipt names"
                                   : "` is named by the receipt and is not there")};
    ++same;
  }
  return same;
}

Status verify(const Parsed& parsed, const Env& env) {
  std::string signer;
  ASSIGN_OR_RETURN(const Value statement, verified_statement(parsed, env, signer));
  ASSIGN_OR_RETURN(const auto subjects, receipt_subjects(statement));
  std::string text = cat("signed by ", signer, "\n", receipt_text(statement));
  if (parsed.has("artifacts")) {
    ASSIGN_OR_RETURN(const size_t same,
                     check_artifacts(subjects, absolute_path(env.cwd, parsed.text("artifacts"))));
    text += cat("artifacts ", same, " here, and each is the one that was signed\n");
  }
  env.out.write(text);
  return {};
}

}  // namespace

int receipt_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) { return fetch_receipt(watcher, parsed, env); });
}

int receipt_keys_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) { return show_keys(watcher, parsed, env); });
}

int verify_command(const Parsed& parsed, Env& env) {
  const Status verified = verify(parsed, env);
  return verified.ok() ? kExitOk : fail(env, verified.error());
}

}  // namespace paddock::cli
