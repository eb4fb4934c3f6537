// The body of one request, read from the connection when a handler asks. One thread.
#pragma once

#include <optional>

#include "controller/http_server/chunk_decoder.h"
#include "controller/http_server/http_message.h"
#include "controller/http_server/input.h"

namespace paddock::http_server {

struct BodyFraming {
  int64_t length = 0;             // -1: chunked
  bool expects_continue = false;  // the client waits for `100 Continue` before it sends
  int timeout_ms = 0;
};

class Body final : public BodyReader {
 public:
  Body(Transport& transport, Input& input, const BodyFraming& framing);
  int64_t length() const override { return framing_.length; }
  Result<std::string> read(size_t limit) override;
  Status stream(size_t limit, const std::function<Status(std::string_view)>& take) override;

  // After the handler: skips a small rest that is there or about to be. False when the connection
  // cannot be used for another request.
  bool settle();
  // Why reading ended early, if it was the client's doing.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  using Take = std::function<Status(std::string_view)>;
  bool finished() const { return framing_.length < 0 ? chunks_.done() : left_ == 0; }
  Status send_continue();
  Status receive(const Take& take, size_t limit, Deadline deadline);
  Status fill(Deadline deadline);
  Status take_arrived(const Take& take);

  Transport& transport_;
  Input& input_;
  BodyFraming framing_;
  uint64_t left_;  // of a body with a length
  ChunkDecoder chunks_;
  bool broken_ = false;  // reading stopped at a place from which it cannot go on
  std::optional<Error> failure_;
};

}  // namespace paddock::http_server
