#include "common/compression/compression.h"

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/base/random.h"
#include "common/base/text.h"
#include "tests/support/temp_dir.h"

namespace paddock::compression {
namespace {

std::string text_of(size_t size) {
  std::string text;
  for (size_t i = 0; text.size() < size; ++i) text += cat("line ", i, " of many\n");
  text.resize(size);
  return text;
}

std::string noise(size_t size) {
  SeededRandom random(7);
  std::string out;
  while (out.size() < size) {
    const uint64_t word = random.next();
    out.append(reinterpret_cast<const char*>(&word), sizeof word);
  }
  out.resize(size);
  return out;
}

class Compressing : public testing::Test {
 protected:
  std::optional<std::string> compress(const std::string& content) {
    folder_.write("f", content);
    const os::Fd fd(::open((folder_ / "f").c_str(), O_RDONLY | O_CLOEXEC));
    const auto out = compress_file(fd.get(), static_cast<int64_t>(content.size()));
    if (!out) return std::nullopt;
    std::string bytes(static_cast<size_t>(out->size) + 1, '\0');
    const ssize_t got = ::pread(out->fd.get(), bytes.data(), bytes.size(), 0);
    EXPECT_EQ(got, out->size);
    bytes.resize(static_cast<size_t>(got));
    return bytes;
  }
  test::TempDir folder_;
};

// What came out, or the reason why not.
std::string expand(const std::string& frame, int64_t size, size_t piece) {
  Decompressor content(size);
  std::string out;
  for (size_t at = 0; at < frame.size(); at += piece) {
    const Status taken = content.append(std::string_view(frame).substr(at, piece),
                                        [&](std::string_view bytes) -> Status {
                                          out += bytes;
                                          return {};
                                        });
    EXPECT_LE(out.size(), static_cast<size_t>(size));
    if (!taken) return taken.error().reason;
  }
  const Status whole = content.finish();
  return whole ? out : whole.error().reason.str();
}

constexpr const char* kInvalid = "COMPRESSION_INVALID";

TEST_F(Compressing, ReturnsWhatWentInWhateverThePieces) {
  for (const size_t size : {512U, 4096U, 300'000U, 3'000'000U}) {
    const std::string content = text_of(size);
    const auto frame = compress(content);
    ASSERT_TRUE(frame);
    EXPECT_LT(frame->size(), size - size / 10);
    for (const size_t piece : {1U, 7U, 65'536U}) {
      if (piece == 1 && size > 300'000) continue;
      EXPECT_EQ(expand(*frame, static_cast<int64_t>(size), piece), content);
    }
  }
}

TEST_F(Compressing, DoesNotWhereThatPaysNot) {
  EXPECT_FALSE(compress(""));
  EXPECT_FALSE(compress(text_of(511)));
  EXPECT_FALSE(compress(noise(100'000)));
  EXPECT_FALSE(compress(noise(1 << 20) + text_of(1 << 20)));  // its start says that it is noise
  ::setenv("TMPDIR", "/nonexistent", 1);
  EXPECT_FALSE(compress(text_of(4096)));
  ::unsetenv("TMPDIR");
}

TEST_F(Compressing, AFileThatGotShorterIsLeftToWhoeverReadsIt) {
  folder_.write("f", text_of(1000));
  const os::Fd fd(::open((folder_ / "f").c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_FALSE(compress_file(fd.get(), 4000));
}

TEST_F(Compressing, RefusesWhatIsNotOneWholeFrameOfThatSize) {
  const std::string content = text_of(10'000);
  const std::string frame = compress(content).value();
  EXPECT_EQ(expand(frame, 10'000, 100), content);
  EXPECT_EQ(expand(frame, 9'999, 100), kInvalid);
  EXPECT_EQ(expand(frame, 10'001, 100), kInvalid);
  EXPECT_EQ(expand(frame, 0, 100), kInvalid);
  EXPECT_EQ(expand(frame + "x", 10'000, 100), kInvalid);
  EXPECT_EQ(expand(frame + frame, 20'000, 100'000), kInvalid);
  EXPECT_EQ(expand("", 0, 1), kInvalid);
  EXPECT_EQ(expand("not a frame at all", 10, 3), kInvalid);
  for (size_t cut = 0; cut < frame.size(); cut += 13)
    EXPECT_EQ(expand(frame.substr(0, cut), 10'000, 50), kInvalid) << cut;
}

TEST(CompressingPieces, MakesOneFrameOfThem) {
  for (const size_t piece : {size_t{1000}, size_t{500'000}}) {
    const std::string content = text_of(700'000) + noise(300'000);
    std::string frame;
    const auto take = [&](std::string_view bytes) -> Status {
      frame += bytes;
      return {};
    };
    Compressor out;
    for (size_t at = 0; at < content.size(); at += piece)
      ASSERT_TRUE(out.append(std::string_view(content).substr(at, piece), take));
    ASSERT_TRUE(out.finish(take));
    EXPECT_LT(frame.size(), content.size() / 2);
    EXPECT_EQ(expand(frame, 1'000'000, 4096), content);
  }
}

TEST(CompressingPieces, AnErrorOfTheReceiverEndsIt) {
  const auto full = [](std::string_view) -> Status {
    return Error{Code::kResourceExhausted, "DISK_FULL", "no room"};
  };
  Compressor out;
  (void)out.append("x", full);
  EXPECT_EQ(out.finish(full).error().reason, "DISK_FULL");
}

// Frames by hand (RFC 8878, 3.1.1): magic, descriptor 0 (window follows), window, blocks.
std::string rle_frame(unsigned char window, int blocks) {
  std::string frame{"\x28\xb5\x2f\xfd\x00", 5};
  frame += static_cast<char>(window);
  for (int i = 0; i < blocks; ++i) {
    const uint32_t header = (128U << 10) << 3 | 1U << 1 | (i + 1 == blocks ? 1U : 0U);
    for (int byte = 0; byte < 3; ++byte) frame += static_cast<char>(header >> (8 * byte) & 0xff);
    frame += 'A';
  }
  return frame;
}

TEST(Decompressing, ABombEndsAtTheAnnouncedSize) {
  EXPECT_EQ(expand(rle_frame(0x38, 1), 128 << 10, 3), std::string(128 << 10, 'A'));
  EXPECT_EQ(expand(rle_frame(0x38, 100'000), 1 << 20, 4096), kInvalid);  // 12 GiB in 400 kB
}

TEST(Decompressing, AWindowThatWouldFillTheMemoryIsRefused) {
  EXPECT_EQ(expand(rle_frame(0xa8, 1), 128 << 10, 4096), kInvalid);  // 2 GiB
}

TEST(Decompressing, AnErrorOfTheReceiverEndsIt) {
  Decompressor content(128 << 10);
  const Status taken = content.append(rle_frame(0x38, 1), [](std::string_view) -> Status {
    return Error{Code::kResourceExhausted, "DISK_FULL", "no room"};
  });
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().reason, "DISK_FULL");
}

}  // namespace
}  // namespace paddock::compression
