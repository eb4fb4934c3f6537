// For tests of who holds sandboxes that wait: a launcher of theirs, which starts nothing.
#pragma once

#include <poll.h>

#include <memory>
#include <thread>
#include <vector>

#include "node-agent/launch/attached_launch_fixture.h"
#include "node-agent/snippets/warm_sandbox.h"

namespace paddock::snippets {

class Sandboxes : public launch::Fed {
 protected:
  // The launcher's and the program's ends of one.
  struct Inside {
    os::Packet ordered;  // the request, where events are written, the program's standard input
    os::Fd connection;

    bool is_ended() const {  // by who holds it
      pollfd hears{connection.get(), POLLIN, 0};
      return poll(&hears, 1, 0) > 0;
    }
    void say(std::string_view bytes) {
      ASSERT_TRUE(os::write_all(ordered.fds.at(2).get(), bytes).ok());
    }
    void die() { ordered.fds.at(2).reset(); }
    void tell_result(contracts::SandboxStatus status) {
      contracts::SandboxResult result;
      result.status = status;
      const std::string text = wire::encode_json(result);
      const std::string frame =
          cat(contracts::frame_header(contracts::FrameType::kResult, 0, text.size()), text, "\n");
      ASSERT_TRUE(os::write_all(ordered.fds.at(1).get(), frame).ok());
    }
    void lose_launcher() {
      connection.reset();
      ordered.fds.clear();
    }
  };

  Result<std::unique_ptr<WarmSandbox>> launch() {
    std::thread server([&] {
      auto client = os::accept_packets(listener_.get());
      ASSERT_TRUE(client.has_value());
      auto packet = os::receive_packet(client->get());
      ASSERT_TRUE(packet.ok());
      ASSERT_TRUE(os::send_packet(client->get(), "pid 4711").ok());
      inside_.push_back({std::move(*packet), std::move(*client)});
    });
    auto out = WarmSandbox::launch(socket(), request_);
    server.join();
    return out;
  }

  ManualClock clock_;
  std::vector<Inside> inside_;
};

}  // namespace paddock::snippets
