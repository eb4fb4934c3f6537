// One row of the route table. A row without a scope does not compile: there is no constructor for
// it.
#pragma once

#include <cstddef>
#include <optional>

#include "controller/api/server/call.h"
#include "controller/auth/principal.h"

namespace paddock::api {

enum class BodyKind {
  kNone,      // not read; a request that has one is answered and its connection closed
  kDocument,  // JSON or YAML, read whole within the limit and parsed
  kReview,    // a document that clients of Kubernetes also send as protobuf
  kStream,    // the handler reads it in pieces
};

struct BodyRule {
  BodyKind kind;
  size_t limit;           // bytes; for documents only
  bool optional = false;  // a document that may be absent: the handler then sees null
};
inline constexpr BodyRule kNoBody{BodyKind::kNone, 0};
inline constexpr BodyRule kApiDocument{BodyKind::kDocument, size_t{8} << 20};
inline constexpr BodyRule kReviewDocument{BodyKind::kReview, size_t{64} << 10};
inline constexpr BodyRule kSmallDocument{BodyKind::kDocument, size_t{64} << 10};
// What a request may say beside what it means anyway: a DELETE, a cancel.
inline constexpr BodyRule kOptionalDocument{BodyKind::kDocument, size_t{64} << 10, true};
inline constexpr BodyRule kMediaDocument{BodyKind::kDocument, size_t{1} << 20};
// A command with its standard input, which is 8 MiB at most and comes as base64.
inline constexpr BodyRule kExecDocument{BodyKind::kDocument, size_t{16} << 20};
inline constexpr BodyRule kToolDocument{BodyKind::kDocument, size_t{256} << 10};
// An object to change: the stored one must stay small enough for every reader.
inline constexpr BodyRule kChangeDocument{BodyKind::kDocument, size_t{2} << 20};
inline constexpr BodyRule kTreeDocument{BodyKind::kDocument, size_t{64} << 20};
// A node's answers: two streams of output, of which JSON may need six bytes for one.
inline constexpr BodyRule kCallsDocument{BodyKind::kDocument, size_t{64} << 20};
inline constexpr BodyRule kStreamed{BodyKind::kStream, 0};

// An endpoint that knows dry runs (`dryRun=All`) or keeps nothing anyway. All others but GETs are
// not even called for one: what was to be tried only must not be done.
struct DryRunEndpoint {
  Endpoint run;
};
constexpr DryRunEndpoint can_try(Endpoint run) { return {run}; }

// An endpoint that answers by the store and what never changes, and writes nothing: a controller
// that follows the leader answers as well.
struct StoredEndpoint {
  Endpoint run;
};
constexpr StoredEndpoint from_store(Endpoint run) { return {run}; }

class Route {
 public:
  // Pattern: literal segments, {name} for one segment, {name…} at the end for the whole rest.
  // With `tool_use`, a run's tool token opens it too, if it allows that.
  constexpr Route(const char* http_method, const char* path_pattern, auth::Scope needed,
                  BodyRule body_rule, Endpoint run,
                  std::optional<contracts::ToolUse> tool_use = std::nullopt)
      : method(http_method),
        pattern(path_pattern),
        scope(needed),
        body(body_rule),
        endpoint(run),
        tool(tool_use) {}
  constexpr Route(const char* http_method, const char* path_pattern, auth::Scope needed,
                  BodyRule body_rule, DryRunEndpoint run)
      : Route(http_method, path_pattern, needed, body_rule, run.run) {
    tries = true;
  }
  constexpr Route(const char* http_method, const char* path_pattern, auth::Scope needed,
                  BodyRule body_rule, StoredEndpoint run,
                  std::optional<contracts::ToolUse> tool_use = std::nullopt)
      : Route(http_method, path_pattern, needed, body_rule, run.run, tool_use) {
    stored = true;
  }

  const char* method;
  const char* pattern;
  auth::Scope scope;
  BodyRule body;
  Endpoint endpoint;
  std::optional<contracts::ToolUse> tool;
  bool tries = false;
  bool stored = false;
};

}  // namespace paddock::api
