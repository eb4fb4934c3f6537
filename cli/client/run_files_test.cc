#include "cli/client/run_files.h"

#include <gtest/gtest.h>

#include "common/base/text.h"

namespace paddock::cli {
namespace {

// Answers with the next of these, whatever it is asked.
class Answers final : public http::Client {
 public:
  void part(const std::string& body, int64_t size, const std::string& version) {
    http::Response response;
    response.status = 200;
    response.body = body;
    response.headers = {{"content-type", "application/octet-stream"},
                        {"paddock-file-size", cat(size)},
                        {"paddock-file-version", version}};
    answers_.push_back(std::move(response));
  }
  void other(int status, const std::string& type, const std::string& body) {
    http::Response response;
    response.status = status;
    response.headers["content-type"] = type;
    response.body = body;
    answers_.push_back(std::move(response));
  }
  Result<http::Response> send(const http::Request& request) override {
    asked.push_back(request.target);
    sent = request.method + " " + request.body;
    if (asked.size() > answers_.size())
      return Error{Code::kUnavailable, "CONNECTION_LOST", "nothing more"};
    return answers_[asked.size() - 1];
  }
  void abort() override {}
  std::vector<std::string> asked;
  std::string sent;  // last

 private:
  std::vector<http::Response> answers_;
};

struct Read {
  Status status;
  std::string bytes;
};
Read read(Answers& answers) {
  Read out;
  out.status = read_run_file(answers, "/f", [&](std::string_view bytes) -> Status {
    out.bytes += bytes;
    return {};
  });
  return out;
}

TEST(RunFiles, AreReadPartByPart) {
  Answers answers;
  answers.part("abc", 5, "v1");
  answers.part("de", 5, "v1");
  const Read got = read(answers);
  ASSERT_TRUE(got.status.ok());
  EXPECT_EQ(got.bytes, "abcde");
  EXPECT_EQ(answers.asked, (std::vector<std::string>{"/f?offset=0", "/f?offset=3"}));
  Answers empty;
  empty.part("", 0, "v1");
  EXPECT_TRUE(read(empty).status.ok());
}

TEST(RunFiles, OneThatIsWrittenMeanwhileIsNoFile) {
  Answers another, shorter;
  another.part("abc", 5, "v1");
  another.part("de", 5, "v2");
  EXPECT_EQ(read(another).status.error().reason, "FILE_CHANGED");
  shorter.part("abc", 5, "v1");
  shorter.part("", 5, "v1");
  EXPECT_EQ(read(shorter).status.error().reason, "FILE_CHANGED");
}

TEST(RunFiles, AnswersThatAreNoneAreErrors) {
  Answers folder, unsized, refused;
  folder.other(200, "application/json", "{}");
  EXPECT_EQ(read(folder).status.error().reason, "NOT_A_REGULAR_FILE");
  unsized.other(200, "application/octet-stream", "abc");
  EXPECT_EQ(read(unsized).status.error().reason, "UNEXPECTED_ANSWER");
  refused.other(404, "application/json",
                R"({"error":{"code":"FILE_NOT_FOUND","message":"there is no such file"}})");
  EXPECT_EQ(read(refused).status.error().code, Code::kNotFound);
}

TEST(RunFiles, GoInWithTheirBytes) {
  Answers answers;
  answers.other(201, "application/json", R"({"path":"x","size":3})");
  EXPECT_TRUE(put_run_file(answers, "/f", "abc").ok());
  EXPECT_EQ(answers.sent, "PUT abc");
  answers.other(409, "application/json", R"({"kind":"Status","code":409,"message":"m"})");
  EXPECT_FALSE(put_run_file(answers, "/f", "abc").ok());
}

TEST(RunFiles, HaveAPlaceInTheApi) {
  EXPECT_EQ(run_files_target("ns", "train", "out/a b"),
            "/apis/paddock.dev/v1alpha1/namespaces/ns/runs/train/files/out/a%20b");
}

}  // namespace
}  // namespace paddock::cli
