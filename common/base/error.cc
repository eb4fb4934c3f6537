#include "common/base/error.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "common/base/fault_sentence.h"
#include "common/base/result.h"
#include "common/base/text.h"
#include "common/base/told_cause.h"

namespace paddock {

std::string_view code_name(Code code) {
  switch (code) {
    case Code::kInvalidArgument:
      return "InvalidArgument";
    case Code::kUnauthenticated:
      return "Unauthenticated";
    case Code::kPermissionDenied:
      return "PermissionDenied";
    case Code::kNotFound:
      return "NotFound";
    case Code::kAlreadyExists:
      return "AlreadyExists";
    case Code::kConflict:
      return "Conflict";
    case Code::kGone:
      return "Gone";
    case Code::kTooLarge:
      return "TooLarge";
    case Code::kResourceExhausted:
      return "ResourceExhausted";
    case Code::kFailedPrecondition:
      return "FailedPrecondition";
    case Code::kUnavailable:
      return "Unavailable";
    case Code::kDeadlineExceeded:
      return "DeadlineExceeded";
    case Code::kInternal:
      return "Internal";
  }
  panic("unknown error code");
}

bool retryable(Code code) {
  return code == Code::kConflict || code == Code::kResourceExhausted ||
         code == Code::kUnavailable || code == Code::kDeadlineExceeded;
}

std::string Error::describe() const {
  std::string text = message;
  // All of them follow.
  const std::string more = more_faults(causes.size());
  if (text.ends_with(more)) text.resize(text.size() - more.size());
  for (const Cause& cause : causes) {
    if (cause.message == message || tells(message, cause)) continue;
    text += cat("; ", cause.field, cause.field.empty() ? "" : ": ", cause.message);
  }
  for (const std::string& what : context) text += cat(" (while ", what, ")");
  return text;
}

Error system_error(std::string_view doing, int errno_value) {
  Code code = Code::kInternal;
  if (errno_value == ENOENT) code = Code::kNotFound;
  if (errno_value == EEXIST) code = Code::kAlreadyExists;
  if (errno_value == EACCES || errno_value == EPERM) code = Code::kPermissionDenied;
  if (errno_value == ENOSPC) code = Code::kResourceExhausted;
#ifdef EDQUOT  // not in every C library
  if (errno_value == EDQUOT) code = Code::kResourceExhausted;
#endif
  Reason reason = "SYSTEM_ERROR";
  // A disk that takes nothing, or gives nothing, until somebody mends it: what was asked may pass
  // then.
  if (errno_value == EROFS) reason = kDiskReadOnlyReason;
  if (errno_value == EIO) reason = kDiskFailsReason;
  if (errno_value == EROFS || errno_value == EIO) code = Code::kUnavailable;
  return {code, reason, cat(doing, ": ", std::generic_category().message(errno_value))};
}

ErrorBox::ErrorBox(Error error) : error_(new Error(std::move(error))) {}

ErrorBox::ErrorBox(const ErrorBox& other)
    : error_(other.error_ == nullptr ? nullptr : new Error(*other.error_)) {}

void ErrorBox::destroy() { delete error_; }

void panic_on_error(const Error& error) {
  panic("Result::value() on an error: " + error.describe());
}

void panic_on_value() { panic("Result::error() on a value"); }

void panic(std::string_view message) {
  std::fprintf(stderr, "paddock: fatal: %.*s\n", static_cast<int>(message.size()), message.data());
  std::abort();
}

}  // namespace paddock
