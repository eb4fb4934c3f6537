// Runs: creating, reading, cancelling, and fetching what came back.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "common/base/percent.h"
#include "common/base/text.h"
#include "common/client/controller_client.h"
#include "common/client/requests.h"
#include "common/contracts/api_paths.h"
#include "common/crypto/digest.h"
#include "common/os/file.h"
#include "common/wire/json.h"

namespace paddock::client {
namespace {

using contracts::Artifact;
using contracts::Run;
namespace paths = contracts::paths;

constexpr size_t kMostTried = 2 << 20;  // a question of more bytes goes without the files' names

// A file that is seen under its name only when all of it is there; else it leaves nothing behind.
class Download {
 public:
  static Result<Download> begin(int folder, const std::string& relative, Random& random) {
    TRY(os::make_parents_beneath(folder, relative));
    const size_t slash = relative.rfind('/');
    const std::string parent = slash == std::string::npos ? "." : relative.substr(0, slash);
    ASSIGN_OR_RETURN(os::Fd opened, os::open_beneath(folder, parent, O_RDONLY | O_DIRECTORY));
    std::string temporary = cat(".paddock-", make_suffix(random, 12), ".part");
    ASSIGN_OR_RETURN(os::Fd file, os::open_beneath(opened.get(), temporary,
                                                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644));
    return Download(std::move(opened), std::move(temporary), std::move(file));
  }
  Download(Download&&) noexcept = default;
  ~Download() {
    if (parent_.valid()) ::unlinkat(parent_.get(), temporary_.c_str(), 0);
  }

  Status append(std::string_view bytes, const Artifact& artifact) {
    size_ += static_cast<int64_t>(bytes.size());
    if (size_ > artifact.size) return wrong(artifact);
    hash_.update(bytes);
    return os::write_all(file_.get(), bytes);
  }
  Status finish(const Artifact& artifact, const std::string& name) {
    if (size_ != artifact.size || hash_.finish_hex() != artifact.digest) return wrong(artifact);
    if (artifact.executable && ::fchmod(file_.get(), 0755) != 0)
      return system_error(cat("saving ", to_utf8_lossy(name)), errno);
    if (::renameat(parent_.get(), temporary_.c_str(), parent_.get(), name.c_str()) != 0) {
      return system_error(cat("saving ", to_utf8_lossy(name)), errno);
    }
    parent_.reset();  // nothing to remove
    return {};
  }

 private:
  Download(os::Fd parent, std::string temporary, os::Fd file)
      : parent_(std::move(parent)), temporary_(std::move(temporary)), file_(std::move(file)) {}
  static Error wrong(const Artifact& artifact) {
    return {Code::kUnavailable, "DIGEST_MISMATCH",
            cat("what the server sent is not ", to_utf8_lossy(artifact.path))};
  }

  os::Fd parent_;
  std::string temporary_;
  os::Fd file_;
  int64_t size_ = 0;
  crypto::Sha256 hash_;
};

}  // namespace

Result<Run> ControllerClient::create_run(const Run& run, const std::string& idempotency_key) {
  ASSIGN_OR_RETURN(const wire::Value made,
                   send("POST", paths::collection(run.metadata.name_space, "runs"),
                        wire::encode(run), idempotency_key));
  return decode_answer<Run>(made);
}

Status ControllerClient::try_run(const std::string& name_space, wire::Value run,
                                 const contracts::Tree& tree) {
  const std::string target = cat(paths::collection(name_space, "runs"), "?dryRun=All");
  run.set("tree", wire::encode(tree));
  http::Request request = json_request("POST", target, wire::to_json(run));
  if (request.body.size() > kMostTried) {
    run.set("tree", wire::Value());
    request = json_request("POST", target, wire::to_json(run));
  }
  const Result<wire::Value> tried = call_json(request, true);
  if (tried) return {};
  const auto of_files = [](const Cause& cause) { return cause.field == "tree"; };
  return std::ranges::any_of(tried.error().causes, of_files) ? Status() : Status(tried.error());
}

Result<Run> ControllerClient::get_run(const std::string& name_space, const std::string& name) {
  ASSIGN_OR_RETURN(const wire::Value found, get(paths::run(name_space, name)));
  return decode_answer<Run>(found);
}

Status ControllerClient::cancel_run(const std::string& name_space, const std::string& name,
                                    bool at_once) {
  // Cancelling twice is cancelling once.
  wire::Value::Object how;
  if (at_once) how.emplace_back("now", true);
  const http::Request request =
      json_request("POST", cat(paths::run(name_space, name), "/cancel"), wire::to_json(how));
  ASSIGN_OR_RETURN(const http::Response done, call(*http_, request, true));
  return {};
}

Status ControllerClient::download_artifact(const std::string& name_space, const std::string& run,
                                           const Artifact& artifact, int folder,
                                           const std::string& relative) {
  return repeat([&](std::optional<Millis> time, Failure& failure) -> Status {
    ASSIGN_OR_RETURN(Download download, Download::begin(folder, relative, random_));
    http::Request request = stream_request(
        "GET", cat(paths::run(name_space, run), "/artifacts/", percent_encode_path(artifact.path)));
    Status written;
    request.on_data = [&](std::string_view piece) {
      written = download.append(piece, artifact);
      return written.ok();
    };
    bound_try(request, time, true);
    ASSIGN_OR_RETURN(const http::Response response, once(*http_, request, failure));
    TRY(std::move(written));
    return download.finish(artifact, os::base_name(relative));
  });
}

}  // namespace paddock::client
