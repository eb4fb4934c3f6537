#include "cli/commands/mcp_api.h"

#include <algorithm>
#include <cstdlib>

#include "cli/commands/requirements_files.h"
#include "cli/options/names.h"
#include "common/base/parallel.h"
#include "common/client/controller_client.h"
#include "common/client/requests.h"
#include "common/contracts/version.h"
#include "common/mcp/tools.h"
#include "common/os/file.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

// Agents name folders; only those below the one that the user named may be sent.
Result<std::string> allowed_folder(const std::string& root, const std::string& wanted) {
  const std::string real = real_path(absolute_path(root, wanted));
  const bool below = real == root || real.starts_with(root == "/" ? root : root + "/");
  if (!real.empty() && below) return real;
  return Error{Code::kPermissionDenied,
               "FOLDER_DENIED",
               "only folders below the one that `paddock mcp --root` names are uploaded",
               {{"folder", "there is no such folder below it"}}};
}

class RemoteApi final : public mcp::Api {
 public:
  RemoteApi(const http::Endpoint& endpoint, std::string root, Millis patience)
      : endpoint_(endpoint),
        client_(endpoint, patience),
        http_(http::make_client(endpoint)),
        root_(std::move(root)) {
    client_.set_parallel(at_once);
  }

  Result<wire::Value> send(const Ask& ask) override {
    if (ask.method == "GET") return client_.get(ask.target);
    if (ask.patience != Millis(0)) return client_.send(ask.method, ask.target, ask.body, ask.key);
    http::Request request = client::json_request(ask.method, ask.target, wire::to_json(ask.body));
    request.timeout = Millis(0);
    return answer_of(request);
  }

  // It waits for nobody: whoever it is beside does.
  std::unique_ptr<Api> beside() override {
    return std::make_unique<RemoteApi>(endpoint_, root_, Millis(0));
  }

  Result<wire::Value> put(const std::string& target, const std::string& bytes) override {
    http::Request request = client::stream_request("PUT", target);
    request.body = bytes;
    return answer_of(request);
  }

  Result<Part> read(const std::string& target, int64_t from, size_t limit) override {
    Part part;
    http::Request request;
    request.target = target;
    request.on_data = [&part, limit,
                       before = static_cast<size_t>(from)](std::string_view bytes) mutable {
      const size_t passed = std::min(before, bytes.size());
      before -= passed;
      bytes.remove_prefix(passed);
      const size_t room = limit - part.bytes.size();
      part.bytes += bytes.substr(0, room);
      part.more = bytes.size() > room;
      return !part.more;
    };
    ASSIGN_OR_RETURN(const http::Response response, client_.send_by(*http_, request));
    const auto type = response.headers.find("content-type");
    part.json = type != response.headers.end() && type->second.starts_with("application/json");
    return part;
  }

  bool has_folders() const override { return true; }

  Result<Uploaded> upload(const std::string& name_space, const std::string& folder,
                          const wire::Value& run) override {
    ASSIGN_OR_RETURN(const std::string real, allowed_folder(root_, folder));
    ASSIGN_OR_RETURN(const cas::Scan scan, cas::scan_folder(real, {}));
    const std::string name = workspace_name(real);
    const std::string requirements = run.text("spec.requirements");
    const client::UploadGate gate{
        [&](const auto& file) { return may_be_requirements(file, requirements); },
        [&] { return client_.try_run(name_space, run, scan.tree); }};
    TRY(client_.upload_workspace(
        name_space, name, real, scan, [](const auto&) {}, gate));
    return Uploaded{name, cas::tree_root(scan.tree), told_of(scan)};
  }

  Result<LeftOut> left_out_of(const std::string& folder) override {
    ASSIGN_OR_RETURN(const std::string real, allowed_folder(root_, folder));
    ASSIGN_OR_RETURN(const cas::Scan scan, cas::left_out_of_folder(real));
    return told_of(scan);
  }

  bool pause(Millis time) override { return pause_.wait(time); }

  void give_up() override {
    pause_.interrupt();
    client_.abort();
    http_->abort();
  }

 private:
  static LeftOut told_of(const cas::Scan& scan) {
    const auto end = scan.left_out.begin() + static_cast<ptrdiff_t>(cas::worth_telling(scan));
    return {{scan.left_out.begin(), end}, scan.left_out.size(), scan.secrets};
  }

  Result<wire::Value> answer_of(const http::Request& request) {
    ASSIGN_OR_RETURN(const http::Response response, client_.send_by(*http_, request));
    return client::parse_body(response);
  }

  const http::Endpoint endpoint_;
  client::ControllerClient client_;
  std::unique_ptr<http::Client> http_;
  std::string root_;
  client::InterruptiblePause pause_;
};

class RemoteAnswerer final : public Answerer {
 public:
  explicit RemoteAnswerer(const McpPlace& place)
      : api_(place.endpoint, place.root, place.patience),
        server_(mcp::make_server(api_, place.name_space, contracts::kProgramVersion)) {}
  mcp::Reply answer(const wire::Value& message) override { return mcp::handle(server_, message); }
  void give_up() override { api_.give_up(); }

 private:
  RemoteApi api_;
  const mcp::Server server_;
};

}  // namespace

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), ::free);
  return real ? std::string(real.get()) : std::string();
}

std::unique_ptr<Answerer> make_answerer(const McpPlace& place) {
  return std::make_unique<RemoteAnswerer>(place);
}

}  // namespace paddock::cli
