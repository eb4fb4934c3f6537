#include "common/base/base64_fault.h"

#include <gtest/gtest.h>

namespace paddock {
namespace {

TEST(Base64Fault, SaysWhatIsWrong) {
  EXPECT_EQ(base64_fault("QUJD"), "");
  EXPECT_EQ(base64_fault("QQ=="), "");
  EXPECT_EQ(base64_fault(""), "");
  for (const auto& [text, word] : {std::pair{"QUJDRA", "padding"},
                                   {"QUJD\nREVG", "white space"},
                                   {"QU-_", "'+' and '/'"},
                                   {"QR==", "belong to no byte"},
                                   {"QUJDRB==", "belong to no byte"},
                                   {"QUJDREX=", "belong to no byte"},
                                   {"Q===", "must be base64"},
                                   {"====", "must be base64"},
                                   {"Q!==", "must be base64"}}) {
    EXPECT_NE(base64_fault(text).find(word), std::string::npos)
        << text << ": " << base64_fault(text);
  }
}

}  // namespace
}  // namespace paddock
