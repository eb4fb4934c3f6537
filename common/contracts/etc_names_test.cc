#include "common/contracts/etc_names.h"

#include <gtest/gtest.h>

namespace paddock::contracts {
namespace {

TEST(EtcNames, WhatInstalledSoftwareFindsItsDataBy) {
  for (const char* name : {"odbcinst.ini", "opt/tool/tool.conf", "R", "freetds/freetds.conf",
                           "ssl/openssl.cnf", "sshlike", "g++.d/x_1@y"})
    EXPECT_EQ(etc_name_fault(name), "") << name;
}

TEST(EtcNames, NoSecretsNoHostAndNoWayOut) {
  for (const char* name :
       {"shadow", "shadow-", "ssh", "ssh/ssh_host_ed25519_key", "ssl", "ssl/private/x.key", "pki",
        "passwd", "hosts", "machine-id", "systemd/network", "sudoers.d/me", "paddock/token"})
    EXPECT_NE(etc_name_fault(name), "") << name;
  for (const char* name : {"", "/", "/etc/x", ".", "..", "../root", "a/../shadow", "a//b", "a/",
                           "*", "x,y", "a b", "a\nb", "shado[w]", "~", "ä"})
    EXPECT_NE(etc_name_fault(name), "") << name;
}

}  // namespace
}  // namespace paddock::contracts
