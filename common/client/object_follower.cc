#include "common/client/object_follower.h"

#include "common/base/percent.h"
#include "common/base/text.h"
#include "common/client/requests.h"
#include "common/contracts/status.h"
#include "common/wire/json.h"

namespace paddock::client {
namespace {

constexpr Millis kSoon{30'000};
constexpr Millis kSilenceOfMost{45'000};     // three bookmarks
constexpr Millis kSilenceOfEarlier{90'000};  // one and a half
constexpr size_t kMostLine = size_t{16} << 20;

bool passes_by_itself(const Error& error) {
  return error.reason != "ABORTED" && retryable(error.code);
}

Error unexpected_change(std::string_view what) {
  return {Code::kInternal, "UNEXPECTED_ANSWER", cat("the server's watch sent ", what)};
}

}  // namespace

Millis watch_silence(std::optional<Millis> first_bookmark) {
  return first_bookmark && *first_bookmark < kSoon ? kSilenceOfMost : kSilenceOfEarlier;
}

Status ObjectFollower::take_line(std::string_view line) {
  const Result<wire::Value> event = wire::parse_json(line, {.max_bytes = kMostLine});
  const wire::Value* object = event.ok() ? event->find("object") : nullptr;
  if (object == nullptr) return unexpected_change("a line that is no event");
  const std::string type = event->text("type");
  if (type == "ERROR") {
    const wire::Value* code = object->find("code");
    const bool known = code != nullptr && code->integer() != nullptr;
    return contracts::error_from_body(known ? static_cast<int>(*code->integer()) : 500, *object);
  }
  if (const std::string seen = object->text("metadata.resourceVersion"); !seen.empty())
    version_ = seen;
  reconnect_.progressed();
  if (type != "BOOKMARK") finished_ = !on_change_(type, *object);
  if (type == "BOOKMARK" && !first_bookmark_) first_bookmark_ = steady_now() - connected_;
  return {};
}

// False ends the connection.
bool ObjectFollower::take_piece(std::string_view piece) {
  reconnect_.answered();
  line_ += piece;
  size_t start = 0;
  for (size_t end = line_.find('\n'); end != std::string::npos && !finished_ && !broken_;
       end = line_.find('\n', start)) {
    const Status taken = take_line(std::string_view(line_).substr(start, end - start));
    if (!taken.ok()) broken_ = taken.error();
    start = end + 1;
  }
  line_.erase(0, start);
  if (line_.size() > kMostLine) broken_ = unexpected_change("a line without an end");
  return !finished_ && !broken_;
}

Result<bool> ObjectFollower::connect() {
  http::Request request = read_request(
      cat(target_,
          "&watch=true&allowWatchBookmarks=true&resourceVersion=", percent_encode(version_)),
      form_);
  request.timeout = Millis(0);
  connected_ = steady_now();
  first_bookmark_.reset();
  request.idle_timeout = watch_silence(first_bookmark_);
  // A watch that nothing happens to is silent as well.
  bound_try(request, reconnect_.for_try(), false);
  request.on_data = [&](std::string_view piece) {
    const bool more = take_piece(piece);
    request.idle_timeout = watch_silence(first_bookmark_);  // looked at anew for each wait
    return more;
  };
  line_.clear();
  broken_.reset();
  Failure failure;
  const Result<http::Response> response = client_.once(*client_.http_, request, failure);
  if (finished_) return true;
  if (broken_) failure = {*broken_};
  if ((!response.ok() || broken_) && !passes_by_itself(failure.error)) return failure.error;
  const Error lost{Code::kUnavailable, "STREAM_LOST", "the connection to the controller is lost"};
  TRY(reconnect_.wait(failure, lost, client_.random_, client_.pause_));
  return false;
}

Status ObjectFollower::run() {
  for (;;) {
    ASSIGN_OR_RETURN(const bool finished, connect());
    if (finished) return {};
  }
}

Status ControllerClient::follow_objects(const std::string& target, const std::string& version,
                                        Millis patience, const OnChange& on_change, ListForm form) {
  return ObjectFollower(*this, target, version, patience, on_change, form).run();
}

}  // namespace paddock::client
