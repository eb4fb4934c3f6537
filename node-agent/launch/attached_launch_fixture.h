// For tests of who orders attached runs: a launcher of theirs.
#pragma once

#include <poll.h>

#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/os/packet_socket.h"
#include "common/wire/json.h"
#include "node-agent/launch/attached_launch.h"
#include "tests/support/temp_dir.h"

namespace paddock::launch {

using contracts::FrameType;

// What it is ordered, and what it says.
class Fed : public testing::Test {
 protected:
  void SetUp() override {
    auto listener = os::listen_packets(socket());
    ASSERT_TRUE(listener.ok()) << listener.error().describe();
    listener_ = std::move(*listener);
    request_.trace_id = "trace-1";
  }
  std::string socket() const { return dir_.path() + "/socket"; }

  AttachedLaunch order(size_t max_result = 1 << 20, bool ahead = false) {
    std::thread server([&] {
      auto client = os::accept_packets(listener_.get());
      ASSERT_TRUE(client.has_value());
      auto packet = os::receive_packet(client->get());
      ASSERT_TRUE(packet.ok());
      ordered_ = std::move(*packet);
      ASSERT_TRUE(os::send_packet(client->get(), "pid 4711").ok());
      connection_ = std::move(*client);
    });
    auto out = ahead ? AttachedLaunch::prelaunch(socket(), request_, max_result)
                     : AttachedLaunch::order(socket(), request_, max_result);
    server.join();
    EXPECT_TRUE(out.ok());
    return std::move(*out);
  }
  void say(FrameType type, const std::string& payload) {
    ASSERT_TRUE(os::write_all(ordered_.fds.at(1).get(),
                              cat(contracts::frame_header(type, 0, payload.size()), payload, "\n"))
                    .ok());
  }
  static std::string result(int64_t rc) {
    contracts::SandboxResult out;
    out.rc = rc;
    return wire::encode_json(out);
  }
  // Until there is a result or an error.
  static Status follow(AttachedLaunch& launch, const AttachedLaunch::OnOutput& on_output = {}) {
    while (true) {
      pollfd waits{launch.events(), POLLIN, 0};
      if (poll(&waits, 1, 60'000) != 1) return Error{Code::kInternal, "NO_ANSWER", "in a minute"};
      ASSIGN_OR_RETURN(const bool there, launch.read_events(on_output));
      if (there) return {};
    }
  }

  test::TempDir dir_;
  os::Fd listener_;
  contracts::LaunchRequest request_;
  os::Packet ordered_;
  os::Fd connection_;
};

}  // namespace paddock::launch
