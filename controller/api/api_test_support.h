// The whole API in process, without a socket. For tests only.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "common/cas/blob_store.h"
#include "common/wire/json.h"
#include "controller/api/metrics/metrics.h"
#include "controller/api/routes.h"
#include "controller/api/server/authenticate.h"
#include "controller/api/server/pipeline.h"
#include "controller/api/server/stream_here.h"
#include "controller/calls/relay.h"
#include "controller/events/notifier.h"
#include "controller/events/watch_history.h"
#include "controller/nodes/leases.h"
#include "controller/reconciler/reconciler.h"
#include "controller/runs/transitions.h"
#include "controller/store/run_writes.h"
#include "controller/workspaces/blob_intake.h"
#include "tests/support/temp_dir.h"

namespace paddock::api {

// A file of tests/golden.
inline std::string golden_path(const std::string& name) {
  const char* source = std::getenv("PADDOCK_SOURCE_DIR");
  return cat(source == nullptr ? "." : source, "/tests/golden/", name);
}

// A body that is there already. Like the server's, it refuses by length before it reads.
class FakeBody final : public BodyReader {
 public:
  explicit FakeBody(std::string bytes) : bytes_(std::move(bytes)) {}
  int64_t length() const override { return static_cast<int64_t>(bytes_.size()); }
  Result<std::string> read(size_t limit) override {
    if (bytes_.size() > limit)
      return Error{Code::kTooLarge, "BODY_TOO_LARGE", "the body is too large"};
    return bytes_;
  }
  Status stream(size_t limit, const std::function<Status(std::string_view)>& take) override {
    if (bytes_.size() > limit)
      return Error{Code::kTooLarge, "BODY_TOO_LARGE", "the body is too large"};
    return take(bytes_);
  }

 private:
  std::string bytes_;
};

// Collects what a stream writes; the client "goes away" once it has seen `until`.
class FakeStream final : public ResponseStream {
 public:
  explicit FakeStream(std::string until = {}) : until_(std::move(until)) {}
  bool write(std::string_view bytes) override {
    text += bytes;
    return open();
  }
  bool open() const override {
    return !broken && (until_.empty() || text.find(until_) == std::string::npos);
  }
  void break_off() override { broken = true; }
  std::string text;
  bool broken = false;

 private:
  std::string until_;
};

struct Answer {
  int status = 0;
  std::string text;
  wire::Value body;
  Response response;
  std::string reason() const { return body.text("error.code"); }
};

class ApiTest : public testing::Test {
 protected:
  static constexpr const char* kRuns = "/apis/paddock.dev/v1alpha1/namespaces/default/runs";
  static constexpr const char* kWorkspaces =
      "/apis/paddock.dev/v1alpha1/namespaces/default/workspaces";
  static constexpr const char* kNodes = "/apis/paddock.dev/v1alpha1/nodes";

  ApiTest()
      : blobs_(cas::BlobStore::open(folder_ / "blobs").value()),
        intake_(workspaces::BlobIntake::open(blobs_, folder_ / "blobs", {}).value()),
        store_(store::Store::open(
                   {.path = {},
                    .on_commit = [this](const auto& topics) { notifier_.notify(topics); },
                    .on_changes =
                        [this](auto changes) { announce(std::move(changes), *calls_, history_); },
                    .on_measured =
                        [this](Micros took, const auto& measures) {
                          metrics_.count_batch(took, measures);
                        }})
                   .value()),
        leases_(clock_.mono()),
        reconciler_(*store_, leases_),
        services_{*store_,  notifier_, history_, leases_,  blobs_,
                  *intake_, clock_,    random_,  metrics_, reconciler_},
        router_(Router::build(routes()).value()),
        handler_(make_handler(router_, services_)) {
    services_.calls = calls_;
    admin_ = add_token("admin", auth::admin_scopes());
    enroll_ = add_token("enroll", auth::enroll_scopes());
  }

  std::string add_token(const std::string& subject, std::vector<std::string> scopes,
                        const std::string& name_space = {}) {
    const auth::MintedToken token = auth::mint_token(random_, "pdk");
    store::TokenRecord record = token_record(token, subject, std::move(scopes));
    record.name_space = name_space;
    EXPECT_TRUE(store_->write([&](store::WriteTxn& txn) { return txn.put_token(record); }).ok());
    return token.secret;
  }

  void revoke(const std::string& secret) {
    ASSERT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(auto record, txn.token_by_hash(auth::token_hash(secret)));
                      record->revoked = true;
                      return txn.put_token(*record);
                    })
                    .ok());
  }

  Request request_of(const std::string& method, const std::string& target,
                     const std::string& token) const {
    Request request;
    request.method = method;
    const size_t mark = target.find('?');
    request.path = target.substr(0, mark);
    for (const std::string& part : split(request.path, '/')) {
      if (!part.empty()) request.segments.push_back(part);
    }
    if (mark != std::string::npos) {
      for (const std::string& pair : split(target.substr(mark + 1), '&')) {
        const size_t equals = pair.find('=');
        request.query.emplace_back(pair.substr(0, equals),
                                   equals == std::string::npos ? "" : pair.substr(equals + 1));
      }
    }
    if (!token.empty()) request.headers["authorization"] = "Bearer " + token;
    return request;
  }

  // A target for a route's pattern: of the namespace `default`, the node n1 and this object.
  static std::string target_of(const std::string& pattern, const std::string& name,
                               const std::string& digest) {
    std::string out;
    for (const std::string& part : split(std::string_view(pattern).substr(1), '/')) {
      if (part == "{ns}")
        out += "/default";
      else if (part == "{node}")
        out += "/n1";
      else if (part == "{digest}")
        out += "/" + digest;
      else
        out += "/" + (part.starts_with('{') ? name : part);
    }
    return out;
  }

  void end_run(const std::string& name) {
    ASSERT_TRUE(store_
                    ->write([&](store::WriteTxn& txn) -> Status {
                      ASSIGN_OR_RETURN(auto one, txn.get<contracts::Run>({"default", name}));
                      return store::save_run(txn, one, runs::request_cancel(one, clock_.wall()));
                    })
                    .ok());
  }

  Answer send(Request request, const std::string& bytes = {}) {
    return send_to(handler_, std::move(request), bytes);
  }
  static Answer send_to(const Handler& handler, Request request, const std::string& bytes) {
    FakeBody body(bytes);
    request.body = &body;
    Answer answer;
    answer.response = answer_here(handler(request), request.client);
    answer.status = answer.response.status;
    answer.text = answer.response.body;
    if (auto parsed = wire::parse_json(answer.text)) answer.body = std::move(*parsed);
    return answer;
  }
  Answer call(const std::string& method, const std::string& target, const std::string& bytes = {}) {
    return send(request_of(method, target, admin_), bytes);
  }

  // A workspace `w` that holds s.py.
  void make_workspace() {
    const std::string content = "print(1)\n";
    const std::string digest = crypto::sha256_hex(content);
    ASSERT_EQ(
        call("POST", kWorkspaces,
             R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Workspace","metadata":{"name":"w"}})")
            .status,
        201);
    ASSERT_EQ(call("PUT", cat(kWorkspaces, "/w/blobs/", digest), content).status, 201);
    const std::string tree = cat(
        R"({"entries":[{"path":"s.py","size":9,"executable":false,"digest":")", digest, "\"}]}");
    const Answer answer = call("POST", cat(kWorkspaces, "/w/tree"), tree);
    ASSERT_EQ(answer.status, 200) << answer.text;
  }
  static std::string run_text(const std::string& name, const std::string& spec = {}) {
    return cat(R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Run","metadata":{"name":")", name,
               R"("},"spec":{"type":"compute","command":"python3 s.py","workspace":"w")", spec,
               "}}");
  }

  test::TempDir folder_;
  ManualClock clock_;
  SeededRandom random_{7};
  std::shared_ptr<calls::Relay> calls_ = std::make_shared<calls::Relay>();
  events::Notifier notifier_;
  events::WatchHistory history_;
  Metrics metrics_;
  cas::BlobStore blobs_;
  std::unique_ptr<workspaces::BlobIntake> intake_;
  std::unique_ptr<store::Store> store_;
  nodes::LeaseTable leases_;
  reconciler::Reconciler reconciler_;
  Services services_;
  Router router_;
  Handler handler_;
  std::string admin_;
  std::string enroll_;
};

}  // namespace paddock::api
