#include "controller/http_server/body.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::http_server {
namespace {

constexpr size_t kSkipBytes = 64 << 10;
constexpr int kSkipMs = 50;

Error too_large(size_t limit) {
  return {Code::kTooLarge, "BODY_TOO_LARGE", cat("the body may have at most ", limit, " bytes")};
}

}  // namespace

Body::Body(Transport& transport, Input& input, const BodyFraming& framing)
    : transport_(transport),
      input_(input),
      framing_(framing),
      left_(framing.length < 0 ? 0 : static_cast<uint64_t>(framing.length)) {}

Result<std::string> Body::read(size_t limit) {
  std::string whole;
  TRY(stream(limit, [&](std::string_view piece) -> Status {
    whole += piece;
    return {};
  }));
  return whole;
}

Status Body::stream(size_t limit, const std::function<Status(std::string_view)>& take) {
  if (failure_) return *failure_;
  if (left_ > limit) return too_large(limit);
  if (broken_) return invalid_argument("BODY_INCOMPLETE", "the rest of the body was given up");
  TRY(send_continue());
  Status status = receive(take, limit, Deadline::in_ms(framing_.timeout_ms));
  if (!status.ok()) broken_ = true;
  return status;
}

Status Body::send_continue() {
  const bool waiting = framing_.expects_continue && input_.empty();
  framing_.expects_continue = false;
  if (waiting && transport_.write_all("HTTP/1.1 100 Continue\r\n\r\n") != IoState::kOk) {
    broken_ = true;
    return invalid_argument("BODY_INCOMPLETE", "the client went away");
  }
  return {};
}

Status Body::receive(const Take& take, size_t limit, Deadline deadline) {
  uint64_t total = 0;
  const Take counted = [&](std::string_view piece) -> Status {
    total += piece.size();
    return total > limit ? Status(too_large(limit)) : take(piece);
  };
  while (!finished()) {
    const int64_t extra_ms = static_cast<int64_t>(total / kBytesPerExtraSecond) * 1000;
    if (input_.empty()) TRY(fill(deadline.later_by_ms(extra_ms)));
    TRY(take_arrived(counted));
  }
  return {};
}

Status Body::fill(Deadline deadline) {
  switch (input_.fill(deadline)) {
    case IoState::kOk:
      return {};
    case IoState::kClosed:
      failure_ = invalid_argument("BODY_INCOMPLETE", "the connection ended before the body did");
      break;
    case IoState::kTooSlow:
      failure_ = Error{Code::kDeadlineExceeded, "BODY_TOO_SLOW", "the body did not arrive in time"};
      break;
    case IoState::kStopping:
      failure_ = Error{Code::kUnavailable, "SERVER_STOPPING", "this server is stopping"};
      break;
  }
  return *failure_;
}

Status Body::take_arrived(const Take& take) {
  if (framing_.length >= 0) {
    const size_t size = static_cast<size_t>(std::min<uint64_t>(left_, input_.bytes().size()));
    TRY(take(input_.bytes().substr(0, size)));
    input_.consume(size);
    left_ -= size;
    return {};
  }
  ASSIGN_OR_RETURN(const size_t used, chunks_.decode(input_.bytes(), take));
  input_.consume(used);
  return {};
}

bool Body::settle() {
  if (finished()) return true;
  if (broken_ || framing_.expects_continue || left_ > kSkipBytes) return false;
  return receive([](std::string_view) { return Status(); }, kSkipBytes, Deadline::in_ms(kSkipMs))
      .ok();
}

}  // namespace paddock::http_server
