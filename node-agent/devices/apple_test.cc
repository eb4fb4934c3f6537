#include "node-agent/devices/apple.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/contracts/launch.h"
#include "node-agent/devices/recorded_test_support.h"

namespace paddock::devices {
namespace {

using contracts::AcceleratorKind;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::string path_of(const std::string& name) { return recorded("apple/" + name); }

std::string text_of(const std::string& name) {
  std::ifstream file(path_of(name));
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string with_gpu(const std::string& members) {
  return R"({"SPDisplaysDataType":[{"spdisplays_vendor":"sppci_vendor_Apple",)" + members + "}]}";
}

std::string model_of(const std::string& members) {
  const auto found = apple_accelerators(with_gpu(members));
  return found && found->size() == 1 ? found->front().model : "none";
}

// proves partly: ORB-02
TEST(Apple, TheGpuOfTheChipIsOneAcceleratorWithoutANode) {
  const auto found = apple_accelerators(text_of("m1-pro.json"));
  ASSERT_TRUE(found.has_value());
  ASSERT_THAT(*found, SizeIs(1));
  const Accelerator& gpu = found->front();
  EXPECT_EQ(gpu.kind, "apple");
  EXPECT_EQ(gpu.id, "apple-gpu-0");
  EXPECT_EQ(gpu.model, "Apple M1 Pro, 16 GPU cores, Neural Engine");
  EXPECT_EQ(gpu.memory->bytes, int64_t{32} << 30);
  EXPECT_THAT(gpu.fault, IsEmpty());
  const auto granted = choose(*found, {}, {AcceleratorKind::kApple, 1});
  ASSERT_TRUE(granted.ok());
  EXPECT_THAT(access_to(*granted).nodes, ElementsAre(contracts::kAppleGpu));
  EXPECT_THAT(access_to(*granted).env, IsEmpty());
}

TEST(Apple, AGpuOfAnotherMakerOrOfAVirtualMachineIsNotOffered) {
  for (const char* name : {"intel.json", "virtual.json"}) {
    const auto found = apple_accelerators(text_of(name));
    ASSERT_TRUE(found.has_value()) << name;
    EXPECT_THAT(*found, IsEmpty()) << name;
  }
}

TEST(Apple, IsOfferedOnceHoweverOftenItIsListed) {
  const std::string one = R"({"spdisplays_vendor":"sppci_vendor_Apple"})";
  const auto found = apple_accelerators(cat(R"({"SPDisplaysDataType":[7,)", one, ",", one, "]}"));
  ASSERT_TRUE(found.has_value());
  EXPECT_THAT(*found, SizeIs(1));
}

TEST(Apple, WhatIsOddInAReportIsLeftOut) {
  EXPECT_EQ(model_of(R"("sppci_model":"Apple M9","sppci_cores":"8")"),
            "Apple M9, 8 GPU cores, Neural Engine");
  for (const char* cores : {R"("")", R"("-4")", R"("0")", R"("99999")", R"("8 or so")", "8", "[]"})
    EXPECT_EQ(model_of(cat(R"("sppci_model":"Apple M9","sppci_cores":)", cores)),
              "Apple M9, Neural Engine")
        << cores;
  for (const std::string& name :
       {std::string(R"("")"), std::string("5"), std::string("null"), std::string(R"("\u001b[2J")"),
        std::string(R"("a\nb")"), cat('"', std::string(100'000, 'x'), '"')})
    EXPECT_EQ(model_of(cat(R"("sppci_model":)", name)), "Apple GPU, Neural Engine") << name;
}

TEST(Apple, MemoryThatCannotBeReadIsNotSaid) {
  for (const char* memory :
       {R"("")", R"(" GB")", R"("32")", R"("32 MB")", R"("-32 GB")", R"("0 GB")", R"("1e9 GB")",
        R"("99999999999999999999 GB")", R"("9223372036854775807 GB")", "32", "{}"}) {
    const auto found = apple_accelerators(cat(R"({"SPDisplaysDataType":[{"spdisplays_vendor":)",
                                              R"("sppci_vendor_Apple"}],"SPHardwareDataType":)",
                                              R"([{"physical_memory":)", memory, "}]}"));
    ASSERT_TRUE(found.has_value() && found->size() == 1) << memory;
    EXPECT_FALSE(found->front().memory.has_value()) << memory;
  }
  for (const char* hardware : {"[]", "{}", "7", R"(["x"])"}) {
    const auto found = apple_accelerators(
        cat(R"({"SPHardwareDataType":)", hardware,
            R"(,"SPDisplaysDataType":[{"spdisplays_vendor":"sppci_vendor_Apple"}]})"));
    ASSERT_TRUE(found.has_value() && found->size() == 1) << hardware;
    EXPECT_FALSE(found->front().memory.has_value()) << hardware;
  }
}

TEST(Apple, ATextThatIsNoReportSaysNothing) {
  const std::string whole = text_of("m1-pro.json");
  for (const std::string& text :
       {std::string(), std::string("nonsense"), std::string("[]"), std::string("{}"),
        std::string("null"), std::string(R"({"SPDisplaysDataType":{}})"),
        std::string(R"({"SPDisplaysDataType":"sppci_vendor_Apple"})"),
        whole.substr(0, whole.size() / 2), std::string(100'000, '['), std::string(9 << 20, ' '),
        std::string("{\"SPDisplaysDataType\":[\"\xff\"]}")})
    EXPECT_FALSE(apple_accelerators(text).has_value()) << text.substr(0, 60);
}

class AppleAsked : public testing::Test {
 protected:
  AppleAsked() : folder_(cat(testing::TempDir(), "/apple-asked")) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~AppleAsked() override { std::filesystem::remove_all(folder_); }

  // A stand-in for system_profiler, which leaves a line in `asked` each time.
  std::vector<std::string> program(const std::string& script) const {
    return {"/bin/sh", "-c", cat("echo >>'", folder_, "/asked'; ", script)};
  }
  std::ptrdiff_t times_asked() const {
    std::ifstream file(folder_ + "/asked");
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  }

  std::string folder_;
};

TEST_F(AppleAsked, OnceItHasAnswered) {
  AppleProbe probe(program(cat("cat '", path_of("m1-pro.json"), "'")), Millis(60'000));
  EXPECT_THAT(probe.ask(), SizeIs(1));
  EXPECT_THAT(probe.ask(), SizeIs(1));
  EXPECT_EQ(times_asked(), 1);
}

TEST_F(AppleAsked, OnceWhereThereIsNoSuchGpu) {
  AppleProbe probe(program(cat("cat '", path_of("intel.json"), "'")), Millis(60'000));
  EXPECT_THAT(probe.ask(), IsEmpty());
  EXPECT_THAT(probe.ask(), IsEmpty());
  EXPECT_EQ(times_asked(), 1);
}

TEST_F(AppleAsked, AgainUntilItAnswers) {
  const std::string ready = folder_ + "/ready";
  AppleProbe probe(
      program(cat("test -e '", ready, "' || exit 1; cat '", path_of("m1-pro.json"), "'")),
      Millis(60'000));
  EXPECT_THAT(probe.ask(), IsEmpty());
  EXPECT_THAT(probe.ask(), IsEmpty());
  std::ofstream(ready) << "yes";
  EXPECT_THAT(probe.ask(), SizeIs(1));
  EXPECT_EQ(times_asked(), 3);
}

TEST(AppleProbe, AProgramThatHangsOrIsNotThereOffersNothing) {
  EXPECT_THAT(AppleProbe({"/bin/sh", "-c", "exec sleep 600"}, Millis(50)).ask(), IsEmpty());
  EXPECT_THAT(AppleProbe({"/no/such/program"}).ask(), IsEmpty());
}

}  // namespace
}  // namespace paddock::devices
