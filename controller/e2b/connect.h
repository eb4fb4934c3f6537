// The Connect protocol, as E2B's tools speak it to a sandbox: messages of JSON, and streams of them
// in envelopes. An envelope is a byte of flags, the length in four bytes, the highest first, and
// the message. (connectrpc.com/docs/protocol) Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/wire/value.h"

namespace paddock::e2b {

// What a request with one message has: exactly one envelope, not compressed. InvalidArgument
// (ENVELOPE_INVALID, or what is wrong with the JSON).
Result<wire::Value> one_message(std::string_view body);
// The JSON of a request without envelopes; an empty body is an empty message.
Result<wire::Value> plain_message(std::string_view body);

std::string envelope(const wire::Value& message);
// The last one of a stream: with an error, or without.
std::string end_of_stream(const std::optional<Error>& error = std::nullopt);

// An error in the protocol's words. A sandbox that is not there, or has ended, is `unavailable`:
// its tools tell its end by that, and by the status 502.
std::string_view error_code(const Error& error);
wire::Value error_body(const Error& error);
int error_status(const Error& error);
// The HTTP status for the routes beside the protocol (/files, /health).
int plain_error_status(const Error& error);

// The longest time that the caller waits (Connect-Timeout-Ms); nothing if the header is missing or
// 0. InvalidArgument (INVALID_FIELD) for anything but a number of at most ten digits.
Result<std::optional<int64_t>> timeout_ms(std::string_view header);

}  // namespace paddock::e2b
