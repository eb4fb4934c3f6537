#include "controller/http_server/certificate_files.h"

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/crypto/certificate.h"
#include "common/os/file.h"
#include "tests/support/temp_dir.h"

namespace paddock::http_server {
namespace {

using testing::HasSubstr;

constexpr WallTime kNow{1'790'000'000'000};
constexpr Millis kDay = std::chrono::hours(24);

class LocalCa : public testing::Test {
 protected:
  LocalCa() { settings_.folder = dir_ / "tls"; }
  Result<TlsFiles> prepare(WallTime now) { return prepare_tls(settings_, random_, now); }
  std::string ca() { return os::read_file(dir_.path() + "/tls/ca.pem").value(); }

  test::TempDir dir_;
  CertificateSettings settings_;
  SeededRandom random_{1};
};

TEST_F(LocalCa, KeepsItsCertificatesWhileTheyLast) {
  const auto first = prepare(kNow);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(prepare(kNow + kDay * 700)->certificate_pem, first->certificate_pem);
  const std::string before = ca();
  EXPECT_NE(prepare(kNow + kDay * 820)->certificate_pem, first->certificate_pem);
  EXPECT_EQ(ca(), before);
}

// A folder that leads to itself (ELOOP) is one that root cannot look into either.
TEST_F(LocalCa, ThatCannotBeLookedForIsNotMissing) {
  ASSERT_EQ(::symlink("tls", (dir_ / "tls").c_str()), 0);
  EXPECT_FALSE(check_tls_files(settings_, kNow).ok());
}

TEST_F(LocalCa, AClockThatIsYearsAheadDoesNotCostTheCa) {
  ASSERT_TRUE(prepare(kNow).ok());
  const std::string before = ca();
  const Error refused = prepare(kNow + kDay * 4000).error();
  EXPECT_EQ(refused.reason, "CA_EXPIRED");
  EXPECT_THAT(refused.message, HasSubstr("timedatectl set-ntp true"));
  EXPECT_THAT(refused.message, HasSubstr(format_time(kNow + kDay * 4000)));
  EXPECT_EQ(refused.message.find(dir_.path()), std::string::npos);
  EXPECT_EQ(ca(), before);
  EXPECT_TRUE(prepare(kNow).ok()) << "as soon as the clock is right";
}

TEST_F(LocalCa, ACaThatEndsSoonIsNotReplacedUnasked) {
  ASSERT_TRUE(prepare(kNow).ok());
  const std::string before = ca();
  EXPECT_TRUE(prepare(kNow + kDay * 3640).ok());
  EXPECT_EQ(ca(), before);
}

TEST_F(LocalCa, ACertificateMadeWhileTheClockWasAheadIsMadeAgain) {
  ASSERT_TRUE(prepare(kNow).ok());
  settings_.names = {"other.example"};  // so that there is a new one
  const auto ahead = prepare(kNow + kDay * 300);
  const auto after = prepare(kNow + kDay);
  EXPECT_NE(after->certificate_pem, ahead->certificate_pem);
  EXPECT_LE(crypto::certificate_validity(after->certificate_pem)->begin, kNow + kDay);
}

// The clock may as well be behind now: then a new one would be refused by everybody.
TEST_F(LocalCa, NothingIsMadeAgainWhereTheCaIsOfTheFutureToo) {
  const auto first = prepare(kNow);
  EXPECT_EQ(prepare(WallTime{0})->certificate_pem, first->certificate_pem);
}

}  // namespace
}  // namespace paddock::http_server
