#include "node-agent/host/capabilities.h"

#include <csignal>
#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/event.h"
#include "common/os/file.h"
#include "tests/support/temp_dir.h"

namespace paddock::agent {
namespace {

// Its proof repeats two variables of its environment.
constexpr const char* kLauncher = R"sh(#!/bin/sh
cat <<PROOF
{"capabilities": [{"name": "told", "details": "$KUBERNETES_SERVICE_HOST,$SECRET"}],
 "canaries": [{"name": "one", "capability": "sandbox"}]}
PROOF
)sh";

std::string told(const std::map<std::string, std::string>& own) {
  const test::TempDir folder;
  folder.write("sandbox", kLauncher, 0755);
  const auto proof = prove_sandbox(folder / "sandbox", own, -1);
  return proof ? proof->capabilities.at(0).details : proof.error().describe();
}

TEST(ProveSandbox, TellsTheLauncherThatItIsInAPodAndNothingElseOfTheAgentsEnvironment) {
  EXPECT_EQ(told({{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}, {"SECRET", "x"}}), "10.0.0.1,");
  EXPECT_EQ(told({{"SECRET", "x"}}), ",");
}

TEST(ProveSandbox, EndsTheProgramOnceTheAgentIsToldToStop) {
  const test::TempDir folder;
  folder.write("sandbox",
               cat("#!/bin/sh\necho $$ >", folder / "pid", "\nmv ", folder / "pid", " ",
                   folder / "begun", "\nexec sleep 600\n"),
               0755);
  const os::Event stop;
  auto proof = std::async(std::launch::async,
                          [&] { return prove_sandbox(folder / "sandbox", {}, stop.fd()); });
  while (!os::exists(folder / "begun")) std::this_thread::yield();
  stop.raise();
  const auto made = proof.get();
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().reason, "INTERRUPTED");
  const auto pid = parse_integer<pid_t>(trim(*os::read_file(folder / "begun")));
  ASSERT_TRUE(pid);
  EXPECT_NE(::kill(*pid, 0), 0) << "it goes on";
}

}  // namespace
}  // namespace paddock::agent
