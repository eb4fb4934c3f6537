// Which controller a command talks to.
#include "cli/client/connection.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include <gtest/gtest.h>

#include "common/os/fd.h"
#include "common/os/file.h"
#include "common/os/read_stream.h"
#include "tests/support/temp_dir.h"

namespace paddock::cli {
namespace {

class Connection : public testing::Test {
 protected:
  ManualClock clock_;
  SeededRandom random_{1};
  Env env_{{}, "/home/me/project", "/usr/bin", false, false, {}, {}, clock_, random_};
};

TEST_F(Connection, TheTargetIsAnInstanceUnlessAServerIsNamed) {
  EXPECT_EQ(choose_target({}, env_)->instance, "default");
  env_.vars["PADDOCK_INSTANCE"] = "lab";
  EXPECT_EQ(choose_target({}, env_)->instance, "lab");
  env_.vars["PADDOCK_SERVER"] = "https://elsewhere";
  EXPECT_TRUE(choose_target({}, env_)->remote);
  EXPECT_FALSE(choose_target({.instance = "a"}, env_)->remote);
  EXPECT_EQ(choose_target({.instance = "a", .server = "https://b"}, env_).error().reason,
            "TWO_TARGETS");
  EXPECT_EQ(choose_target({.instance = "a/b"}, env_).error().reason, "INVALID_INSTANCE_NAME");
}

TEST_F(Connection, AnInstanceWhoseControllerEndedSaysWhichItWas) {
  env_.vars["PADDOCK_HOME"] = testing::TempDir() + "paddock-ended";
  const InstancePaths paths = find_instance(env_, "default").value();
  ASSERT_TRUE(os::make_dirs(paths.folder).ok());
  InstancePointer pointer;
  pointer.id = "of-an-up";
  pointer.instance = "default";
  pointer.controller = ProcessRef{77, 1, "another boot", ""};
  ASSERT_TRUE(write_pointer(paths.pointer(), pointer).ok());
  const Error error = resolve_endpoint({}, env_).error();
  EXPECT_EQ(error.reason, "INSTANCE_NOT_UP");
  EXPECT_NE(error.message.find("process 77"), std::string::npos);
  EXPECT_TRUE(os::remove_tree(env_.vars["PADDOCK_HOME"]).ok());
}

// Whoever says how patient they are may be about to start it again.
TEST_F(Connection, AControllerThatEndedIsWaitedForWithAPatienceThatWasGiven) {
  const test::TempDir home;
  env_.vars["PADDOCK_HOME"] = home / "state";
  const InstancePaths paths = find_instance(env_, "default").value();
  ASSERT_TRUE(os::make_dirs(paths.controller_data() + "/tokens").ok());
  ASSERT_TRUE(os::write_file_atomic(paths.controller_data() + "/tokens/admin", "operator\n").ok());
  InstancePointer pointer;
  pointer.id = "of-an-up";
  pointer.instance = "default";
  pointer.controller = ProcessRef{77, 1, "another boot", ""};
  ASSERT_TRUE(write_pointer(paths.pointer(), pointer).ok());
  env_.patience_given = true;
  env_.patience = Millis(1'000);
  std::string said;
  env_.err.write = [&](std::string_view text) {
    said += text;
    clock_.advance(Millis(1'000));
  };
  EXPECT_EQ(resolve_endpoint({}, env_).error().reason, "INSTANCE_NOT_UP");
  EXPECT_NE(said.find("process 77, has ended; waiting for it for 1s"), std::string::npos) << said;
  env_.err.write = [&](std::string_view) {
    pointer.url = "http://127.0.0.1:1";
    pointer.controller = to_ref(*os::identify(::getpid()));
    EXPECT_TRUE(write_pointer(paths.pointer(), pointer).ok());
  };
  const auto endpoint = resolve_endpoint({}, env_);
  ASSERT_TRUE(endpoint.ok()) << endpoint.error().describe();
  EXPECT_EQ(endpoint->base_url, "http://127.0.0.1:1");
}

// As `--token-file`: what another program writes is read to its end.
TEST_F(Connection, ACaFileThatIsNamedMayBeAPipe) {
  const test::TempDir folder;
  const std::string pipe = folder / "ca";
  for (const bool by_name : {true, false}) {
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const std::jthread writer([&] {
      const os::Fd to(::open(pipe.c_str(), O_WRONLY | O_CLOEXEC));
      EXPECT_TRUE(os::write_all(to.get(), "a certificate").ok());
    });
    if (!by_name) env_.vars["PADDOCK_CA_FILE"] = pipe;
    const auto endpoint = resolve_endpoint(
        {.server = "https://elsewhere", .ca_file = by_name ? pipe : std::string()}, env_);
    // One that nobody opened would keep its writer waiting.
    if (!endpoint.ok()) (void)os::read_stream(pipe);
    ASSERT_TRUE(endpoint.ok()) << endpoint.error().describe();
    EXPECT_EQ(endpoint->ca_pem, "a certificate");
    ASSERT_EQ(::unlink(pipe.c_str()), 0);
  }
}

// A narrow token that is set and ignored would let a program act as the operator.
TEST_F(Connection, AnInstanceIsAskedByWhomeverIsNamed) {
  env_.vars["PADDOCK_HOME"] = testing::TempDir() + "paddock-asked";
  const InstancePaths paths = find_instance(env_, "default").value();
  ASSERT_TRUE(os::make_dirs(paths.controller_data() + "/tokens").ok());
  ASSERT_TRUE(os::write_file_atomic(paths.controller_data() + "/tokens/admin", "operator\n").ok());
  InstancePointer pointer;
  pointer.id = "of-an-up";
  pointer.instance = "default";
  pointer.url = "http://127.0.0.1:1";
  pointer.controller = to_ref(*os::identify(::getpid()));
  ASSERT_TRUE(write_pointer(paths.pointer(), pointer).ok());
  EXPECT_EQ(resolve_endpoint({}, env_)->token, "operator");
  env_.vars["PADDOCK_TOKEN"] = "narrow";
  EXPECT_EQ(resolve_endpoint({}, env_)->token, "narrow");
  EXPECT_EQ(resolve_endpoint({.token_file = "/nowhere"}, env_).error().reason,
            "TOKEN_FILE_UNREADABLE");
  EXPECT_TRUE(os::remove_tree(env_.vars["PADDOCK_HOME"]).ok());
}

TEST_F(Connection, WhatIsWrongIsNamedAsItWasGiven) {
  const auto place = [this](const ConnectionOptions& options) {
    return resolve_endpoint(options, env_).error().causes.at(0).field;
  };
  EXPECT_EQ(place({.instance = "a/b"}), "--instance");
  EXPECT_EQ(place({.server = "ftp://x"}), "--server");
  EXPECT_EQ(place({.server = "https://x", .ca_file = "/nowhere"}), "--ca-file");
  env_.vars = {{"PADDOCK_INSTANCE", "a/b"}};
  EXPECT_EQ(place({}), "PADDOCK_INSTANCE");
  env_.vars = {{"PADDOCK_SERVER", "ftp://x"}};
  EXPECT_EQ(place({}), "PADDOCK_SERVER");
  env_.vars = {{"PADDOCK_SERVER", "https://x"}, {"PADDOCK_CA_FILE", "/nowhere"}};
  EXPECT_EQ(place({}), "PADDOCK_CA_FILE");
}

TEST_F(Connection, AnInstanceThatIsNotUpSaysSo) {
  env_.vars["PADDOCK_HOME"] = testing::TempDir() + "paddock-nowhere";
  EXPECT_EQ(resolve_endpoint({}, env_).error().reason, "INSTANCE_NOT_UP");
  EXPECT_EQ(resolve_endpoint({.server = "ftp://x"}, env_).error().reason, "INVALID_SERVER");
}

}  // namespace
}  // namespace paddock::cli
