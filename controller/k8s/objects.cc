#include "controller/k8s/objects.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::k8s {
namespace {

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_label_word(std::string_view text, size_t longest) {
  return text.size() <= longest &&
         (text.empty() || (is_alphanumeric(text.front()) && is_alphanumeric(text.back()))) &&
         std::ranges::all_of(
             text, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

bool is_label_key(std::string_view key) {
  const size_t slash = key.rfind('/');
  if (slash == std::string_view::npos) return !key.empty() && is_label_word(key, 63);
  return slash > 0 && slash + 1 < key.size() && is_label_word(key.substr(0, slash), 253) &&
         is_label_word(key.substr(slash + 1), 63);
}

Error name_error(Reason reason, const char* field, std::string_view text) {
  return invalid_argument(reason,
                          cat("\"", text,
                              "\" must be a DNS label: lower-case letters, digits and '-', at most "
                              "63, no '-' at the ends"),
                          field);
}

Result<std::string> name_of(const contracts::ObjectMeta& sent, const NewObject& made) {
  if (!sent.name.empty()) {
    if (!is_dns_label(sent.name)) return name_error("NAME_INVALID", "metadata.name", sent.name);
    return sent.name;
  }
  if (sent.generate_name.empty()) {
    return invalid_argument("NAME_REQUIRED", "metadata.name or metadata.generateName is required",
                            "metadata.name");
  }
  const std::string name = generated_name(sent.generate_name, made.suffix);
  if (!is_dns_label(name))
    return name_error("NAME_INVALID", "metadata.generateName", sent.generate_name);
  return name;
}

Status check_words(const contracts::ObjectMeta& sent) {
  for (const auto& [key, value] : sent.labels) {
    if (is_label_key(key) && is_label_word(value, 63)) continue;
    return invalid_argument("LABEL_INVALID",
                            cat("\"", key,
                                "\" is no valid label: [prefix/]name and value of letters, digits, "
                                "'-', '_', '.', at most 63"),
                            cat("metadata.labels.", key));
  }
  size_t bytes = 0;
  for (const auto& [key, value] : sent.annotations) {
    if (!is_label_key(key))
      return invalid_argument("LABEL_INVALID", cat("\"", key, "\" is no valid annotation name"),
                              "metadata.annotations");
    bytes += key.size() + value.size();
  }
  if (bytes > (256 << 10))
    return invalid_argument("LABEL_INVALID", "annotations take at most 256 KiB together",
                            "metadata.annotations");
  return {};
}

Error finalizer_error(std::string message) {
  return invalid_argument("FINALIZER_INVALID", std::move(message), "metadata.finalizers");
}

Status check_finalizers(const contracts::ObjectMeta& sent) {
  for (const std::string& each : sent.finalizers) {
    if (each.find('/') == std::string::npos || !is_label_key(each))
      return finalizer_error(cat("\"", each,
                                 "\" is no finalizer of one's own: it is a domain, / and a name, "
                                 "such as example.com/keep"));
    if (std::ranges::count(sent.finalizers, each) > 1)
      return finalizer_error(cat("\"", each, "\" is there twice"));
  }
  return {};
}

// Once the deletion of an object was asked for, finalizers can only be removed from it.
Status check_new_finalizers(const contracts::ObjectMeta& live, const contracts::ObjectMeta& wished,
                            std::string_view plural) {
  TRY(check_finalizers(wished));
  if (plural == "nodes" && !wished.finalizers.empty())
    return finalizer_error("a node has no finalizers: it is drained, and then it leaves");
  if (!live.deletion_timestamp) return {};
  for (const std::string& each : wished.finalizers) {
    if (std::ranges::find(live.finalizers, each) == live.finalizers.end())
      return finalizer_error("the object is being deleted; a finalizer can only be removed now");
  }
  return {};
}

}  // namespace

bool mark_deleted(contracts::ObjectMeta& meta, std::optional<int64_t> grace_seconds, WallTime now) {
  if (meta.deletion_timestamp) return false;
  meta.deletion_timestamp = wire::Timestamp{now};
  meta.deletion_grace_period_seconds = grace_seconds.value_or(0);
  meta.generation += 1;
  return true;
}

std::string generated_name(std::string_view prefix, std::string_view suffix) {
  return cat(prefix.substr(0, 63 - suffix.size()), suffix);
}

Status check_labels(const contracts::ObjectMeta& meta) { return check_words(meta); }

Result<contracts::ObjectMeta> changed_metadata(const contracts::ObjectMeta& live,
                                               const contracts::ObjectMeta& wished,
                                               const Resource& resource) {
  if (wished.name != live.name) {
    return invalid_argument("NAME_MISMATCH",
                            "the name of the object does not match the name in the path",
                            "metadata.name");
  }
  if (!wished.name_space.empty() && wished.name_space != live.name_space) {
    return invalid_argument("NAMESPACE_MISMATCH",
                            "the namespace of the object does not match the one in the path",
                            "metadata.namespace");
  }
  if (!wished.resource_version.empty() && wished.resource_version != live.resource_version) {
    return Error{Code::kConflict, "STALE_RESOURCE_VERSION",
                 cat("Operation cannot be fulfilled on ", resource.plural, ".", resource.group,
                     " \"", live.name,
                     "\": the object has been modified; please apply your changes to the latest "
                     "version and try again")};
  }
  if (!wished.uid.empty() && wished.uid != live.uid) {
    return Error{Code::kConflict, "PRECONDITION_FAILED",
                 "the object is not the one that the request means any more; read it again"};
  }
  TRY(check_words(wished));
  contracts::ObjectMeta meta = live;
  TRY(check_new_finalizers(live, wished, resource.plural));
  meta.labels = wished.labels;
  meta.annotations = wished.annotations;
  meta.finalizers = wished.finalizers;
  return meta;
}

Result<contracts::ObjectMeta> new_metadata(const contracts::ObjectMeta& sent,
                                           const NewObject& made) {
  if (!made.name_space.empty() && !is_dns_label(made.name_space))
    return name_error("NAMESPACE_INVALID", "metadata.namespace", made.name_space);
  if (!sent.name_space.empty() && sent.name_space != made.name_space) {
    return invalid_argument(
        "NAMESPACE_MISMATCH",
        cat("the object says namespace ", sent.name_space, ", the path says ", made.name_space),
        "metadata.namespace");
  }
  // As in Kubernetes: a new object cannot be a later state of an older one, so a resourceVersion is
  // refused. A uid that is sent is ignored.
  if (!sent.resource_version.empty()) {
    return invalid_argument("INVALID_FIELD",
                            "resourceVersion should not be set on objects to be created; leave it "
                            "out",
                            "metadata.resourceVersion");
  }
  TRY(check_words(sent));
  TRY(check_finalizers(sent));
  contracts::ObjectMeta meta;
  ASSIGN_OR_RETURN(meta.name, name_of(sent, made));
  meta.generate_name = sent.generate_name;
  meta.name_space = made.name_space;
  meta.uid = made.uid;
  meta.generation = 1;
  meta.creation_timestamp = wire::Timestamp{made.now};
  meta.labels = sent.labels;
  meta.annotations = sent.annotations;
  meta.finalizers = sent.finalizers;
  return meta;
}

Status check_kind(std::string_view api_version, std::string_view kind,
                  std::string_view expected_kind, std::string_view expected_version) {
  if (api_version != expected_version) {
    return invalid_argument("KIND_MISMATCH", cat("apiVersion must be ", expected_version),
                            "apiVersion");
  }
  if (kind != expected_kind)
    return invalid_argument("KIND_MISMATCH", cat("kind must be ", expected_kind, " here"), "kind");
  return {};
}

Status check_kind(std::string_view api_version, std::string_view kind, const Resource& expected) {
  return check_kind(api_version, kind, expected.kind, cat(expected.group, "/", expected.version));
}

wire::Value deleted_status(const Resource& resource, const contracts::ObjectMeta& meta) {
  return wire::Value::Object{{"kind", "Status"},
                             {"apiVersion", "v1"},
                             {"metadata", wire::Value::Object{}},
                             {"status", "Success"},
                             {"details", wire::Value::Object{{"name", meta.name},
                                                             {"group", resource.group},
                                                             {"kind", resource.plural},
                                                             {"uid", meta.uid}}}};
}

}  // namespace paddock::k8s
