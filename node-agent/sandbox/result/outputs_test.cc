#include "node-agent/sandbox/result/outputs.h"

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

using contracts::FrameType;
using Pieces = std::vector<std::pair<FrameType, std::string>>;

const LauncherLimits kFiveBytes{.stdout_bytes = 5, .stderr_bytes = 5};

Pieces flush(Outputs& outputs, MonoTime now, bool all) {
  Pieces out;
  outputs.flush(now, all,
                [&](FrameType type, const std::string& piece) { out.emplace_back(type, piece); });
  return out;
}

TEST(Outputs, HandOnEachStreamWhenItIsDueOrWhenAllIsOver) {
  const MonoTime start{};
  Outputs outputs(kFiveBytes, 100);
  outputs.err.append("e", start);
  outputs.out.append("o", start + Millis(10));
  EXPECT_EQ(outputs.flush_at(), start + OutputStream::kFlushAfter);
  EXPECT_EQ(flush(outputs, start, false), Pieces{});
  EXPECT_EQ(flush(outputs, start + OutputStream::kFlushAfter, false),
            (Pieces{{FrameType::kStderr, "e"}}));
  EXPECT_EQ(outputs.flush_at(), start + Millis(10) + OutputStream::kFlushAfter);
  EXPECT_EQ(flush(outputs, start, true), (Pieces{{FrameType::kStdout, "o"}}));
  EXPECT_EQ(outputs.flush_at(), std::nullopt);
}

TEST(Outputs, HandOnALongTailInPiecesOfWholeCharacters) {
  Outputs outputs({.stdout_bytes = 3 << 18, .stderr_bytes = 5}, 0);
  std::string text;
  while (text.size() < 3 << 18) text += "\u20ac";
  outputs.out.append(text, {});
  Pieces pieces = flush(outputs, {}, true);
  outputs.finish({});
  for (auto& each : flush(outputs, {}, true)) pieces.push_back(std::move(each));
  size_t total = 0;
  for (const auto& [type, piece] : pieces) {
    EXPECT_LE(piece.size(), OutputStream::kFrameBytes);
    EXPECT_TRUE(is_utf8(piece));
    total += piece.size();
  }
  EXPECT_EQ(total, text.size());
}

TEST(Outputs, TellTheResultOfBothStreams) {
  Outputs outputs(kFiveBytes, 3);
  outputs.out.append("123", {});
  outputs.err.append("123456", {});
  EXPECT_TRUE(outputs.truncated());
  contracts::SandboxResult result;
  outputs.describe(result);
  EXPECT_EQ(result.out, "123");
  EXPECT_EQ(result.err, "12\n[TRUNCATED at 3 bytes]\n[3 bytes are left out here]\n6");
  EXPECT_FALSE(result.truncated.out);
  EXPECT_TRUE(result.truncated.err);
  EXPECT_EQ(result.usage.stdout_bytes, 3);
  EXPECT_EQ(result.usage.stderr_bytes, 6);
}

// What is counted, cut and repeated is the text without the value.
TEST(Outputs, ShowASecretInNoPieceNorInTheExcerpt) {
  const auto words = std::make_shared<const SecretWords>(std::vector<std::string>{"hunter2"});
  Outputs outputs({.stdout_bytes = 100, .stderr_bytes = 100, .secrets = words}, 100);
  outputs.out.append("it is hun", {});
  outputs.out.append("ter2, and hun", {});
  outputs.err.append("hunter2", {});
  outputs.finish({});
  EXPECT_EQ(flush(outputs, {}, true),
            (Pieces{{FrameType::kStdout, "it is ***, and hun"}, {FrameType::kStderr, "***"}}));
  contracts::SandboxResult result;
  outputs.describe(result);
  EXPECT_EQ(result.out, "it is ***, and hun");
  EXPECT_EQ(result.err, "***");
  EXPECT_EQ(result.usage.stdout_bytes, 18);
}

}  // namespace
}  // namespace paddock::sandbox
