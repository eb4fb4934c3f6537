// A connection that has left HTTP, over the transport it had before. One thread, but for the waker.
#pragma once

#include <memory>

#include "controller/http_server/http_message.h"
#include "controller/http_server/input.h"
#include "controller/http_server/transport.h"

namespace paddock::http_server {

class UpgradedConnection final : public Upgraded {
 public:
  // Both outlive it. What is in `input` was sent behind the request, and is read first.
  static Result<std::unique_ptr<UpgradedConnection>> make(Transport& transport, Input& input);

  std::optional<size_t> read(char* into, size_t size) override;
  std::optional<size_t> write(std::string_view bytes) override;
  bool write_last(std::string_view bytes) override;
  bool wait(Wants wants, Millis limit) override;
  bool stopping() const override { return transport_.stopping(); }
  std::shared_ptr<Waker> waker() override;

 private:
  class EventWaker;
  UpgradedConnection(Transport& transport, Input& input, std::shared_ptr<EventWaker> waker)
      : transport_(transport), input_(input), waker_(std::move(waker)) {}

  Transport& transport_;
  Input& input_;
  const std::shared_ptr<EventWaker> waker_;
  bool write_wants_read_ = false;  // TLS has to hear of its peer before it can go on
};

}  // namespace paddock::http_server
