// ToolToken: a credential of one run. Its secret, `pdtt_` and 32 random bytes, is in the answer
// that creates it and in the environment of its run, and nowhere else: the server keeps a SHA-256.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/contracts/meta.h"

namespace paddock::contracts {

inline constexpr std::string_view kToolTokenPrefix = "pdtt";

// One thing that a tool token can be good for: an operation, at an endpoint of its run
// (`runs/{name}/ENDPOINT`; `run` is the run itself, `project` its workspace's files). A route names
// the one that it needs.
struct ToolUse {
  std::string_view endpoint;
  std::string_view operation;
  friend bool operator==(const ToolUse&, const ToolUse&) = default;
};
inline constexpr ToolUse kReadRun{"run", "run:read"};
inline constexpr ToolUse kReadEvents{"events", "run:read"};
inline constexpr ToolUse kReadLog{"log", "run:read"};
inline constexpr ToolUse kCancelRun{"cancel", "run:cancel"};
inline constexpr ToolUse kReadArtifacts{"artifacts", "artifacts:read"};
inline constexpr ToolUse kReadProject{"project", "project:read"};
inline constexpr ToolUse kGenerateMedia{"media", "media:generate"};
inline constexpr ToolUse kWriteToolResults{"tool-results", "tool-results:write"};
inline constexpr ToolUse kMakeToolTokens{"tool-tokens", "tool-tokens:create"};
inline constexpr std::array kToolUses = {kReadRun,       kReadEvents,       kReadLog,
                                         kCancelRun,     kReadArtifacts,    kReadProject,
                                         kGenerateMedia, kWriteToolResults, kMakeToolTokens};

// In the environment of a run that asked for a token, and of no other.
inline constexpr std::string_view kToolTokenVariable = "OD_TOOL_TOKEN";
inline constexpr std::string_view kControllerUrlVariable = "OD_DAEMON_URL";
inline constexpr std::string_view kProjectVariable = "OD_PROJECT_ID";
inline constexpr std::string_view kRunUrlVariable = "PADDOCK_RUN_URL";

inline constexpr Millis kToolTokenLife = std::chrono::minutes(15);
inline constexpr Millis kLongestToolTokenLife = std::chrono::hours(24);

// What a tool token may be used for, as its maker asks. Without endpoints: all of its operations'.
struct ToolTokenRequest {
  std::vector<std::string> operations;
  std::vector<std::string> endpoints;
  std::optional<wire::Duration> ttl;
  bool revoke_on_stream_end = false;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("operations", &ToolTokenRequest::operations, "run:read, media:generate, …",
              {.required = true, .min_length = 1, .max_length = 16}),
        field("endpoints", &ToolTokenRequest::endpoints,
              "subresources of the run that it opens; unless given, all that its operations need",
              {.omit_empty = true, .max_length = 16}),
        field("ttl", &ToolTokenRequest::ttl, "15m unless given; 24h at most"),
        field("revokeOnStreamEnd", &ToolTokenRequest::revoke_on_stream_end,
              "end it when a stream of the run's events ends"));
  }
  void validate(wire::Check& check) const;
};

struct ToolTokenSpec {
  std::string run;
  std::vector<std::string> operations;
  std::vector<std::string> endpoints;
  std::optional<wire::Duration> ttl;
  bool revoke_on_stream_end = false;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("run", &ToolTokenSpec::run, "name of the run that it belongs to",
              {.required = true, .min_length = 1, .max_length = 253}),
        field("operations", &ToolTokenSpec::operations, "run:read, media:generate, …",
              {.required = true, .min_length = 1, .max_length = 16}),
        field("endpoints", &ToolTokenSpec::endpoints,
              "subresources of the run that it opens; unless given, all that its operations need",
              {.omit_empty = true, .max_length = 16}),
        field("ttl", &ToolTokenSpec::ttl, "15m unless given; 24h at most"),
        field("revokeOnStreamEnd", &ToolTokenSpec::revoke_on_stream_end,
              "end it when a stream of the run's events ends"));
  }
  void validate(wire::Check& check) const;
};

enum class ToolTokenPhase { kActive, kExpired, kRevoked };
enum class RevokeReason { kChildExit, kSseEnd, kTtlExpired, kManual };

struct ToolTokenStatus {
  ToolTokenPhase phase = ToolTokenPhase::kActive;
  std::string run_uid;
  int64_t attempt = 0;  // of a token in a run's environment: it ends with that attempt
  std::string parent;   // the token that made it: it ends with that one
  std::optional<wire::Timestamp> issued_at;
  std::optional<wire::Timestamp> expires_at;
  std::optional<wire::Timestamp> revoked_at;
  std::optional<RevokeReason> reason;  // why it is not active any more
  std::string token;                   // in the answer that creates it only; never stored
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("phase", &ToolTokenStatus::phase, "Active, Expired or Revoked"),
        field("runUid", &ToolTokenStatus::run_uid, "the run's uid", {.omit_empty = true}),
        field("attempt", &ToolTokenStatus::attempt,
              "of the run in whose environment it is; 0 for others"),
        field("parent", &ToolTokenStatus::parent, "the tool token that made it",
              {.omit_empty = true}),
        field("issuedAt", &ToolTokenStatus::issued_at, "when it was made"),
        field("expiresAt", &ToolTokenStatus::expires_at, "when it ends by itself"),
        field("revokedAt", &ToolTokenStatus::revoked_at, "when it was ended"),
        field("reason", &ToolTokenStatus::reason,
              "why it ended: child_exit, sse_end, ttl_expired or manual"),
        field("token", &ToolTokenStatus::token,
              "the secret: shown once, in the answer that creates it", {.omit_empty = true}));
  }
};

struct ToolToken {
  static constexpr const char* kKind = "ToolToken";
  std::string api_version = kApiVersion;
  std::string kind = kKind;
  ObjectMeta metadata;
  ToolTokenSpec spec;
  ToolTokenStatus status;
  static constexpr auto describe(auto&& visit) {
    return visit(field("apiVersion", &ToolToken::api_version, "paddock.dev/v1alpha1"),
                 field("kind", &ToolToken::kind, "ToolToken"),
                 field("metadata", &ToolToken::metadata, "identity", {.required = true}),
                 field("spec", &ToolToken::spec, "what it is good for", {.required = true}),
                 field("status", &ToolToken::status, "whether it still is"));
  }
};

// All endpoints of the operations, each once.
std::vector<std::string> endpoints_of(const std::vector<std::string>& operations);
// What it is at this time; with the reason of one that expired.
ToolTokenStatus status_at(const ToolTokenStatus& status, WallTime now);

// POST nodes/{node}/runs/{uid}/tool-token: the token for an attempt's environment. Asking again
// ends the one before, so that a lost answer costs nothing.
struct RunTokenRequest {
  int64_t attempt = 0;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("attempt", &RunTokenRequest::attempt, "the fence", {.required = true, .min = 1}));
  }
};
struct RunTokenAnswer {
  std::string token;
  static constexpr auto describe(auto&& visit) {
    return visit(field("token", &RunTokenAnswer::token, "the secret", {.required = true}));
  }
};

}  // namespace paddock::contracts

namespace paddock::wire {
template <>
struct EnumNames<contracts::ToolTokenPhase> {
  using E = contracts::ToolTokenPhase;
  static constexpr std::array values = {std::pair{E::kActive, std::string_view("Active")},
                                        std::pair{E::kExpired, std::string_view("Expired")},
                                        std::pair{E::kRevoked, std::string_view("Revoked")}};
};
template <>
struct EnumNames<contracts::RevokeReason> {
  using E = contracts::RevokeReason;
  static constexpr std::array values = {std::pair{E::kChildExit, std::string_view("child_exit")},
                                        std::pair{E::kSseEnd, std::string_view("sse_end")},
                                        std::pair{E::kTtlExpired, std::string_view("ttl_expired")},
                                        std::pair{E::kManual, std::string_view("manual")}};
};
}  // namespace paddock::wire

PADDOCK_EXTERN_CODEC(paddock::contracts::ToolToken);
PADDOCK_EXTERN_CODEC(paddock::contracts::ToolTokenRequest);
