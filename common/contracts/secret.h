// Secret: values that runs get and nobody reads again. A caller writes them, in `data` (base64) or
// `stringData` (text), as Kubernetes has it; every answer shows their names and sizes alone. What
// is stored as the object shows no more than that: the values lie sealed beside it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/contracts/meta.h"

namespace paddock::contracts {

inline constexpr size_t kMaxSecretBytes = size_t{256} << 10;  // all values of one Secret
inline constexpr size_t kMaxSecretValues = 64;                // of one Secret
inline constexpr size_t kMaxSecretUses = 16;                  // of one run
// Bounds on all values that one run gets together, and on one value that it gets as a variable.
inline constexpr size_t kMaxRunSecretBytes = size_t{512} << 10;
inline constexpr size_t kMaxRunSecretValues = 256;
inline constexpr size_t kMaxSecretVariableBytes = 64'000;
// Stands in `data` for a value that is there: no base64, so nothing else can be meant by it.
inline constexpr std::string_view kKeptValue = "***";
// Where a run finds the values that it does not ask for as variables: NAME/KEY beneath.
inline constexpr std::string_view kSandboxSecrets = "/run/secrets";
// What a value is replaced by in output, and how long it must be for that.
inline constexpr std::string_view kRedacted = "***";
inline constexpr size_t kShortestRedacted = 4;

struct SecretValueSize {
  std::string name;
  int64_t bytes = 0;
  std::string sent_by;
  static constexpr auto describe(auto&& visit) {
    return visit(field("name", &SecretValueSize::name, "the value's name", {.required = true}),
                 field("bytes", &SecretValueSize::bytes, "the value's size", {.min = 0}),
                 field("sentBy", &SecretValueSize::sent_by,
                       "the subject whose token sent the value", {.omit_empty = true}));
  }
};

struct SecretStatus {
  std::vector<SecretValueSize> values;
  std::string created_by;
  static constexpr auto describe(auto&& visit) {
    return visit(field("values", &SecretStatus::values, "names and sizes of the values"),
                 field("createdBy", &SecretStatus::created_by,
                       "the subject whose token made the Secret", {.omit_empty = true}));
  }
};

struct Secret {
  static constexpr const char* kKind = "Secret";
  std::string api_version = kApiVersion;
  std::string kind = kKind;
  ObjectMeta metadata;
  std::string type;
  std::map<std::string, std::string> data;
  std::map<std::string, std::string> string_data;
  std::optional<bool> immutable;
  SecretStatus status;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("apiVersion", &Secret::api_version, "paddock.dev/v1alpha1"),
        field("kind", &Secret::kind, "Secret"),
        field("metadata", &Secret::metadata, "identity", {.required = true}),
        field("type", &Secret::type, "for people and tools; Paddock makes nothing of it",
              {.omit_empty = true, .max_length = 253}),
        field("data", &Secret::data,
              "values by name, in base64; shown as ***, which in a change keeps the value",
              {.omit_empty = true, .max_length = kMaxSecretValues}),
        field("stringData", &Secret::string_data,
              "values by name, as text, on top of data; never shown",
              {.omit_empty = true, .max_length = kMaxSecretValues}),
        field("immutable", &Secret::immutable,
              "true: its values never change again, nor does this; delete it and make another"),
        field("status", &Secret::status, "what there is"));
  }
  void validate(wire::Check& check) const;
};

// What may be the name of a value, and so of a file: letters, digits, '-', '_' and '.'.
bool is_secret_key(std::string_view name);
// Why a name that is none is refused, and what would pass.
std::string secret_key_fault(std::string_view name);

// What a run gets of a Secret of its namespace.
struct SecretUse {
  std::string name;
  std::string key;
  std::string variable;
  static constexpr auto describe(auto&& visit) {
    return visit(field("name", &SecretUse::name, "name of a Secret of the run's namespace",
                       {.required = true, .min_length = 1, .max_length = 253}),
                 field("key", &SecretUse::key, "which of its values; all of them unless given",
                       {.omit_empty = true, .max_length = 253}),
                 field("variable", &SecretUse::variable,
                       "variable that has the value; unless given, values are files "
                       "/run/secrets/NAME/KEY",
                       {.omit_empty = true, .max_length = 253}));
  }
  void validate(wire::Check& check) const;
  friend bool operator==(const SecretUse&, const SecretUse&) = default;
};

// POST nodes/{node}/runs/{uid}/secrets: what an attempt gets, just before it is launched.
struct RunSecretsRequest {
  int64_t attempt = 0;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("attempt", &RunSecretsRequest::attempt, "the fence", {.required = true, .min = 1}));
  }
};
struct RunSecret {
  std::string file;      // beneath kSandboxSecrets: NAME/KEY
  std::string variable;  // then it is no file
  std::string value;     // base64
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("file", &RunSecret::file, "NAME/KEY beneath /run/secrets", {.omit_empty = true}),
        field("variable", &RunSecret::variable, "that has the value", {.omit_empty = true}),
        field("value", &RunSecret::value, "base64", {.required = true}));
  }
};
struct RunSecretsAnswer {
  std::vector<RunSecret> secrets;
  static constexpr auto describe(auto&& visit) {
    return visit(field("secrets", &RunSecretsAnswer::secrets, "all that the run asked for",
                       {.required = true}));
  }
};

// POST /admin/secret-key/rotate: the key is new, and every value is sealed with it.
struct SecretKeyRotation {
  std::string key_id;
  int64_t values = 0;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("keyId", &SecretKeyRotation::key_id, "of the key that is in use now; no part of it"),
        field("values", &SecretKeyRotation::values, "how many were sealed anew"));
  }
};

}  // namespace paddock::contracts

PADDOCK_EXTERN_CODEC(paddock::contracts::Secret);
