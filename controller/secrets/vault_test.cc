#include "controller/secrets/vault.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/file.h"
#include "controller/store/backup.h"
#include "tests/support/temp_dir.h"

namespace paddock::secrets {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kValue = "hunter2-the-value";

class VaultTest : public testing::Test {
 protected:
  VaultTest() : vault_(key_file()) {
    store_ = std::move(store::Store::open({.path = dir_ / "paddock.db"})).value();
  }
  std::string key_file() const { return dir_ / "secrets.key"; }

  Place add(const std::string& name, const std::map<std::string, std::string>& values) {
    contracts::Secret secret;
    secret.metadata.name = name;
    secret.metadata.name_space = "team";
    secret.metadata.uid = cat("uid-", name);
    const Place place{{"team", name}, secret.metadata.uid};
    EXPECT_TRUE(vault_.make_ready(*store_, random_).ok());
    const Status stored = store_->write([&](store::WriteTxn& txn) -> Status {
      TRY(txn.create(secret));
      return put_values(txn, *vault_.keys(), place, values, random_);
    });
    EXPECT_TRUE(stored.ok());
    return place;
  }
  std::string open(const Place& place, const std::string& name = "k") {
    const auto values = vault_.open_values(*store_, place);
    return values ? values->at(name) : values.error().reason.str();
  }
  Result<contracts::SecretKeyRotation> rotate() {
    return vault_.rotate(
        *store_, random_,
        [](store::WriteTxn&, const contracts::SecretKeyRotation&) { return Status(); });
  }
  std::vector<std::string> in_use() {
    std::vector<std::string> keys;
    EXPECT_TRUE(store_
                    ->read([&](store::ReadTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(keys, txn.sealing_keys());
                      return {};
                    })
                    .ok());
    return keys;
  }
  // Every byte that lies in the folder, but for the key's own file.
  std::string everything_on_disk() const {
    std::string all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(dir_.path())) {
      if (!entry.is_regular_file() || entry.path() == key_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      all.append(std::istreambuf_iterator<char>(file), {});
    }
    return all;
  }

  test::TempDir dir_;
  SeededRandom random_{11};
  std::unique_ptr<store::Store> store_;
  Vault vault_;
};

// A folder that leads to itself (ELOOP) is one that root cannot look into either.
TEST_F(VaultTest, AKeyThatCannotBeLookedForIsNotMissing) {
  add("s", {{"k", kValue}});
  ASSERT_EQ(::symlink("loop", (dir_ / "loop").c_str()), 0);
  Vault blind(dir_ / "loop/secrets.key");
  EXPECT_FALSE(blind.keys().ok());
  const Status checked = blind.check(*store_);
  ASSERT_FALSE(checked.ok());
  EXPECT_THAT(checked.error().message, HasSubstr("looking for secrets.key"));
}

TEST_F(VaultTest, MakesItsKeyWithTheFirstSecretForItsOwnerAlone) {
  EXPECT_TRUE(vault_.keys()->empty());
  EXPECT_FALSE(os::exists(key_file()));
  const Place place = add("db", {{"k", kValue}, {"empty", ""}});
  struct stat info {};
  ASSERT_EQ(::stat(key_file().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_EQ(open(place), kValue);
  EXPECT_EQ(open(place, "empty"), "");
  EXPECT_EQ(vault_.keys()->keys.size(), 1u) << "the second value made no second key";
}

TEST_F(VaultTest, NeitherTheStoreNorItsBackupHoldsAValueOrTheKey) {
  add("db", {{"k", kValue}});
  const std::string key = vault_.keys()->keys.front().bytes;
  ASSERT_TRUE(store::back_up(dir_ / "paddock.db", dir_ / "copy.db").ok());
  const std::string all = everything_on_disk();
  EXPECT_GT(all.size(), 8'000u);
  for (const std::string& secret :
       {std::string(kValue), base64(kValue), hex(kValue), key, hex(key)})
    EXPECT_EQ(all.find(secret), std::string::npos);
}

TEST_F(VaultTest, ARowThatWasMovedToAnotherSecretDoesNotOpen) {
  const Place one = add("one", {{"k", kValue}});
  const Place two = add("two", {{"k", "other"}, {"l", "more"}});
  std::vector<store::SealedValue> rows;
  ASSERT_TRUE(store_
                  ->write([&](store::WriteTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(rows, txn.sealed_values(one.secret_uid));
                    return txn.put_sealed_value(two.secret_uid, rows.at(0));
                  })
                  .ok());
  EXPECT_EQ(open(two), "SECRET_UNREADABLE");
  EXPECT_EQ(open(one), kValue);
}

TEST_F(VaultTest, WithoutItsKeyNothingOpensAndNoOtherIsMadeInItsPlace) {
  const Place place = add("db", {{"k", kValue}});
  const std::string kept = *os::read_file(key_file());
  std::filesystem::remove(key_file());
  EXPECT_EQ(open(place), "SECRET_KEY_MISSING");
  EXPECT_EQ(vault_.check(*store_).error().reason, "SECRET_KEY_MISSING");
  EXPECT_EQ(vault_.make_ready(*store_, random_).error().reason, "SECRET_KEY_MISSING");
  EXPECT_FALSE(os::exists(key_file()));
  for (const std::string& damaged :
       {std::string(), kept.substr(0, kept.size() - 1), cat(kept, "x"), std::string("key"),
        std::string("paddock secret keys 1\n0011223344556677 zz\n"),
        std::string("paddock secret keys 1\n\n"), std::string("paddock secret keys 1\n\n\n"),
        std::string("paddock secret keys 1\npaddock secret keys 1\n"),
        cat(kept, kept.substr(kept.find('\n') + 1, 17), std::string(64, '0'), "\n")}) {
    ASSERT_TRUE(os::write_file_atomic(key_file(), damaged).ok());
    EXPECT_EQ(open(place), "SECRET_KEY_DAMAGED") << damaged;
    EXPECT_EQ(vault_.make_ready(*store_, random_).error().reason, "SECRET_KEY_DAMAGED");
  }
  ASSERT_TRUE(os::write_file_atomic(key_file(), kept).ok());
  EXPECT_EQ(open(place), kValue) << "put back, it counts at once";
  EXPECT_TRUE(vault_.check(*store_).ok());
}

// Another controller of the same store, with a key of its own: what it sealed would be lost when
// the right file is copied over its own, as people are told to do.
TEST_F(VaultTest, AnotherKeyThanTheStoresSealsNothing) {
  const Place place = add("db", {{"k", kValue}});
  const std::string right = *os::read_file(key_file());
  const std::string other = ring_text(KeyRing{{make_key(random_)}});
  ASSERT_TRUE(os::write_file_atomic(key_file(), other).ok());
  EXPECT_EQ(vault_.check(*store_).error().reason, "SECRET_KEY_MISSING");
  EXPECT_EQ(vault_.make_ready(*store_, random_).error().reason, "SECRET_KEY_MISSING");
  const Status sealed = store_->write([&](store::WriteTxn& txn) {
    return put_values(txn, *vault_.keys(), place, {{"l", "more"}}, random_);
  });
  ASSERT_FALSE(sealed.ok()) << "also when the file changed after it was looked at";
  EXPECT_EQ(sealed.error().reason, "SECRET_KEY_MISSING");
  EXPECT_EQ(rotate().error().reason, "SECRET_KEY_MISSING");
  EXPECT_EQ(*os::read_file(key_file()), other) << "a rotation that is refused makes no key";
  // What the error says to do.
  ASSERT_TRUE(os::write_file_atomic(key_file(), cat(other, right)).ok());
  EXPECT_EQ(open(place), kValue);
  EXPECT_EQ(open(add("new", {{"k", "fresh"}})), "fresh");
  ASSERT_TRUE(os::write_file_atomic(key_file(), right).ok());
  EXPECT_EQ(open({{"team", "new"}, "uid-new"}), "fresh") << "sealed with the key of the store";
}

// As an older version left it: each of two files opens a part.
TEST_F(VaultTest, KeysThatWereSplitAreOneFileAgainAndThenOneKey) {
  const Place one = add("one", {{"k", kValue}});
  const std::string right = *os::read_file(key_file());
  const KeyRing other{{make_key(random_)}};
  const Place two{{"team", "two"}, "uid-two"};
  contracts::Secret secret;
  secret.metadata.name = "two";
  secret.metadata.name_space = "team";
  secret.metadata.uid = two.secret_uid;
  ASSERT_TRUE(store_
                  ->write([&](store::WriteTxn& txn) -> Status {
                    TRY(txn.create(secret));
                    return txn.put_sealed_value(
                        two.secret_uid, seal(other.keys.front(), two, "k", "other", random_));
                  })
                  .ok());
  EXPECT_EQ(vault_.check(*store_).error().reason, "SECRET_KEY_MISSING");
  ASSERT_TRUE(os::write_file_atomic(key_file(), cat(right, ring_text(other))).ok());
  EXPECT_TRUE(vault_.check(*store_).ok());
  ASSERT_TRUE(rotate().ok());
  EXPECT_EQ(in_use().size(), 1u);
  EXPECT_EQ(open(one), kValue);
  EXPECT_EQ(open(two), "other");
}

TEST_F(VaultTest, AKeyOfTheSameNameIsNotTheSameKey) {
  add("db", {{"k", kValue}});
  KeyRing ring = *vault_.keys();
  ring.keys.front().bytes.back() ^= 1;
  ASSERT_TRUE(os::write_file_atomic(key_file(), ring_text(ring)).ok());
  EXPECT_EQ(vault_.check(*store_).error().reason, "SECRET_KEY_MISSING");
}

// By an older version, which did not tell.
TEST_F(VaultTest, TheStoreIsToldOfAKeyThatItDoesNotKnow) {
  add("db", {{"k", kValue}});
  const auto set = [&](const std::string& mark) {
    return store_->write([&](store::WriteTxn& txn) { return txn.put_setting(kMarkSetting, mark); });
  };
  ASSERT_TRUE(set("0011223344556677 of a key that is no longer used").ok());
  EXPECT_TRUE(vault_.check(*store_).ok());
  ASSERT_TRUE(vault_.tell(*store_).ok());
  std::string mark;
  ASSERT_TRUE(store_
                  ->read([&](store::ReadTxn& txn) -> Status {
                    ASSIGN_OR_RETURN(const KnownKeys known, known_keys(txn));
                    mark = known.mark;
                    return {};
                  })
                  .ok());
  EXPECT_EQ(mark, mark_of(vault_.keys()->keys.front()));
}

TEST_F(VaultTest, WithoutSecretsALostKeyIsMadeAnew) {
  add("db", {{"k", kValue}});
  std::filesystem::remove(key_file());
  ASSERT_TRUE(store_
                  ->write([](store::WriteTxn& txn) {
                    return txn.erase<contracts::Secret>({"team", "db"});
                  })
                  .ok());
  EXPECT_EQ(open(add("new", {{"k", "fresh"}})), "fresh");
}

TEST_F(VaultTest, ARotationSealsEverythingAnewAndForgetsTheOldKey) {
  const Place one = add("one", {{"k", kValue}});
  const Place two = add("two", {{"k", "other"}});
  const std::string old = vault_.keys()->keys.front().id;
  const auto done = rotate();
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->values, 2);
  const KeyRing ring = *vault_.keys();
  ASSERT_EQ(ring.keys.size(), 1u);
  EXPECT_NE(ring.keys.front().id, old);
  EXPECT_EQ(open(one), kValue);
  EXPECT_EQ(open(two), "other");
  EXPECT_EQ(in_use(), std::vector<std::string>{done->key_id});
}

// From a folder that controllers share, to which the one that led before had its keys copied.
TEST_F(VaultTest, TakesOfOthersKeysThoseThatTheStoreNeeds) {
  const Place place = add("db", {{"k", kValue}});
  const std::string needed = vault_.keys()->keys.front().id;
  KeyRing shared{{make_key(random_)}};
  shared.keys.push_back(vault_.keys()->keys.front());
  EXPECT_FALSE(*vault_.add_known(shared, *store_)) << "it has all of them";
  ASSERT_TRUE(os::write_file_atomic(key_file(), ring_text({{make_key(random_)}})).ok());
  EXPECT_EQ(open(place), "SECRET_KEY_MISSING");
  EXPECT_TRUE(*vault_.add_known(shared, *store_));
  EXPECT_EQ(open(place), kValue);
  EXPECT_EQ(vault_.keys()->keys.size(), 2U) << "what was there stays, and no more comes";
  EXPECT_EQ(vault_.keys()->keys.back().id, needed);
  ASSERT_TRUE(rotate().ok());
  EXPECT_FALSE(*vault_.add_known(shared, *store_)) << "what a rotation forgot is not taken again";
  EXPECT_EQ(vault_.keys()->keys.size(), 1U);
}

// The record is there if and only if everything is sealed anew.
TEST_F(VaultTest, ARotationThatIsNotRecordedIsNone) {
  const Place place = add("db", {{"k", kValue}});
  const std::string old = vault_.keys()->keys.front().id;
  const auto refused = [](store::WriteTxn&, const contracts::SecretKeyRotation&) {
    return Status(Error{Code::kUnavailable, "STORE_IO"});
  };
  EXPECT_EQ(vault_.rotate(*store_, random_, refused).error().reason, "STORE_IO");
  EXPECT_EQ(in_use(), std::vector<std::string>{old});
  EXPECT_EQ(open(place), kValue);
}

// As a controller leaves it that was killed between the new key and the values.
TEST_F(VaultTest, ARotationThatWasCutShortLeavesEveryKeyThatIsInUse) {
  const Place place = add("db", {{"k", kValue}});
  KeyRing both{{make_key(random_)}};
  both.keys.push_back(vault_.keys()->keys.front());
  ASSERT_TRUE(os::write_file_atomic(key_file(), ring_text(both)).ok());
  EXPECT_EQ(open(place), kValue);
  EXPECT_EQ(open(add("new", {{"k", "fresh"}})), "fresh");
  ASSERT_TRUE(rotate().ok());
  EXPECT_EQ(vault_.keys()->keys.size(), 1u);
  EXPECT_EQ(open(place), kValue);
}

TEST_F(VaultTest, ARotationThatCannotReadAValueChangesNone) {
  const Place one = add("one", {{"k", kValue}});
  const Place two = add("two", {{"k", "other"}});
  ASSERT_TRUE(store_
                  ->write([&](store::WriteTxn& txn) {
                    return txn.put_sealed_value(
                        two.secret_uid, {"k", vault_.keys()->keys.front().id, "no such thing"});
                  })
                  .ok());
  const auto done = rotate();
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().reason, "SECRET_UNREADABLE");
  EXPECT_THAT(done.error().message, HasSubstr("two"));
  EXPECT_EQ(open(one), kValue);
}

}  // namespace
}  // namespace paddock::secrets
