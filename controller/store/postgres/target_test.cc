// The URL of a database: what it must say, and that nothing leaves this host unverified.
#include "controller/store/postgres/target.h"

#include <gtest/gtest.h>

namespace paddock::store::postgres {
namespace {

std::string reason(const std::string& url) {
  const auto target = parse_target(url);
  return target.ok() ? "" : target.error().reason.str();
}

TEST(Target, OfAnotherHostIsVerifiedOrRefused) {
  for (const char* mode : {"disable", "allow", "prefer", "require", "verify-ca"})
    EXPECT_EQ(reason(std::string("postgresql://u:p@db.example/d?sslmode=") + mode),
              "STORE_TLS_UNVERIFIED");
  EXPECT_EQ(reason("postgresql://u:p@localhost,db.example/d?sslmode=prefer"),
            "STORE_TLS_UNVERIFIED");
  EXPECT_EQ(reason("postgresql://u:p@localhost/d?hostaddr=192.0.2.1&sslmode=prefer"),
            "STORE_TLS_UNVERIFIED");
  EXPECT_EQ(reason("postgresql://u:p@127.db.example/d?sslmode=prefer"), "STORE_TLS_UNVERIFIED")
      << "a name, and no address";
  const auto target = parse_target("postgresql://u:p@db.example/d");
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->at("sslmode"), "verify-full");
}

TEST(Target, OfThisHostNeedsNoCertificate) {
  for (const char* url : {"postgresql:///d", "postgresql://u@localhost/d", "postgresql://[::1]/d",
                          "postgresql://127.0.0.1:6432/d", "postgresql:///d?host=/run/pg"})
    EXPECT_EQ(reason(url), "") << url;
  EXPECT_EQ(parse_target("postgresql:///d")->at("host"), "/var/run/postgresql")
      << "not what the environment says";
}

TEST(Target, ThatIsNoneIsRefusedWithoutRepeatingIt) {
  for (const char* url :
       {"", "mysql://u:hunter2@h/d", "postgresql://u:hunter2@[h/d", "postgresql://localhost",
        "postgresql://u:hunter2@localhost/d?nonsense=hunter2"}) {
    const auto target = parse_target(url);
    ASSERT_FALSE(target.ok()) << url;
    EXPECT_EQ(target.error().reason, "STORE_URL_INVALID") << url;
    EXPECT_EQ(target.error().describe().find("hunter2"), std::string::npos);
  }
}

}  // namespace
}  // namespace paddock::store::postgres
