// POST nodes/{node}/calls: short work that somebody waits for, handed to a node that asks for it.
//
// An agent holds some of these requests open, its lanes. A lane brings the answer of the call that
// it was given last and takes the next one. A call is given to one lane, once: a lane that asks
// again without its answer has lost it. A call that a node holds and no caller of this controller
// process waits for is not its call: callers end with the process that they asked. `drop` names
// calls that nobody waits for any more; every lane learns of them until the node says that it has
// heard.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/wire/describe.h"

namespace paddock::contracts {

inline constexpr const char* kSnippetCall =
    "snippet";  // payload SnippetOrder, result SnippetReport; session_calls.h has others

struct NodeCall {
  std::string id;
  std::string kind;
  wire::Value payload;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("id", &NodeCall::id, "of this call", {.required = true}),
                 field("kind", &NodeCall::kind, "what the payload is", {.required = true}),
                 field("payload", &NodeCall::payload, "by the kind"));
  }
};

// What a failure means for the caller; without one it may pass when it is tried again.
enum class FailureKind { kInvalid, kNotFound, kExists, kPrecondition, kTooLarge, kExhausted };

struct CallFailure {
  std::string reason;
  std::string message;
  std::optional<FailureKind> kind;
  std::string field;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("reason", &CallFailure::reason, "a stable word",
                       {.required = true, .min_length = 1, .max_length = 64}),
                 field("message", &CallFailure::message, "a sentence", {.max_length = 1024}),
                 field("kind", &CallFailure::kind, "whose fault, if it is no passing one"),
                 field("field", &CallFailure::field,
                       "of what was asked, such as tools[0]; absent: it is about none",
                       {.omit_empty = true, .max_length = 256}));
  }
};

// A part of the answer of a call that is under way, in order.
struct CallPiece {
  std::string id;
  int64_t seq = 0;  // from 1; one that is sent again is taken once
  wire::Value piece;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("id", &CallPiece::id, "of the call",
                       {.required = true, .min_length = 1, .max_length = 64}),
                 field("seq", &CallPiece::seq, "grows by one", {.min = 1}),
                 field("piece", &CallPiece::piece, "by the kind of the call"));
  }
};

struct CallAnswer {
  std::string id;
  wire::Value result;
  std::optional<CallFailure> failure;  // then there is no result; it may be tried again
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("id", &CallAnswer::id, "which call",
                       {.required = true, .min_length = 1, .max_length = 64}),
                 field("result", &CallAnswer::result, "by the kind of the call"),
                 field("failure", &CallAnswer::failure, "why there is none"));
  }
};

// What a node can do for callers, as its operator set it.
struct SnippetSkills {
  bool enabled = false;
  bool validator = true;
  int64_t parallel = 0;                // snippets at once; 0: it does not say
  std::vector<std::string> libraries;  // importable, and loaded in warm interpreters
  std::vector<std::string> missing;    // wanted by the operator and not importable
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("enabled", &SnippetSkills::enabled, "whether it takes snippets"),
                 field("validator", &SnippetSkills::validator, "whether code is checked first"),
                 field("parallel", &SnippetSkills::parallel, "how many at once",
                       {.omit_empty = true, .min = 0, .max = 512}),
                 field("libraries", &SnippetSkills::libraries, "loaded beforehand",
                       {.omit_empty = true, .max_length = 64}),
                 field("missing", &SnippetSkills::missing, "not to be had on this host",
                       {.omit_empty = true, .max_length = 64}));
  }
};

struct CallsRequest {
  std::string process;     // random per agent process; another one ends what this one was given
  int64_t generation = 0;  // larger for a newer agent process of the same node
  int64_t lane = 0;
  std::optional<CallAnswer> answer;  // of the call that this lane was given
  bool takes = true;                 // false: it only wants to hear of drops
  bool takes_snippets = true;        // false: it takes what is for this node alone
  // With these it is no lane: they are passed on, and the answer comes at once.
  std::vector<CallPiece> pieces;
  std::vector<std::string> dropped;  // drops that the node has heard of
  std::vector<std::string> holds;    // calls under way here; one that is not known is dropped
  std::optional<SnippetSkills> snippets;
  int64_t places = 0;  // for what is for this node alone, in all; 0: it does not say
  int64_t wait_ms = 0;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("session", &CallsRequest::process, "this agent process",
                       {.required = true, .min_length = 8, .max_length = 64}),
                 field("generation", &CallsRequest::generation, "start time of this agent process"),
                 field("lane", &CallsRequest::lane, "which of its lanes", {.min = 0, .max = 1023}),
                 field("answer", &CallsRequest::answer, "of the call given last"),
                 field("takes", &CallsRequest::takes, "whether it takes a call"),
                 field("takesSnippets", &CallsRequest::takes_snippets,
                       "whether it takes a call that any node can do"),
                 field("pieces", &CallsRequest::pieces, "of answers that are under way",
                       {.omit_empty = true, .max_length = 256}),
                 field("dropped", &CallsRequest::dropped, "drops that were heard",
                       {.omit_empty = true, .max_length = 1024}),
                 field("holds", &CallsRequest::holds,
                       "calls that are under way here; nobody waits for those that no caller knows",
                       {.omit_empty = true, .max_length = 1024}),
                 field("snippets", &CallsRequest::snippets, "what this node can do"),
                 field("places", &CallsRequest::places,
                       "how many calls this node does at once of those that are for it alone",
                       {.omit_empty = true, .min = 0, .max = 512}),
                 field("waitMs", &CallsRequest::wait_ms, "hold at most this long",
                       {.min = 0, .max = 60'000}));
  }
};

struct CallsAnswer {
  std::optional<NodeCall> call;
  std::vector<std::string> drop;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("call", &CallsAnswer::call, "to be done now"),
                 field("drop", &CallsAnswer::drop, "nobody waits for these", {.omit_empty = true}));
  }
};

}  // namespace paddock::contracts

template <>
struct paddock::wire::EnumNames<paddock::contracts::FailureKind> {
  using E = contracts::FailureKind;
  static constexpr std::array values = {
      std::pair{E::kInvalid, std::string_view("invalid")},
      std::pair{E::kNotFound, std::string_view("notFound")},
      std::pair{E::kExists, std::string_view("exists")},
      std::pair{E::kPrecondition, std::string_view("precondition")},
      std::pair{E::kTooLarge, std::string_view("tooLarge")},
      std::pair{E::kExhausted, std::string_view("exhausted")}};
};

PADDOCK_EXTERN_CODEC(paddock::contracts::CallsRequest);
PADDOCK_EXTERN_CODEC(paddock::contracts::CallsAnswer);
