// A run that a command can be executed in, and its end.
#pragma once

#include <poll.h>

#include <string>
#include <utility>
#include <vector>

#include "common/base/text.h"
#include "common/contracts/run_exec.h"
#include "common/os/file.h"
#include "node-agent/launch/attached_launch.h"
#include "node-agent/sessions/command.h"
#include "tests/adversarial/serve_fixture.h"

namespace paddock::adversarial {

struct Executed {
  contracts::SandboxResult result;
  std::string out;
  std::string err;
};

class Exec : public ServeTest {
 protected:
  std::string exec_socket() const { return folder() + "/io/exec"; }
  contracts::LaunchRequest open_run(const std::string& script) const {
    auto out = request({"sh", "-c", script});
    out.exec_socket = exec_socket();
    return out;
  }
  // Runs until the test ends it.
  contracts::LaunchRequest patient(const std::string& before = "") const {
    return open_run(before + "echo READY; while [ ! -e go ]; do sleep 0.02; done; echo DONE");
  }
  void allow() const { EXPECT_TRUE(os::write_file_atomic(workspace() + "/go", "", 0666).ok()); }

  Result<launch::AttachedLaunch> begin(std::vector<std::string> command, Millis time = kAmple,
                                       const std::string& id = "one") const {
    const contracts::ExecOrder order{
        .run_uid = "r", .command_id = id, .command = std::move(command), .time_ms = time.count()};
    return ordered([&] { return launch::AttachedLaunch::execute(exec_socket(), order, 64 << 20); });
  }
  // To its end, or to this text in its output.
  static bool follow(launch::AttachedLaunch& command, Executed& done, std::string_view until = {}) {
    const auto take = [&](contracts::FrameType type, std::string_view bytes) {
      (type == contracts::FrameType::kStdout ? done.out : done.err) += bytes;
    };
    while (!command.has_result()) {
      if (!until.empty() && done.out.find(until) != std::string::npos) return true;
      pollfd news{command.events(), POLLIN, 0};
      if (poll(&news, 1, 120'000) != 1 || !command.read_events(take).ok()) return false;
    }
    done.result = command.take_result();
    return until.empty() || done.out.find(until) != std::string::npos;
  }
  Executed execute(std::vector<std::string> command, Millis time = kAmple,
                   const std::string& id = "one") const {
    Executed done;
    auto begun = begin(std::move(command), time, id);
    EXPECT_TRUE(begun.ok()) << (begun.ok() ? "" : begun.error().describe());
    if (begun.ok()) {
      EXPECT_TRUE(follow(*begun, done));
    }
    return done;
  }
  Executed fed(std::vector<std::string> command, const std::string& input,
               Millis time = kAmple) const {
    Executed done;
    const contracts::ExecOrder order{.run_uid = "r",
                                     .command_id = "fed",
                                     .command = std::move(command),
                                     .time_ms = time.count()};
    auto begun = ordered([&] {
      return launch::AttachedLaunch::execute(exec_socket(), order, 64 << 20,
                                             launch::AttachedLaunch::Input::kPipe);
    });
    EXPECT_TRUE(begun.ok()) << (begun.ok() ? "" : begun.error().describe());
    if (!begun.ok()) return done;
    const auto take = [&](contracts::FrameType type, std::string_view bytes) {
      (type == contracts::FrameType::kStdout ? done.out : done.err) += bytes;
    };
    const sessions::Following how{.wall_time = time, .on_output = take, .input = input};
    auto result = sessions::follow(*begun, how, SystemClock());
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().describe());
    if (result.ok()) done.result = std::move(*result);
    return done;
  }
  Executed shell(const std::string& script, Millis time = kAmple) const {
    return execute({"sh", "-c", script}, time);
  }
};

}  // namespace paddock::adversarial
