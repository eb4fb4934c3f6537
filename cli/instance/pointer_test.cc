#include "cli/instance/pointer.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "cli/instance/program.h"
#include "common/os/file.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

class Pointer : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = testing::TempDir() + "paddock-pointer-XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    path_ = folder_ + "/instance.json";
  }
  void TearDown() override { (void)os::remove_tree(folder_); }

  InstancePointer pointer(const std::string& id) {
    return {
        id,          "a", "https://127.0.0.1:1", "node", to_ref(*os::identify(::getpid()), "nonce"),
        std::nullopt};
  }

  std::string folder_;
  std::string path_;
};

// A child that waits for its end; whatever its argv says.
pid_t start_child(const std::vector<std::string>& argv) {
  os::SpawnOptions options;
  options.argv = argv;
  return os::spawn(options).value();
}

TEST_F(Pointer, IsReadBackAsItWasWritten) {
  ASSERT_TRUE(write_pointer(path_, pointer("id-00001")).ok());
  const auto read = read_pointer(path_);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ((*read)->id, "id-00001");
  EXPECT_EQ((*read)->controller->nonce, "nonce");
  EXPECT_TRUE(is_alive((*read)->controller));
  EXPECT_FALSE(is_alive((*read)->agent));
}

// Another user's instance, or a disk that fails: it may well be up.
TEST_F(Pointer, ThatCannotBeLookedForIsNotTakenToBeNone) {
  EXPECT_FALSE(*read_pointer(path_));
  EXPECT_FALSE(read_pointer(folder_ + "/" + std::string(300, 'x')).ok());
}

TEST_F(Pointer, TellsANetworkThatTheVariablesOfBothProgramsAllow) {
  InstancePointer both = pointer("id-00001");
  both.agent = both.controller;
  EXPECT_FALSE(network_by_variables(both));
  both.controller->network = true;
  EXPECT_FALSE(network_by_variables(both)) << "the agent was started without";
  both.agent->network = true;
  ASSERT_TRUE(write_pointer(path_, both).ok());
  EXPECT_TRUE(network_by_variables(**read_pointer(path_)));
  EXPECT_FALSE(network_by_variables({}));
}

TEST_F(Pointer, AMissingOneIsNothingAndADamagedOneAnError) {
  EXPECT_FALSE(read_pointer(path_)->has_value());
  ASSERT_TRUE(os::write_file_atomic(path_, "{\"id\":").ok());
  EXPECT_EQ(read_pointer(path_).error().reason, "POINTER_DAMAGED");
}

TEST_F(Pointer, ADamagedOneIsFoundAgainByWhatItsProgramsSayOfThemselves) {
  const InstancePaths paths{"a", folder_, folder_};
  ASSERT_TRUE(os::write_file_atomic(path_, "{\"id\":").ok());
  EXPECT_FALSE(current_pointer(paths)->has_value()) << "nobody is alive";
  ASSERT_TRUE(os::make_dirs(paths.controller_data()).ok());
  const auto self = os::identify(::getpid());
  const auto describe = [&](uint64_t start_ticks) {
    const wire::Value own = wire::Value::Object{{"url", "https://x"},
                                                {"pid", self->pid},
                                                {"startTicks", start_ticks},
                                                {"bootId", self->boot_id},
                                                {"nonce", "nonce"}};
    return os::write_file_atomic(paths.controller_data() + "/controller.json", wire::to_json(own));
  };
  ASSERT_TRUE(describe(self->start_ticks + 1).ok());
  EXPECT_FALSE(current_pointer(paths)->has_value()) << "another process with the same pid";
  ASSERT_TRUE(describe(self->start_ticks).ok());
  const auto found = current_pointer(paths);
  ASSERT_TRUE(found.ok() && found->has_value());
  EXPECT_EQ((*found)->url, "https://x");
  EXPECT_TRUE(is_alive((*found)->controller));
  ASSERT_TRUE(write_pointer(path_, **found).ok());
  EXPECT_EQ(current_pointer(paths).value()->id, (*found)->id) << "mended";
}

// proves: OD-40
TEST_F(Pointer, IsRemovedOnlyByItsOwner) {
  ASSERT_TRUE(write_pointer(path_, pointer("newer-up")).ok());
  EXPECT_FALSE(*remove_pointer_if_current(path_, "older-up"));
  EXPECT_TRUE(os::exists(path_));
  EXPECT_TRUE(*remove_pointer_if_current(path_, "newer-up"));
  EXPECT_FALSE(os::exists(path_));
  EXPECT_FALSE(*remove_pointer_if_current(path_, "newer-up"));
}

// proves: OD-41
TEST_F(Pointer, AProcessWithTheSamePidAndAnotherStartIsNotOurs) {
  const pid_t child = start_child({"/bin/sleep", "600"});
  os::ProcessIdentity stale = *os::identify(child);
  stale.start_ticks += 1;
  EXPECT_FALSE(is_alive(to_ref(stale)));
  EXPECT_FALSE(*stop_process(stale, Millis(10)));
  EXPECT_TRUE(os::identify(child).has_value()) << "a stranger was stopped";
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

// proves: OD-41
TEST_F(Pointer, ALookAlikeCommandLineMakesNoProcessOurs) {
  const pid_t ours = start_child({"/bin/sleep", "600"});
  const pid_t alike = start_child({"/bin/sleep", "600"});
  const os::ProcessIdentity identity = *os::identify(ours);
  EXPECT_TRUE(stop_process(identity, Millis(10'000)).ok());
  EXPECT_TRUE(os::identify(alike).has_value());
  for (const pid_t pid : {ours, alike}) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
}

}  // namespace
}  // namespace paddock::cli
