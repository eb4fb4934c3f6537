// Errors as values: a closed code to branch on, a stable reason for clients, words for people.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace paddock {

// What kind of failure this is; callers branch on this and never on text.
enum class Code {
  kInvalidArgument,   // the caller's input is wrong; sending it again will not help
  kUnauthenticated,   // no or unknown credential
  kPermissionDenied,  // known caller, not allowed
  kNotFound,
  kAlreadyExists,
  kConflict,            // stale write; read again and retry
  kGone,                // the requested history was dropped; start from a fresh read
  kTooLarge,            // over a size or count cap
  kResourceExhausted,   // a quota or queue is full now; later it may pass
  kFailedPrecondition,  // the object is not in a state that allows this
  kUnavailable,         // a peer or the store cannot be reached now; retry
  kDeadlineExceeded,
  kInternal,  // our fault
};

// One thing that is wrong with the input: where (a JSON path such as `spec.timeout`) and what.
struct Cause {
  std::string field;
  std::string message;
  friend bool operator==(const Cause&, const Cause&) = default;
};

struct Error {
  Code code = Code::kInternal;
  std::string reason;   // stable, SCREAMING_SNAKE, part of the public contract
  std::string message;  // one sentence for people; never a host path, a secret or a stack
  std::vector<Cause> causes = {};
  // What the caller was doing, innermost first. For our logs; not sent to clients.
  std::vector<std::string> context = {};
  // Further facts for programs, by name: members of `error.details` in an answer.
  std::vector<std::pair<std::string, std::string>> facts = {};

  Error&& within(std::string what) && {
    context.push_back(std::move(what));
    return std::move(*this);
  }
  Error within(std::string what) const& { return Error(*this).within(std::move(what)); }
  // Message, causes and context in one line, for logs and terminals.
  std::string describe() const;
};

std::string_view code_name(Code code);
// Whether the same request may succeed later without being changed.
bool retryable(Code code);

inline Error invalid_argument(std::string reason, std::string message, std::string field = {}) {
  Error error{Code::kInvalidArgument, std::move(reason), std::move(message)};
  if (!field.empty()) error.causes.push_back({std::move(field), error.message});
  return error;
}
// Reasons of two of them: the disk is read-only (EROFS), or fails (EIO).
inline constexpr const char* kDiskReadOnlyReason = "DISK_READ_ONLY";
inline constexpr const char* kDiskFailsReason = "DISK_FAILS";
// errno turned into an error: `doing` says what failed, in the caller's words.
Error system_error(std::string_view doing, int errno_value);

}  // namespace paddock
