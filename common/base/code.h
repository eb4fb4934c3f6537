// What kind of failure an error is.
#pragma once

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

}  // namespace paddock
