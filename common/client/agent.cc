// The node agent's calls.
#include <optional>
#include <set>

#include "common/base/percent.h"
#include "common/base/text.h"
#include "common/cas/bundle.h"
#include "common/client/controller_client.h"
#include "common/client/requests.h"
#include "common/compression/compression.h"
#include "common/contracts/api_paths.h"
#include "common/contracts/blob_request.h"
#include "common/contracts/enrollment.h"
#include "common/contracts/protocol.h"
#include "common/wire/json.h"

namespace paddock::client {
namespace {

namespace paths = contracts::paths;
// On top of what the server may hold the call. Where another one may have taken over from it, this
// node must have called that one before it is given up there.
constexpr Millis kAnswerTime{15'000};
constexpr Millis kAnswerTimeOfOneOfSeveral{5'000};

Millis answer_time(const http::Endpoint& endpoint) {
  return http::servers_of(endpoint) == Servers::kSeveral ? kAnswerTimeOfOneOfSeveral : kAnswerTime;
}

http::Request speaking(http::Request request) {
  request.headers.emplace(contracts::kAgentProtocolHeader,
                          std::to_string(contracts::kProtocolVersion));
  return request;
}

// The text of the request for a controller that does not know these fields.
template <class T>
std::string text_of(const T& request, const FieldPaths& unknown) {
  if (unknown.empty()) return wire::encode_json(request);
  wire::Value out = wire::encode(request);
  leave_out(out, unknown);
  return wire::to_json(out);
}

constexpr Millis kBundleSilence{60'000};

// A bundle that comes as an answer, compressed if `size` is said, into the store.
class BundleIntake {
 public:
  BundleIntake(const std::vector<contracts::Digest>& asked, const cas::BlobStore& store,
               int64_t size)
      : asked_(asked.begin(), asked.end()), store_(store) {
    if (size >= 0) content_.emplace(size);
  }

  Status append(std::string_view piece) {
    if (!content_) return read(piece);
    return content_->append(piece, [this](std::string_view bytes) { return read(bytes); });
  }
  bool lacks(const contracts::Digest& digest) const { return asked_.contains(digest); }

 private:
  Status read(std::string_view piece) {
    return reader_.append(piece, [this](const auto& digest, std::string_view content) {
      return keep(digest, content);
    });
  }
  // Content that was not asked for is refused, since it could fill this node's disk.
  Status keep(const contracts::Digest& digest, std::string_view content) {
    if (!asked_.contains(digest))
      return invalid_argument("DIGEST_MISMATCH", "the server sent a file that was not asked for");
    ASSIGN_OR_RETURN(cas::BlobStore::Writer writer,
                     store_.begin(digest, static_cast<int64_t>(content.size()),
                                  cas::Durability::kLater, cas::Blobs::IfHere::kWrite));
    TRY(writer.append(content));
    TRY(writer.commit());
    asked_.erase(digest);
    return {};
  }

  std::set<contracts::Digest> asked_;
  const cas::BlobStore& store_;
  std::optional<compression::Decompressor> content_;
  cas::BundleReader reader_;
};

// A controller of the next release may say more than this agent knows, but not of what a run is to
// be: what it may not do must never be left out.
Result<contracts::SyncAnswer> read_answer(const wire::Value& body, int64_t protocol) {
  if (protocol <= contracts::kProtocolVersion) return decode_answer<contracts::SyncAnswer>(body);
  std::vector<std::string> unknown;
  ASSIGN_OR_RETURN(auto answer, wire::decode<contracts::SyncAnswer>(body, unknown));
  for (const std::string& field : unknown) {
    if (field.find(".spec.") == field.npos && field.find(".policy.") == field.npos) continue;
    return Error{
        Code::kUnavailable, "UNEXPECTED_ANSWER",
        cat("a run asks for what this agent does not know (", field, "): upgrade the node agent")};
  }
  return answer;
}

}  // namespace

Result<contracts::EnrollAnswer> ControllerClient::enroll(const std::string& node,
                                                         const contracts::EnrollRequest& request) {
  // Its identity makes enrolling again the same as enrolling once.
  ASSIGN_OR_RETURN(const wire::Value answer,
                   call_json(speaking(json_request("POST", cat(paths::node(node), "/enroll"),
                                                   wire::encode_json(request))),
                             true));
  return decode_answer<contracts::EnrollAnswer>(answer);
}

Result<std::string> ControllerClient::next_credential(const std::string& node) {
  ASSIGN_OR_RETURN(
      const wire::Value answer,
      call_json(json_request("POST", cat(paths::node(node), "/credential"), "{}"), true));
  ASSIGN_OR_RETURN(auto next, decode_answer<contracts::CredentialAnswer>(answer));
  if (!next.credential.empty()) return std::move(next.credential);
  return Error{Code::kUnavailable, "UNEXPECTED_ANSWER", "the server's answer has no credential"};
}

Status ControllerClient::leave(const std::string& node, bool force) {
  const http::Request request = json_request("POST", cat(paths::node(node), "/leave"),
                                             wire::encode_json(contracts::LeaveRequest{force}));
  ASSIGN_OR_RETURN(const http::Response response, call(*http_, request, false));
  return {};
}

// Fields that an older controller does not know are left out from then on. When the controller
// knows them again (it was upgraded), the request is repeated with all of them: unchanged fields
// would not be sent again otherwise.
Result<contracts::SyncAnswer> ControllerClient::synchronize(const std::string& node,
                                                            const contracts::SyncRequest& request) {
  const size_t before = left_out_.size();
  auto answer = synchronize_once(node, request);
  if (!answer.ok()) left_out_.merge(unknown_fields(answer.error()));
  const bool again = answer.ok() ? left_out_.size() < before : left_out_.size() > before;
  return again ? synchronize_once(node, request) : std::move(answer);
}

Result<contracts::SyncAnswer> ControllerClient::synchronize_once(
    const std::string& node, const contracts::SyncRequest& request) {
  http::Request call = speaking(
      json_request("POST", cat(paths::node(node), "/synchronize"), text_of(request, left_out_)));
  call.timeout = Millis(request.wait_ms) + answer_time(endpoint_);
  Failure failure;
  ASSIGN_OR_RETURN(const http::Response response, once(*http_, call, failure));
  const auto said = response.headers.find(ascii_lower(contracts::kControllerProtocolHeader));
  ASSIGN_OR_RETURN(const int64_t protocol,
                   contracts::protocol_said(said == response.headers.end() ? "" : said->second));
  TRY(contracts::check_controller_protocol(protocol));
  if (protocol >= contracts::kProtocolVersion) left_out_.clear();
  ASSIGN_OR_RETURN(const wire::Value body, parse_body(response));
  return read_answer(body, protocol);
}

// A request that an older controller refuses for a field has changed nothing there.
Result<contracts::CallsAnswer> ControllerClient::exchange_calls(
    const std::string& node, const contracts::CallsRequest& request) {
  const size_t before = left_out_.size();
  auto answer = exchange_calls_once(node, request);
  if (!answer.ok()) left_out_.merge(unknown_fields(answer.error()));
  return left_out_.size() > before ? exchange_calls_once(node, request) : std::move(answer);
}

Result<contracts::CallsAnswer> ControllerClient::exchange_calls_once(
    const std::string& node, const contracts::CallsRequest& request) {
  http::Request call =
      json_request("POST", cat(paths::node(node), "/calls"), text_of(request, left_out_));
  call.timeout = Millis(request.wait_ms) + answer_time(endpoint_);
  ASSIGN_OR_RETURN(const wire::Value answer, call_once(call));
  return decode_answer<contracts::CallsAnswer>(answer);
}

Result<contracts::Tree> ControllerClient::fetch_tree(const std::string& node,
                                                     const std::string& run_uid,
                                                     const std::string& volume) {
  std::string path = cat(paths::node_run(node, run_uid), "/tree");
  if (!volume.empty()) path += cat("?volume=", percent_encode(volume));
  ASSIGN_OR_RETURN(const wire::Value answer, get(path));
  return decode_answer<contracts::Tree>(answer);
}

// Asking again replaces the token, so that this may be repeated.
Result<std::string> ControllerClient::run_tool_token(const std::string& node,
                                                     const std::string& run_uid, int64_t attempt) {
  const http::Request request =
      json_request("POST", cat(paths::node_run(node, run_uid), "/tool-token"),
                   wire::encode_json(contracts::RunTokenRequest{attempt}));
  ASSIGN_OR_RETURN(const wire::Value answer, call_json(request, true));
  ASSIGN_OR_RETURN(const auto token, decode_answer<contracts::RunTokenAnswer>(answer));
  return token.token;
}

Result<contracts::RunSecretsAnswer> ControllerClient::run_secrets(const std::string& node,
                                                                  const std::string& run_uid,
                                                                  int64_t attempt) {
  const http::Request request =
      json_request("POST", cat(paths::node_run(node, run_uid), "/secrets"),
                   wire::encode_json(contracts::RunSecretsRequest{attempt}));
  ASSIGN_OR_RETURN(const wire::Value answer, call_json(request, true));
  return decode_answer<contracts::RunSecretsAnswer>(answer);
}

Result<contracts::ToolBundle> ControllerClient::run_tool_bundle(const std::string& node,
                                                                const std::string& run_uid) {
  ASSIGN_OR_RETURN(const wire::Value answer,
                   get(cat(paths::node_run(node, run_uid), "/tool-bundle")));
  return decode_answer<contracts::ToolBundle>(answer);
}

Status ControllerClient::fetch_blob(const std::string& node, const std::string& run_uid,
                                    const std::string& digest, int64_t size,
                                    const cas::BlobStore& store) {
  return repeat([&](std::optional<Millis> time, Failure& failure) -> Status {
    ASSIGN_OR_RETURN(cas::BlobStore::Writer writer,
                     store.begin(digest, size, cas::Durability::kLater));
    http::Request request =
        stream_request("GET", cat(paths::node_run(node, run_uid), "/blobs/", digest));
    Status written;
    request.on_data = [&](std::string_view piece) {
      written = writer.append(piece);
      return written.ok();
    };
    bound_try(request, time, true);
    ASSIGN_OR_RETURN(const http::Response response, once(*http_, request, failure));
    TRY(std::move(written));
    return writer.commit();
  });
}

// Each is proven by its digest before it is here; what came before an answer broke off stays.
Status ControllerClient::fetch_bundle(const std::string& node, const std::string& run_uid,
                                      std::vector<const contracts::TreeEntry*>& missing,
                                      const cas::BlobStore& store) {
  return repeat([&](std::optional<Millis> time, Failure& failure) -> Status {
    std::erase_if(missing, [&](const auto* each) { return store.has(each->digest); });
    std::string target = cat(paths::node_run(node, run_uid), "/blobs");
    if (compress_) target += cat("?compression=", compression::kZstd);
    contracts::BlobRequest asked;
    for (const auto* each : missing) asked.digests.push_back(each->digest);
    http::Request request = json_request("POST", target, wire::encode_json(asked));
    request.timeout = Millis(0);
    request.idle_timeout = kBundleSilence;
    BundleIntake intake(asked.digests, store, compress_ ? cas::bundle_size(missing) : -1);
    Status taken;
    request.on_data = [&](std::string_view piece) {
      taken = intake.append(piece);
      return taken.ok();
    };
    bound_try(request, time, true);
    const Result<http::Response> response = once(*http_, request, failure);
    std::erase_if(missing, [&](const auto* each) { return !intake.lacks(each->digest); });
    return response ? taken : Status(response.error());
  });
}

Status ControllerClient::upload_artifact(const std::string& node, const std::string& run_uid,
                                         int fd, const contracts::Artifact& artifact) {
  http::Request request =
      stream_request("PUT", cat(paths::node_run(node, run_uid), "/artifacts/", artifact.digest));
  request.body_fd = fd;
  request.body_size = artifact.size;
  ASSIGN_OR_RETURN(const http::Response response, call(*http_, request, true));
  return {};
}

Status ControllerClient::name_finished(const std::string& node, const std::string& run_uid,
                                       const contracts::FinishedArtifacts& finished) {
  const http::Request request = json_request(
      "POST", cat(paths::node_run(node, run_uid), "/artifacts"), wire::encode_json(finished));
  ASSIGN_OR_RETURN(const http::Response response, call(*http_, request, true));
  return {};
}

}  // namespace paddock::client
