// The events of a run on a disk that others fill: the output that has room is whole, the rest is
// counted, and the result is there.
#include "node-agent/sandbox/result/event_writer.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "common/os/file.h"
#include "common/wire/json.h"
#include "node-agent/sandbox/result/request.h"
#include "tests/support/small_disk.h"
#include "tests/support/temp_dir.h"

namespace paddock::sandbox {
namespace {

using contracts::FrameType;
using contracts::SandboxResult;

constexpr size_t kPiece = size_t{32} << 10;

void fill(const std::string& path) {
  const os::Fd file(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  const std::string bytes(4096, 'x');
  while (write(file.get(), bytes.data(), bytes.size()) > 0) {
  }
}

os::Fd open_events(const std::string& path) {
  return os::Fd(open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
}

struct Spool {
  std::string out;
  std::optional<SandboxResult> result;
};

Spool read_spool(const std::string& path) {
  const auto text = os::read_file(path);
  std::string_view left = *text;
  Spool spool;
  contracts::Frame frame;
  while (true) {
    const auto whole = contracts::take_frame(left, frame);
    if (!whole || !*whole) return spool;
    if (frame.type == FrameType::kStdout) spool.out += frame.payload;
    if (frame.type == FrameType::kResult)
      spool.result = *wire::decode<SandboxResult>(*wire::parse_json(frame.payload));
  }
}

void expect(const std::string& said, const std::string& wanted) {
  if (said == test::kNoMounts) GTEST_SKIP() << said;
  EXPECT_EQ(said, wanted);
}

class Events : public testing::Test {
 protected:
  // A command that says `pieces` pieces, `between` after each of them, and ends well.
  std::string answer_on_full_disk(const char* size, int pieces,
                                  const std::function<void(int)>& between) {
    if (!test::mount_disk(folder_.path(), size)) return test::kNoMounts;
    EventWriter events(open_events(folder_ / "events"), clock_);
    const auto launched = [&](const contracts::LaunchRequest&) {
      events.add(FrameType::kStarted, "{}");
      for (int i = 0; i < pieces; ++i) {
        events.add(FrameType::kStdout, std::string(kPiece, static_cast<char>('a' + i % 26)));
        if (!events.write_some().ok()) wrong_ = "the run would have been ended";
        if (events.congested()) wrong_ = "the command would wait for the disk";
        between(i);
      }
      SandboxResult result;
      result.status = contracts::SandboxStatus::kOk;
      result.rc = 0;
      result.out = std::string(kPiece * 4, 'a');
      return result;
    };
    const Status answered = answer(contracts::LaunchRequest{}, events, launched);
    if (!answered.ok()) return answered.error().describe();
    if (!wrong_.empty()) return wrong_;
    spool_ = read_spool(folder_ / "events");
    return spool_.result ? "a result" : "no result";
  }
  std::string about_result() const {
    return cat(wire::enum_name(spool_.result->status), " ", spool_.result->code.value_or("-"), " ",
               spool_.result->truncated.out ? "cut" : "whole");
  }
  // What is there and what the line says is missing are all that was said: how the spool ends, with
  // the letters of whole pieces behind that line.
  std::string accounted(size_t pieces, const char* why = "the disk of the node is full") const {
    const std::string start = "\n[LOST ", end = cat(" bytes: ", why, "]\n");
    const size_t at = spool_.out.find(start);
    const size_t behind = spool_.out.find(end);
    if (at == std::string::npos || behind == std::string::npos) return "no line tells of it; ";
    const size_t number = at + start.size();
    const auto lost = parse_integer<size_t>(spool_.out.substr(number, behind - number));
    const std::string later = spool_.out.substr(behind + end.size());
    if (at + later.size() + lost.value_or(0) != pieces * kPiece) return "they do not add up; ";
    if (!spool_.result->reason.ends_with(cat(": ", *lost, " bytes of the output are lost")))
      return cat("the result says ", spool_.result->reason, "; ");
    std::string letters;
    for (size_t i = 0; i < later.size(); i += kPiece) letters += cat(later.substr(i, 1), " ");
    return cat("[LOST] ", letters, "is the end; ");
  }

  const test::TempDir folder_;
  ManualClock clock_;
  Spool spool_;
  std::string wrong_;
};

TEST_F(Events, OutputWithoutRoomIsCountedAndTheResultSaysSoByName) {
  expect(test::in_child([this]() -> std::string {
           const std::string said = answer_on_full_disk("1m", 40, [this](int i) {
             if (i == 1) fill(folder_ / "filler");
           });
           if (said != "a result") return said;
           const bool repeats = !spool_.result->out.empty();  // more than there is room for
           return cat(accounted(40), repeats ? "output repeated; " : "", about_result());
         }),
         "[LOST] is the end; OK NODE_DISK_FULL cut");
}

TEST_F(Events, OutputThatFindsRoomAgainGoesOnBehindALineThatTellsTheGap) {
  expect(test::in_child([this]() -> std::string {
           const std::string said = answer_on_full_disk("1m", 20, [this](int i) {
             if (i == 1) fill(folder_ / "filler");
             if (i != 17) return;
             unlink((folder_ / "filler").c_str());
             clock_.advance(Millis(1000));
           });
           if (said != "a result") return said;
           return cat(accounted(20), about_result());
         }),
         "[LOST] t is the end; OK NODE_DISK_FULL cut");
}

// The kernel's signal for it would end whoever does not ignore it.
TEST_F(Events, OutputBeyondTheLargestFileThatTheLauncherMayMakeIsCountedToo) {
  expect(test::in_child([this]() -> std::string {
           const rlimit limit{rlim_t{512} << 10, RLIM_INFINITY};
           setrlimit(RLIMIT_FSIZE, &limit);
           const std::string said = answer_on_full_disk("4m", 40, [](int) {});
           if (said != "a result") return said;
           return cat(accounted(40, "the node may make no larger file"), about_result());
         }),
         "[LOST] is the end; OK NODE_FILE_LIMIT cut");
}

TEST_F(Events, WithRoomNothingIsLostAndNoneIsKeptAfterwards) {
  expect(test::in_child([this]() -> std::string {
           const std::string said = answer_on_full_disk("4m", 40, [](int) {});
           if (said != "a result") return said;
           struct stat now {};
           stat((folder_ / "events").c_str(), &now);
           const bool kept = now.st_blocks * 512 > now.st_size + 4096;
           return cat(spool_.out.size() / kPiece, " pieces; ", kept ? "room kept; " : "",
                      about_result());
         }),
         "40 pieces; OK - whole");
}

}  // namespace
}  // namespace paddock::sandbox
