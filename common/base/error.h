// Errors as values: a closed code to branch on, a stable reason for clients, words for people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/code.h"
#include "common/base/reason.h"

namespace paddock {

enum class CauseKind { kInvalid, kRequired, kWrongType, kNotSupported, kUnknownField };

// One thing that is wrong with the input: where (a JSON path such as `spec.timeout`) and what.
struct Cause {
  std::string field;
  std::string message;
  CauseKind kind = CauseKind::kInvalid;
  friend bool operator==(const Cause&, const Cause&) = default;
};

struct Error {
  Code code = Code::kInternal;
  Reason reason;        // stable, part of the public contract
  std::string message;  // one sentence for people; never a host path, a secret or a stack
  std::vector<Cause> causes = {};
  // What the caller was doing, innermost first. For our logs; not sent to clients.
  std::vector<std::string> context = {};
  // Further facts for programs, by name: members of `error.details` in an answer.
  std::vector<std::pair<std::string, std::string>> facts = {};
  // How many faults the message counts, if it is made of the causes (fault_sentence.h); 0: it is a
  // sentence of its own.
  size_t faults = 0;

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

inline Error invalid_argument(Reason reason, std::string message, std::string field = {}) {
  Error error{Code::kInvalidArgument, reason, std::move(message)};
  if (!field.empty()) error.causes.push_back({std::move(field), error.message});
  return error;
}
// Reasons of two of them: the disk is read-only (EROFS), or fails (EIO).
inline constexpr Reason kDiskReadOnlyReason = "DISK_READ_ONLY";
inline constexpr Reason kDiskFailsReason = "DISK_FAILS";
// errno turned into an error: `doing` says what failed, in the caller's words.
Error system_error(std::string_view doing, int errno_value);

}  // namespace paddock
