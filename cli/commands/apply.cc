// `paddock apply` and `create`: objects from files.
#include "cli/client/manifests.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/output/object_output.h"
#include "cli/terminal/for_each.h"
#include "common/base/random.h"

namespace paddock::cli {
namespace {

using wire::Value;

constexpr const char* kApplyPatch = "application/apply-patch+yaml";

struct Sent {
  Value object;
  std::string_view what_happened;
};
using Send = std::function<Result<Sent>(const Manifest&)>;

// Null when there is none yet.
Result<Value> object_now(client::ControllerClient& client, const Manifest& manifest) {
  Result<Value> now = client.get(manifest.target());
  if (!now.ok() && now.error().code == Code::kNotFound) return Value();
  return now;
}

// The part of an object that people write, to compare it before and after: a run that goes on
// meanwhile has not changed.
Value as_meant(Value object) {
  object.erase("status");
  if (Value* metadata = object.find("metadata")) {
    metadata->erase("resourceVersion");
    metadata->erase("managedFields");  // they have the time of the change
  }
  return object;
}

Result<Sent> apply_one(client::ControllerClient& client, const Manifest& manifest,
                       const std::string& query) {
  ASSIGN_OR_RETURN(Value before, object_now(client, manifest));
  ASSIGN_OR_RETURN(Value after,
                   client.patch(cat(manifest.target(), query), kApplyPatch, manifest.object));
  if (before.is_null()) return Sent{std::move(after), "created"};
  const bool same = as_meant(std::move(before)) == as_meant(after);
  return Sent{std::move(after), same ? "unchanged" : "configured"};
}

Result<Sent> create_one(client::ControllerClient& client, const Manifest& manifest,
                        const std::string& query, const Env& env) {
  ASSIGN_OR_RETURN(Value made, client.send("POST", cat(manifest.collection(), query),
                                           manifest.object, make_uuid(env.random)));
  return Sent{std::move(made), "created"};
}

Result<std::vector<Manifest>> wanted(const Parsed& parsed, const Env& env) {
  if (!parsed.has("filename"))
    return invalid_argument("USAGE", "say which file, folder or `-`", "--filename");
  ASSIGN_OR_RETURN(const auto texts, read_manifests(parsed.list("filename"), env));
  const ManifestUse use = parsed.command == "apply" ? ManifestUse::kApply : ManifestUse::kCreate;
  return parse_manifests(texts, parsed.text("namespace"), use);
}

void say_what_happened(const Manifest& manifest, const Sent& sent, const Parsed& parsed,
                       OutputFormat format, const Env& env) {
  const std::string name = object_reference(manifest.kind, sent.object.text("metadata.name"));
  if (format == OutputFormat::kName) return env.out.write(name + "\n");
  env.out.write(
      cat(name, " ", sent.what_happened, parsed.has("dry-run") ? " (dry run)" : "", "\n"));
}

Result<int> send_all(const Parsed& parsed, const Env& env, const Send& send) {
  ASSIGN_OR_RETURN(const ObjectOutput output, parse_object_output(parsed.text("output")));
  ASSIGN_OR_RETURN(const std::vector<Manifest> manifests, wanted(parsed, env));
  std::vector<Value> documents;
  auto code = for_each(manifests, env, [&](const Manifest& manifest) -> Status {
    Result<Sent> sent = send(manifest);
    if (!sent.ok()) return manifest.place.in_front_of(sent.error());
    if (output.is_document()) {
      documents.push_back(std::move(sent->object));
    } else {
      say_what_happened(manifest, *sent, parsed, output.format, env);
    }
    return {};
  });
  if (code.ok() && !documents.empty())
    print_document(as_one_document(std::move(documents)), output, env);
  return code;
}

const char* dry_run(const Parsed& parsed) { return parsed.has("dry-run") ? "&dryRun=All" : ""; }

}  // namespace

int apply_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) {
    const std::string query = cat("?fieldManager=paddock&fieldValidation=Strict", dry_run(parsed),
                                  parsed.has("force") ? "&force=true" : "");
    return send_all(parsed, env, [&](const Manifest& manifest) {
      return apply_one(watcher.client, manifest, query);
    });
  });
}

int create_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) {
    const std::string query = cat("?fieldValidation=Strict", dry_run(parsed));
    return send_all(parsed, env, [&](const Manifest& manifest) {
      return create_one(watcher.client, manifest, query, env);
    });
  });
}

}  // namespace paddock::cli
