// What sockets hold and no cgroup counts is bounded as well, and honest servers do not notice.
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "tests/adversarial/sandbox_run.h"

namespace paddock::adversarial {
namespace {

using contracts::LaunchRequest;
using contracts::SandboxStatus;
using testing::HasSubstr;
using wire::Quantity;

class Sockets : public SandboxTest {
 protected:
  void expect_ended(const char* where, int64_t memory = 64 * kMiB) {
    LaunchRequest launch = request(probe("hoard_queues", {where}));
    launch.policy.limits.memory = Quantity{memory};
    launch.policy.limits.open_files = 16'384;
    const Finished done = run(launch);
    ASSERT_TRUE(done.result);
    EXPECT_EQ(done.result->status, SandboxStatus::kMemLimit) << where << ": " << done.out;
    EXPECT_THAT(done.result->reason, HasSubstr("memory limit reached")) << where;
  }
};
INSTANTIATE_TEST_SUITE_P(, Sockets, testing::Values(As::kRoot, As::kUser), name_of);

// What the launcher asks the kernel with; a module on most hosts.
std::string why_not_counted() {
  struct {
    nlmsghdr head;
    inet_diag_req_v2 body;
  } question{};
  question.head.nlmsg_len = sizeof question;
  question.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  question.body.sdiag_family = AF_INET;
  question.body.sdiag_protocol = IPPROTO_UDP;
  const os::Fd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!socket.valid()) return "this kernel has no sock_diag";
  struct {
    nlmsghdr head;
    int error;
  } first{};
  if (send(socket.get(), &question, sizeof question, 0) < 0 ||
      recv(socket.get(), &first, sizeof first, 0) < static_cast<ssize_t>(sizeof first))
    return "this kernel does not answer";
  const bool ends = first.head.nlmsg_type == NLMSG_DONE || first.head.nlmsg_type == NLMSG_ERROR;
  return ends && first.error == -ENOENT ? "this host has no module udp_diag" : "";
}

TEST_P(Sockets, WhatNobodyTakesOutOfThemEndsTheRun) {
  if (const std::string why = why_not_counted(); !why.empty()) GTEST_SKIP() << why;
  for (const char* where :
       {"unaccepted", "replies", "parts", "datagrams", "streams", "ports and groups"})
    expect_ended(where);
}

TEST_P(Sockets, SoDoesWhatIsInNoListOfTheKernel) {
  for (const char* where : {"reset", "disconnected"}) expect_ended(where);
}

// The host has so many for all (tcp_max_orphans).
TEST_P(Sockets, SoDoConnectionsThatNobodyHasWhateverTheyHold) {
  if (const std::string why = why_not_counted(); !why.empty()) GTEST_SKIP() << why;
  expect_ended("connections", 2048 * kMiB);
}

TEST_P(Sockets, OfAnHonestServerAreLetAlone) {
  LaunchRequest launch = request(probe("honest_sockets"));
  launch.policy.limits.memory = Quantity{256 * kMiB};
  launch.policy.limits.open_files = 2000;
  const Finished done = run(launch);
  ASSERT_TRUE(done.result);
  EXPECT_EQ(done.result->status, SandboxStatus::kOk) << done.result->reason << done.out;
  EXPECT_THAT(done.out, HasSubstr("SERVED "));
}

}  // namespace
}  // namespace paddock::adversarial
