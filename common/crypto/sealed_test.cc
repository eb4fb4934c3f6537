#include "common/crypto/sealed.h"

#include <gtest/gtest.h>

namespace paddock::crypto {
namespace {

const std::string kKey(kSealKeyBytes, 'k');

TEST(Sealed, WhatWasSealedIsOpenedByTheKeyForWhatItIsBoundTo) {
  SeededRandom random(1);
  for (const std::string& plain : {std::string(), std::string("x"), std::string(100'000, '\0')}) {
    const std::string sealed = seal(kKey, "team-a/db", plain, random);
    EXPECT_EQ(open_sealed(kKey, "team-a/db", sealed), plain);
    EXPECT_FALSE(open_sealed(std::string(kSealKeyBytes, 'l'), "team-a/db", sealed));
    EXPECT_FALSE(open_sealed(kKey, "team-b/db", sealed));
    EXPECT_FALSE(open_sealed(kKey, "", sealed));
  }
}

TEST(Sealed, TheSameValueIsNotSealedTheSameTwice) {
  SeededRandom random(2);
  EXPECT_NE(seal(kKey, "a", "value", random), seal(kKey, "a", "value", random));
}

TEST(Sealed, NoBitCanBeChangedAndNothingCutOff) {
  SeededRandom random(3);
  const std::string sealed = seal(kKey, "a", "hunter2", random);
  EXPECT_EQ(sealed.find("hunter2"), std::string::npos);
  for (size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(open_sealed(kKey, "a", changed)) << i;
    EXPECT_FALSE(open_sealed(kKey, "a", sealed.substr(0, i))) << i;
  }
}

}  // namespace
}  // namespace paddock::crypto
