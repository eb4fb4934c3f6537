#include "node-agent/sandbox/linux/host/covered_proc.h"

#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

constexpr const char* kHost =
    "24 30 0:22 / /proc rw,nosuid,nodev,noexec,relatime shared:12 - proc proc rw\n"
    "31 24 0:27 / /proc/sys/fs/binfmt_misc rw,relatime shared:13 - autofs systemd-1 rw\n"
    "32 30 0:28 / /sys rw - sysfs sysfs rw\n";

TEST(CoveredProc, AHostsOwnIsWhole) {
  EXPECT_FALSE(covers_proc(kHost));
  EXPECT_FALSE(covers_proc(""));
  EXPECT_FALSE(covers_proc("1 2 0:3 / /process/x rw - tmpfs tmpfs rw\n"));
}

TEST(CoveredProc, WhatRuntimesPutOverItIsSeen) {
  const std::string host = kHost;
  EXPECT_TRUE(covers_proc(host + "90 24 0:5 /null /proc/kcore rw,nosuid - devtmpfs udev rw\n"));
  EXPECT_TRUE(covers_proc(host + "91 24 0:22 /sys /proc/sys ro,relatime - proc proc rw\n"));
  EXPECT_TRUE(covers_proc(host + "92 24 0:60 / /proc/driver/nvidia rw - tmpfs tmpfs rw\n"));
}

}  // namespace
}  // namespace paddock::sandbox
