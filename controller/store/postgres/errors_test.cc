// What libpq says of a connection, as ours: whether anybody was asked at all.
#include "controller/store/postgres/errors.h"

#include <gtest/gtest.h>

#include "controller/store/postgres/connection.h"
#include "controller/store/postgres/target.h"

namespace paddock::store::postgres {
namespace {

Error error_of(const std::string& url) {
  return Connection::open(parse_target(url).value(), "test").error();
}

TEST(ConnectError, AnOptionThatLibpqRefusesIsAFaultOfTheUrl) {
  for (const char* options :
       {"sslmode=hunter2", "service=hunter2", "port=hunter2", "port=99999999",
        "target_session_attrs=hunter2", "hostaddr=::1,::1", "channel_binding=hunter2"}) {
    const Error error = error_of(std::string("postgresql:///paddock?host=/nowhere&") + options);
    EXPECT_EQ(error.reason, "STORE_URL_INVALID") << options << ": " << error.describe();
    EXPECT_EQ(error.describe().find("hunter2"), std::string::npos) << error.describe();
    EXPECT_EQ(error.causes.front().field, "store.postgres.urlFile");
  }
  const Error late = error_of("postgresql://127.0.0.1:1/paddock?keepalives=hunter2");
  EXPECT_EQ(late.reason, "STORE_URL_INVALID") << late.describe();
}

TEST(ConnectError, AServerThatIsNotThereIsAway) {
  EXPECT_EQ(error_of("postgresql:///paddock?host=/nowhere").reason, "STORE_AWAY");
  EXPECT_EQ(error_of("postgresql://127.0.0.1:1/paddock").reason, "STORE_AWAY");
  EXPECT_EQ(connect_error("could not translate host name \"x\" to address: no such name").reason,
            "STORE_AWAY");
  EXPECT_EQ(
      connect_error("connection to server at \"db\" failed: FATAL:  invalid value: \"x\"").reason,
      "STORE_AWAY");
}

// As libpq 15 says it, with target_session_attrs=read-write.
TEST(ConnectError, AReplicaIsAFaultOfTheUrlUnlessAnotherServerMayTakeWritesLater) {
  const std::string replica =
      "connection to server at \"b\", port 5432 failed: session is read-only";
  const Error alone = connect_error(replica);
  EXPECT_EQ(alone.reason, "STORE_READ_ONLY");
  EXPECT_EQ(alone.code, Code::kFailedPrecondition);
  for (const char* other : {"Connection refused\n\tIs the server running?",
                            "FATAL:  the database system is starting up", "session is read-only"}) {
    const Error error = connect_error(
        std::string("connection to server at \"a\", port 5432 failed: ") + other + "\n" + replica);
    EXPECT_EQ(error.reason, "STORE_AWAY") << other;
    EXPECT_EQ(error.code, Code::kUnavailable) << "it is sent again";
    EXPECT_EQ(error.message.find("name the primary"), std::string::npos) << error.message;
  }
}

TEST(ConnectError, OfSeveralServersTheOneThatTakesWritesIsAskedHoweverTheyAreNamed) {
  for (const char* url :
       {"postgresql://127.0.0.1,localhost/d", "postgresql:///d?hostaddr=127.0.0.1,127.0.0.2"})
    EXPECT_EQ(parse_target(url).value()["target_session_attrs"], "read-write") << url;
  EXPECT_FALSE(parse_target("postgresql://127.0.0.1/d")->contains("target_session_attrs"));
}

}  // namespace
}  // namespace paddock::store::postgres
