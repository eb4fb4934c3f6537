// Tests of runs that belong to their client.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <string_view>
#include <utility>

#include "common/os/file.h"
#include "common/wire/json.h"
#include "tests/adversarial/serve_fixture.h"

namespace paddock::adversarial {

struct Fed {
  launch::Launched run;
  os::Fd talk;  // the other end of its standard input
  os::Fd events;
};

class AttachedRun : public ServeTest {
 protected:
  static constexpr Millis kLong = kAmple;
  // The first is enough for a shell to print a line, and the others for one that is given no
  // processor for long.
  static constexpr std::array<Millis, 3> kBriefTimes{Millis{3'000}, Millis{30'000},
                                                     Millis{120'000}};

  Result<Fed> feed(const contracts::LaunchRequest& launch) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      return system_error("a socket", errno);
    os::Fd talk(ends[0]);
    const os::Fd inside(ends[1]);
    ASSIGN_OR_RETURN(Fed out, feed(launch, inside));
    out.talk = std::move(talk);
    return out;
  }
  Result<Fed> feed(const contracts::LaunchRequest& launch, const os::Fd& input) {
    return place(launch, {.input = input.get()});
  }
  Result<Fed> prelaunch(const contracts::LaunchRequest& launch) {
    return place(launch, {.ahead = true});
  }
  contracts::SandboxResult result_of(const Fed& fed) {
    const auto bytes = os::read_all(fed.events.get(), 1 << 20);
    EXPECT_TRUE(bytes.ok());
    std::string_view rest = *bytes;
    contracts::Frame frame;
    contracts::SandboxResult out;
    while (contracts::take_frame(rest, frame).value()) {
      if (frame.type != contracts::FrameType::kResult) continue;
      out = wire::decode<contracts::SandboxResult>(wire::parse_json(frame.payload).value()).value();
    }
    return out;
  }
  // A run that has ended by then hears nothing.
  void say(Fed& fed, std::string_view text) {
    (void)!send(fed.talk.get(), text.data(), text.size(), MSG_NOSIGNAL);
    shutdown(fed.talk.get(), SHUT_WR);
  }

  // Returns once a run that was begun now has been ended for having taken so long.
  void wait_until_another_has_used_up(Millis time) {
    auto launch = request({"sleep", "1000"});
    launch.policy.limits.wall_time = wire::Duration{time};
    auto other = feed(launch);
    ASSERT_TRUE(other.ok() && launch::begin_attached(other->run, kLong).ok());
    EXPECT_EQ(result_of(*other).status, contracts::SandboxStatus::kTimeout);
  }

 private:
  Result<Fed> place(const contracts::LaunchRequest& launch, launch::OrderFiles files) {
    const os::Fd file(open((write_request(launch) + ".request").c_str(), O_RDONLY | O_CLOEXEC));
    ASSIGN_OR_RETURN(os::Pipe events, os::make_pipe());
    files.request = file.get();
    files.events = events.write.get();
    Fed out{{}, {}, std::move(events.read)};
    ASSIGN_OR_RETURN(out.run, order_of(files));
    return out;
  }
};

}  // namespace paddock::adversarial
