#include "node-agent/sandbox/linux/launcher/huge_code.h"

#include <sys/mman.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace paddock::sandbox {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

constexpr int kCode = PROT_READ | PROT_EXEC;
constexpr int kData = PROT_READ | PROT_WRITE;

auto place(uintptr_t begin, uintptr_t end) {
  return testing::AllOf(Field(&HugePlace::begin, begin), Field(&HugePlace::end, end));
}

TEST(HugePlaces, AreAroundCodeAndConstants) {
  EXPECT_THAT(huge_places({{0x400000, 0x400608, PROT_READ},
                           {0x600000, 0x988871, kCode},
                           {0xa00000, 0xac7a64, PROT_READ},
                           {0xe52f50, 0xe6f390, kData}}),
              ElementsAre(place(0x600000, 0xa00000), place(0xa00000, 0xc00000)));
}

TEST(HugePlaces, LeaveAloneWhatSharesAHugePageWithSomethingElse) {
  EXPECT_THAT(huge_places({{0x400000, 0x400608, PROT_READ},
                           {0x401000, 0x789871, kCode},
                           {0x78a000, 0x851a64, PROT_READ},
                           {0x852f50, 0x86f390, kData}}),
              IsEmpty());
  // Its own pages are free, the neighbour's are not.
  EXPECT_THAT(huge_places({{0x600000, 0x988871, kCode}, {0x9f0000, 0xac7a64, PROT_READ}}),
              IsEmpty());
}

TEST(HugePlaces, AreNeverWhereTheProgramWrites) {
  EXPECT_THAT(huge_places({{0x600000, 0x988871, kData}, {0xa00000, 0xd00000, kData | PROT_EXEC}}),
              IsEmpty());
}

TEST(HugePlaces, AreNotSpentOnALittle) {
  EXPECT_THAT(huge_places({{0x600000, 0x63ffff, kCode}}), IsEmpty());
  EXPECT_THAT(huge_places({{0x600000, 0x640000, kCode}}), ElementsAre(place(0x600000, 0x800000)));
}

}  // namespace
}  // namespace paddock::sandbox
