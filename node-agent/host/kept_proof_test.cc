#include "node-agent/host/kept_proof.h"

#include <gtest/gtest.h>

#include "common/os/file.h"
#include "tests/support/temp_dir.h"

namespace paddock::agent {
namespace {

contracts::SandboxProof proof() {
  contracts::SandboxProof out;
  contracts::Canary canary;
  canary.name = "host-file";
  canary.capability = "mounts";
  canary.attempt = "read a file of the host";
  canary.expected = "not there";
  canary.passed = true;
  out.canaries.push_back(std::move(canary));
  return out;
}

class Kept : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(os::write_file_atomic(launcher_, "one").ok());
    keep_proof(folder_.path(), proof_mark(launcher_), proof());
  }
  std::optional<contracts::SandboxProof> kept() const {
    return kept_proof(folder_.path(), launcher_);
  }

  test::TempDir folder_;
  const std::string launcher_ = folder_ / "launcher";
};

TEST_F(Kept, IsThereForTheNextProcess) {
  ASSERT_TRUE(kept());
  EXPECT_EQ(kept()->canaries.at(0).name, "host-file");
  EXPECT_TRUE(kept()->canaries.at(0).passed);
}

TEST_F(Kept, SaysNothingOfAnotherLauncher) {
  ASSERT_TRUE(os::write_file_atomic(launcher_, "another").ok());
  EXPECT_FALSE(kept());
  EXPECT_FALSE(kept_proof(folder_.path(), folder_ / "none"));
}

TEST_F(Kept, IsNotThereOnceItIsForgottenOrDamaged) {
  ASSERT_TRUE(os::write_file_atomic(folder_ / "proof", "{\"of\": \"").ok());
  EXPECT_FALSE(kept());
  keep_proof(folder_.path(), proof_mark(launcher_), proof());
  forget_proof(folder_.path());
  forget_proof(folder_.path());
  EXPECT_FALSE(kept());
}

}  // namespace
}  // namespace paddock::agent
