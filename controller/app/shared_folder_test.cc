// What several controllers have in common: made once, taken by each, and known to the first to
// lead.
#include "controller/app/shared_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "controller/api/handlers/access/first_tokens.h"
#include "controller/auth/token.h"
#include "tests/support/temp_dir.h"

namespace paddock::app {
namespace {

class SharedFolder : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(make_shared_files(shared(), clock_, random_).ok()); }
  std::string shared() const { return folder_ / "shared"; }
  Config config(const std::string& data_dir) const {
    Config out;
    out.data_dir = folder_ / data_dir;
    out.store.postgres.shared_dir = shared();
    EXPECT_TRUE(os::make_dirs(out.data_dir, 0700).ok());
    return out;
  }
  std::string text(const std::string& path) const { return os::read_file(folder_ / path).value(); }

  const test::TempDir folder_;
  ManualClock clock_;
  SeededRandom random_{7};
};

TEST_F(SharedFolder, HasAllThatControllersHaveInCommonAndIsMadeOnce) {
  EXPECT_THAT(os::list_dir(shared()).value(),
              testing::UnorderedElementsAre("ca.pem", "ca-key.pem", "admin-token", "enroll-token",
                                            "execute-token", "secrets.key", "receipt-keys.pem",
                                            "bucket-id"));
  const std::string token = text("shared/admin-token");
  EXPECT_EQ(make_shared_files(shared(), clock_, random_).error().reason, "FLAG_INVALID");
  EXPECT_EQ(text("shared/admin-token"), token);
}

TEST_F(SharedFolder, FillsWhatADataFolderLacksAndReplacesNothing) {
  const Config one = config("one");
  ASSERT_TRUE(os::write_file_atomic(os::join_path(one.data_dir, "secrets.key"), "newer\n").ok());
  ASSERT_TRUE(take_shared_files(one).ok());
  EXPECT_EQ(text("one/tokens/admin"), text("shared/admin-token"));
  EXPECT_EQ(text("one/tls/ca-key.pem"), text("shared/ca-key.pem"));
  EXPECT_EQ(text("one/secrets.key"), "newer\n");
  EXPECT_FALSE(os::exists(os::join_path(one.data_dir, "bucket-id"))) << "there is no bucket";
  EXPECT_FALSE(os::exists(os::join_path(one.data_dir, "tokens/execute")));
}

TEST_F(SharedFolder, NamesAFileThatIsMissingThere) {
  ASSERT_TRUE(os::remove_tree(os::join_path(shared(), "receipt-keys.pem")).ok());
  const Status taken = take_shared_files(config("one"));
  ASSERT_EQ(taken.error().reason, "CONFIG_INVALID");
  EXPECT_NE(taken.error().describe().find("receipt-keys.pem"), std::string::npos);
}

// Nobody has led this database yet. Later, the tokens in the store decide.
TEST_F(SharedFolder, ItsTokensAreKnownToTheFirstThatLeads) {
  const auto store = store::Store::open({}).value();
  const Config one = config("one");
  ASSERT_TRUE(take_shared_files(one).ok());
  ASSERT_TRUE(api::prepare_tokens(*store, first_tokens(one), random_).ok());
  const std::string admin = text("shared/admin-token");
  EXPECT_EQ(text("one/tokens/admin"), admin);
  const auto known = store->token_by_hash(auth::token_hash(trim(admin))).value();
  ASSERT_TRUE(known);
  EXPECT_EQ(known->scopes, auth::admin_scopes());

  store::TokenRecord revoked = *known;
  revoked.revoked = true;
  ASSERT_TRUE(store->write([&](store::WriteTxn& txn) { return txn.put_token(revoked); }).ok());
  ASSERT_TRUE(api::prepare_tokens(*store, first_tokens(one), random_).ok());
  EXPECT_NE(text("one/tokens/admin"), admin) << "it was revoked, and is not given again";
}

TEST_F(SharedFolder, ATokenThatWasRevokedIsNotTakenOnceItsRecordIsForgotten) {
  const auto store = store::Store::open({}).value();
  Config one = config("one");
  const auto start = [&] {
    ASSERT_TRUE(take_shared_files(one).ok());
    ASSERT_TRUE(api::prepare_tokens(*store, first_tokens(one), random_).ok());
  };
  start();
  const std::string shared_token = text("shared/enroll-token");
  EXPECT_EQ(text("one/tokens/enroll"), shared_token);
  one.enroll_token = false;
  start();
  ASSERT_TRUE(store
                  ->write([](store::WriteTxn& txn) -> Status {
                    TRY(txn.prune_tokens(1'000, 0, 10));
                    ASSIGN_OR_RETURN(const int64_t gone, txn.prune_tokens(2'000, 0, 10));
                    EXPECT_EQ(gone, 1);
                    return {};
                  })
                  .ok());
  one.enroll_token = true;
  start();
  EXPECT_NE(text("one/tokens/enroll"), shared_token);
  EXPECT_FALSE(store->token_by_hash(auth::token_hash(trim(shared_token))).value());
}

TEST_F(SharedFolder, ATokenOfAFileAloneIsNotTaken) {
  const auto store = store::Store::open({}).value();
  Config one = config("one");
  ASSERT_TRUE(take_shared_files(one).ok());
  one.store.postgres.shared_dir.clear();
  ASSERT_TRUE(api::prepare_tokens(*store, first_tokens(one), random_).ok());
  EXPECT_NE(text("one/tokens/admin"), text("shared/admin-token"));
  const Config two = config("two");
  ASSERT_TRUE(os::make_dirs(os::join_path(two.data_dir, "tokens"), 0700).ok());
  ASSERT_TRUE(os::write_file_atomic(os::join_path(two.data_dir, "tokens/admin"), "pdk-1\n").ok());
  const auto other = store::Store::open({}).value();
  ASSERT_TRUE(api::prepare_tokens(*other, first_tokens(two), random_).ok());
  EXPECT_NE(text("two/tokens/admin"), "pdk-1\n") << "too short to be a secret";
}

}  // namespace
}  // namespace paddock::app
