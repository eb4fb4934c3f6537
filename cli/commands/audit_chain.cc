// `paddock audit verify`, `audit export` and `audit checkpoint`: whether the audit log is what was
// written, by a controller's answers or by a file alone.
#include <fcntl.h>

#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/commands/line_reader.h"
#include "cli/options/names.h"
#include "cli/options/option_files.h"
#include "cli/output/audit_verdict.h"
#include "cli/terminal/error_text.h"
#include "cli/terminal/exit_codes.h"
#include "common/audit_chain/export_lines.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

using audit_chain::ChainedRecord;
using audit_chain::ChainPlace;
using audit_chain::Checkpoint;
using audit_chain::Verifier;
using contracts::AuditChainPage;
using wire::Value;
using Keys = std::vector<std::string>;

constexpr size_t kMostCheckpointBytes = 1 << 20;
constexpr size_t kMostLineBytes = size_t{8} << 20;
constexpr int kReadTries = 3;  // while the old end is being forgotten

Error pruned_meanwhile() {
  return {Code::kConflict, "AUDIT_PRUNED_MEANWHILE",
          "the records that were to be read next were forgotten meanwhile; call again"};
}

Result<AuditChainPage> read_page(client::ControllerClient& client, std::optional<int64_t> after) {
  ASSIGN_OR_RETURN(const Value answer,
                   client.get(after ? cat("/audit/chain?after=", *after) : "/audit/chain"));
  return wire::decode<AuditChainPage>(answer);
}

// All pages behind the first one, and at last one without records. AUDIT_PRUNED_MEANWHILE.
Status read_pages(client::ControllerClient& client, AuditChainPage page,
                  const std::function<bool(const AuditChainPage&)>& take) {
  while (take(page) && !page.items.empty()) {
    const int64_t last = page.items.back().id;
    ASSIGN_OR_RETURN(page, read_page(client, last));
    if (page.anchor.id > last) return pruned_meanwhile();
  }
  return {};
}

Result<audit_chain::Verdict> verify_once(client::ControllerClient& client,
                                         const std::vector<ChainPlace>& expected) {
  ASSIGN_OR_RETURN(AuditChainPage first, read_page(client, {}));
  Verifier verifier(first.anchor);
  for (const ChainPlace& place : expected) verifier.expect(place);
  TRY(read_pages(client, std::move(first), [&](const AuditChainPage& page) {
    for (const ChainedRecord& record : page.items) verifier.take(record);
    if (page.items.empty()) verifier.end_at(page.last_given);
    return true;
  }));
  return verifier.finish();
}

// Calls `once`, and again a few times as long as it fails with AUDIT_PRUNED_MEANWHILE.
template <class Once>
auto while_pruned(const Once& once) {
  for (int tried = 1;; ++tried) {
    auto done = once();
    const bool again = !done.ok() && done.error().reason == "AUDIT_PRUNED_MEANWHILE";
    if (!again || tried == kReadTries) return done;
  }
}

Result<Keys> served_keys(client::ControllerClient& client) {
  ASSIGN_OR_RETURN(const Value answer, client.get("/receipt-keys"));
  ASSIGN_OR_RETURN(const auto list, wire::decode<contracts::ReceiptKeyList>(answer));
  Keys keys;
  for (const contracts::ReceiptKey& key : list.items) keys.push_back(key.public_key);
  return keys;
}

// The checkpoint that --checkpoint names: at most one.
Result<std::vector<Checkpoint>> checkpoints(const Parsed& parsed, const Env& env,
                                            const Keys& keys) {
  std::vector<Checkpoint> out;
  if (!parsed.has("checkpoint")) return out;
  ASSIGN_OR_RETURN(const std::string text,
                   read_named(parsed, env.cwd, "checkpoint", kMostCheckpointBytes,
                              "AUDIT_CHECKPOINT_MALFORMED"));
  const Result<Value> envelope = wire::parse_json(text);
  if (!envelope.ok())
    return invalid_argument("AUDIT_CHECKPOINT_MALFORMED", "the file is no checkpoint: not JSON",
                            "--checkpoint");
  ASSIGN_OR_RETURN(Checkpoint opened, audit_chain::open_checkpoint(*envelope, keys));
  out.push_back(std::move(opened));
  return out;
}

std::vector<ChainPlace> places_of(const std::vector<Checkpoint>& all) {
  std::vector<ChainPlace> places;
  for (const Checkpoint& each : all) places.push_back(each.place);
  return places;
}

Result<int> verify_online(Watcher& watcher, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const Keys keys,
                   parsed.has("keys") ? read_keys(parsed, env.cwd) : served_keys(watcher.client));
  ASSIGN_OR_RETURN(const auto known, checkpoints(parsed, env, keys));
  ASSIGN_OR_RETURN(const auto verdict,
                   while_pruned([&] { return verify_once(watcher.client, places_of(known)); }));
  env.out.write(verdict_text(verdict, known));
  if (known.empty())
    env.say(
        "note: who can write to the store could have written all of it anew; `paddock audit "
        "checkpoint`, kept elsewhere, would show that (--checkpoint)");
  return kExitOk;
}

// An export that cannot be read is told apart from one that was changed.
Error unreadable(const Error& cause) {
  return invalid_argument("AUDIT_EXPORT_MALFORMED", cause.describe(), "FILE");
}

Status verify_file(const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const Keys keys, read_keys(parsed, env.cwd, " with a file"));
  ASSIGN_OR_RETURN(const auto known, checkpoints(parsed, env, keys));
  auto lines = LineReader::open(absolute_path(env.cwd, parsed.text("FILE")), kMostLineBytes);
  if (!lines.ok()) return unreadable_subject(parsed, lines.error(), "AUDIT_EXPORT_MALFORMED");
  const auto next_line = [&]() -> Result<std::optional<std::string>> {
    auto line = lines->next();
    if (!line.ok()) return unreadable(line.error());
    return line;
  };
  ASSIGN_OR_RETURN(const auto verdict,
                   audit_chain::verify_export(next_line, keys, places_of(known)));
  env.out.write(verdict_text(verdict.chain, known, verdict.end));
  return {};
}

struct ExportBegin {
  Value envelope;
  Checkpoint end;  // what is in it
  AuditChainPage first;
};

// A first page that begins where the checkpoint says: AUDIT_PRUNED_MEANWHILE.
Result<ExportBegin> begin_export(client::ControllerClient& client) {
  ExportBegin out;
  ASSIGN_OR_RETURN(out.envelope, client.get("/audit/checkpoint"));
  ASSIGN_OR_RETURN(const Keys keys, served_keys(client));
  ASSIGN_OR_RETURN(out.end, audit_chain::open_checkpoint(out.envelope, keys));
  ASSIGN_OR_RETURN(out.first, read_page(client, {}));
  const bool same = !out.end.forgotten || out.first.anchor == *out.end.forgotten;
  if (!same || out.first.anchor.id > out.end.place.id) return pruned_meanwhile();
  return out;
}

// A last line is written only behind the record that it signs.
Result<int> export_log(Watcher& watcher, const Env& env) {
  ASSIGN_OR_RETURN(ExportBegin begin, while_pruned([&] { return begin_export(watcher.client); }));
  const int64_t last = begin.end.place.id;
  env.out.write(audit_chain::first_line(begin.first.anchor));
  TRY(read_pages(watcher.client, std::move(begin.first), [&](const AuditChainPage& page) {
    for (const ChainedRecord& record : page.items) {
      if (record.id <= last) env.out.write(audit_chain::record_line(record));
    }
    return page.items.empty() || page.items.back().id < last;
  }));
  env.out.write(audit_chain::last_line(begin.envelope));
  return kExitOk;
}

Result<int> print_checkpoint(Watcher& watcher, const Env& env) {
  ASSIGN_OR_RETURN(const Value envelope, watcher.client.get("/audit/checkpoint"));
  env.out.write(cat(wire::to_json(envelope), "\n"));
  return kExitOk;
}

}  // namespace

int audit_verify_command(const Parsed& parsed, Env& env) {
  if (!parsed.has("FILE"))
    return watch(parsed, env,
                 [&](Watcher& watcher) { return verify_online(watcher, parsed, env); });
  const Status verified = verify_file(parsed, env);
  return verified.ok() ? kExitOk : fail(env, verified.error());
}

int audit_export_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) { return export_log(watcher, env); });
}

int audit_checkpoint_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) { return print_checkpoint(watcher, env); });
}

}  // namespace paddock::cli
