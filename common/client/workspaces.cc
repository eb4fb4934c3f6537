// Uploading a folder: name the tree; unless the server has it, offer it, send what the server
// lacks, offer it again, compare.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <map>

#include "common/base/first_error.h"
#include "common/base/guarded.h"
#include "common/base/text.h"
#include "common/cas/bundle.h"
#include "common/client/bundle_body.h"
#include "common/client/controller_client.h"
#include "common/client/requests.h"
#include "common/compression/compression.h"
#include "common/contracts/api_paths.h"
#include "common/contracts/tree_claim.h"
#include "common/os/file.h"

namespace paddock::client {
namespace {

namespace paths = contracts::paths;
using contracts::TreeAnswer;
using contracts::TreeEntry;

constexpr size_t kLanes = 4;
constexpr int kOffers = 3;  // blobs may be removed between two offers, but not for ever

Error file_changed(const TreeEntry& entry) {
  return {Code::kFailedPrecondition, "FILE_CHANGED",
          cat(to_utf8_lossy(entry.path), " changed after it was read")};
}

bool takes(const TreeAnswer& answer, std::string_view how) {
  return std::ranges::find(answer.compressions, how) != answer.compressions.end();
}

// The entries behind the digests that the server lacks, each digest once.
Result<std::vector<TreeEntry>> blobs_of(const TreeAnswer& answer, const contracts::Tree& tree) {
  std::map<std::string_view, const TreeEntry*> by_digest;
  for (const TreeEntry& entry : tree.entries) by_digest.emplace(entry.digest, &entry);
  std::vector<TreeEntry> blobs;
  for (const contracts::Digest& digest : answer.missing) {
    const auto found = by_digest.find(digest);
    if (found == by_digest.end()) {
      return Error{Code::kUnavailable, "UNEXPECTED_ANSWER",
                   "the server asks for a blob that was not offered"};
    }
    if (found->second != nullptr) blobs.push_back(*found->second);
    found->second = nullptr;
  }
  return blobs;
}

}  // namespace

Status ControllerClient::ensure_workspace(const std::string& name_space, const std::string& name,
                                          const std::string& source) {
  contracts::Workspace workspace;
  workspace.metadata.name = name;
  workspace.metadata.name_space = name_space;
  workspace.spec.source = source;
  const http::Request request = json_request("POST", paths::collection(name_space, "workspaces"),
                                             wire::encode_json(workspace));
  const Result<http::Response> made = call(*http_, request, true);
  if (made || made.error().code == Code::kAlreadyExists) return {};
  return made.error();
}

Result<bool> ControllerClient::has_tree(const std::string& workspace, const cas::Digest& root) {
  const http::Request request =
      json_request("POST", cat(workspace, "/tree"), wire::encode_json(contracts::TreeClaim{root}));
  const Result<wire::Value> found = call_json(request, true);
  if (!found && found.error().code == Code::kNotFound) return false;
  if (!found) return found.error();
  ASSIGN_OR_RETURN(const TreeAnswer answer, decode_answer<TreeAnswer>(*found));
  return answer.stored && answer.root == root;
}

Result<TreeAnswer> ControllerClient::offer_tree(const std::string& workspace,
                                                const contracts::Tree& tree) {
  http::Request request = json_request("POST", cat(workspace, "/tree"), wire::encode_json(tree));
  request.timeout = Millis(120'000);  // a large tree is looked up blob by blob
  ASSIGN_OR_RETURN(const wire::Value answer, call_json(std::move(request), true));
  return decode_answer<TreeAnswer>(answer);
}

std::shared_ptr<http::Client> ControllerClient::new_lane() {
  std::shared_ptr<http::Client> lane = http::make_client(endpoint_);
  lanes_.with([&](std::vector<std::weak_ptr<http::Client>>& lanes) {
    std::erase_if(lanes, [](const auto& each) { return each.expired(); });
    lanes.push_back(lane);
  });
  if (pause_.interrupted()) lane->abort();  // abort() may have come before the lane was known
  return lane;
}

Result<os::RegularFile> ControllerClient::open_blob(const TreeEntry& blob,
                                                    const BlobTarget& target) {
  const auto added = target.added.find(blob.path);
  if (added == target.added.end()) return os::open_regular_file_beneath(target.root, blob.path);
  os::RegularFile file{os::Fd(::fcntl(added->second, F_DUPFD_CLOEXEC, 0)), {}};
  if (!file.fd.valid() || ::fstat(file.fd.get(), &file.stat) != 0)
    return system_error("opening what is to be sent", errno);
  return file;
}

Status ControllerClient::send_blob(const TreeEntry& blob, const BlobTarget& target,
                                   const Send& send) {
  const Result<os::RegularFile> file = open_blob(blob, target);
  if (!file || file->stat.st_size < blob.size) return file_changed(blob);
  http::Request request = stream_request("PUT", cat(target.workspace, "/blobs/", blob.digest));
  request.body_fd = file->fd.get();
  request.body_size = blob.size;
  if (target.on_sent)
    request.on_sent = [&](int64_t sent) { target.on_sent(sent, request.body_size); };
  std::optional<compression::CompressedFile> smaller;
  if (target.compress) smaller = compression::compress_file(file->fd.get(), blob.size);
  if (smaller) {
    request.target += cat("?compression=", compression::kZstd, "&size=", blob.size);
    request.body_fd = smaller->fd.get();
    request.body_size = smaller->size;
  }
  Status sent = send(request);
  if (sent) return sent;
  const Reason& reason = sent.error().reason;
  return reason == "DIGEST_MISMATCH" || reason == "BODY_CHANGED" ? Status(file_changed(blob))
                                                                 : sent;
}

Status ControllerClient::send_bundle(const Blobs& blobs, const BlobTarget& target,
                                     const Send& send) {
  BundleBody body(target.compress, cas::bundle_size(blobs));
  for (const TreeEntry* blob : blobs) {
    const Result<os::RegularFile> file = open_blob(*blob, target);
    if (!file || !body.add(*blob, file->fd.get())) return file_changed(*blob);
  }
  http::Request request = stream_request("POST", cat(target.workspace, "/blobs"));
  TRY(body.move_to(request));
  if (target.on_sent)
    request.on_sent = [&, of = static_cast<int64_t>(request.body.size())](int64_t sent) {
      target.on_sent(sent, of);
    };
  return send(request);
}

// If a bundle is refused, its files are sent one by one, so that the error names the file.
Status ControllerClient::send_together(const Blobs& blobs, const BlobTarget& target,
                                       const Send& send) {
  if (blobs.size() > 1) {
    const Status sent = send_bundle(blobs, target, send);
    if (sent || sent.error().code != Code::kInvalidArgument) return sent;
  }
  for (const TreeEntry* blob : blobs) TRY(send_blob(*blob, target, send));
  return {};
}

namespace {

using Report = ControllerClient::Report;

// Blobs that are done, and what has been sent of those under way: a large one is no single step.
struct Sending {
  UploadProgress& progress;
  int64_t under_way = 0;
  int64_t told = 0;

  // A blob's part goes from `before` to `now`. Told in steps and not for each piece.
  void move(int64_t before, int64_t now, const Report& report) {
    constexpr int64_t kSteps = 100, kSmallestStep = 1 << 20;
    under_way += now - before;
    const int64_t sent = progress.bytes_sent + under_way;
    if (!report || sent - told < std::max(kSmallestStep, progress.bytes_total / kSteps)) return;
    UploadProgress so_far = progress;
    so_far.bytes_sent = told = sent;
    report(so_far);
  }
  void done(int64_t part, size_t blobs, int64_t size, const Report& report) {
    under_way -= part;
    progress.blobs_sent += static_cast<int64_t>(blobs);
    progress.bytes_sent += size;
    UploadProgress so_far = progress;
    so_far.bytes_sent = told = progress.bytes_sent + under_way;
    if (report) report(so_far);
  }
};

int64_t size_of(const std::vector<const TreeEntry*>& blobs) {
  int64_t out = 0;
  for (const TreeEntry* each : blobs) out += each->size;
  return out;
}

// Groups the blobs by the request that each goes in.
std::vector<std::vector<const TreeEntry*>> in_groups(const std::vector<TreeEntry>& blobs,
                                                     bool bundle) {
  std::vector<const TreeEntry*> all;
  for (const TreeEntry& each : blobs) all.push_back(&each);
  if (bundle) return cas::as_bundles(all);
  std::vector<std::vector<const TreeEntry*>> alone;
  for (const TreeEntry* each : all) alone.push_back({each});
  return alone;
}

// How many of `size` bytes of blobs have been sent when `sent` bytes of the body have. The body may
// be compressed, and so be smaller.
int64_t part_of(int64_t size, int64_t sent, int64_t body_size) {
  if (sent >= body_size) return size;
  return static_cast<int64_t>(static_cast<double>(size) * static_cast<double>(sent) /
                              static_cast<double>(body_size));
}

}  // namespace

Status ControllerClient::send_blobs(const BlobTarget& target, const std::vector<TreeEntry>& blobs,
                                    UploadProgress& progress, const Report& report) {
  Guarded<Sending> shared(Sending{progress});
  std::atomic<size_t> next{0};
  FirstError first_error;
  const std::vector<Blobs> groups = in_groups(blobs, target.bundle);
  const auto lane = [&] {
    const std::shared_ptr<http::Client> http = new_lane();
    for (size_t i = next++; i < groups.size() && !first_error.failed(); i = next++) {
      const int64_t size = size_of(groups[i]);
      int64_t part = 0;
      BlobTarget watched = target;
      watched.on_sent = [&](int64_t bytes, int64_t of) {
        const int64_t now = part_of(size, bytes, of);
        shared.with([&](Sending& all) { all.move(part, now, report); });
        part = now;
      };
      const Status sent = send_together(groups[i], watched, [&](const http::Request& request) {
        const Result<http::Response> response = call(*http, request, true);
        return response ? Status() : Status(response.error());
      });
      if (sent.ok())
        shared.with([&](Sending& all) { all.done(part, groups[i].size(), size, report); });
      first_error.keep(sent);
    }
  };
  parallel_(std::vector<std::function<void()>>(std::min(kLanes, groups.size()), lane));
  return first_error.status();
}

// Counts what is to be sent, and sends it.
Status ControllerClient::send_missing(const BlobTarget& target, const std::vector<TreeEntry>& blobs,
                                      UploadProgress& done, const Report& report,
                                      const UploadGate& gate) {
  done.blobs_total += static_cast<int64_t>(blobs.size());
  for (const TreeEntry& blob : blobs) done.bytes_total += blob.size;
  if (!gate.ask) {
    if (report) report(done);
    return send_blobs(target, blobs, done, report);
  }
  std::vector<TreeEntry> rest = blobs;
  const auto is_first = [&](const TreeEntry& blob) { return gate.first && gate.first(blob); };
  const auto behind = std::stable_partition(rest.begin(), rest.end(), is_first);
  const std::vector<TreeEntry> first(rest.begin(), behind);
  rest.erase(rest.begin(), behind);
  TRY(send_blobs(target, first, done, {}));
  if (!rest.empty()) TRY(gate.ask());
  if (report) report(done);
  return send_blobs(target, rest, done, report);
}

Result<UploadProgress> ControllerClient::upload_workspace(
    const std::string& name_space, const std::string& name, const std::string& folder,
    const cas::Scan& scan, const Report& progress, const UploadGate& gate) {
  const std::string workspace = paths::workspace(name_space, name);
  ASSIGN_OR_RETURN(const os::Fd opened, os::open_root(folder));
  const cas::Digest root = cas::tree_root(scan.tree);
  UploadProgress done;
  ASSIGN_OR_RETURN(const bool unchanged, has_tree(workspace, root));
  if (unchanged) return done;
  TRY(ensure_workspace(name_space, name, os::base_name(folder)));
  for (int offer = 0; offer < kOffers; ++offer) {
    ASSIGN_OR_RETURN(const TreeAnswer answer, offer_tree(workspace, scan.tree));
    if (answer.stored && answer.missing.empty()) {
      if (answer.root == root) return done;
      return Error{Code::kInternal, "ROOT_MISMATCH",
                   "the server stored something else than was sent"};
    }
    ASSIGN_OR_RETURN(const std::vector<TreeEntry> blobs, blobs_of(answer, scan.tree));
    const bool compress = compress_ && takes(answer, compression::kZstd);
    const bool bundle = takes(answer, cas::kBundle);
    TRY(send_missing({opened.get(), scan.added, workspace, compress, bundle, {}}, blobs, done,
                     progress, offer == 0 ? gate : UploadGate{}));
  }
  return Error{Code::kUnavailable, "UPLOAD_INCOMPLETE",
               "the server keeps missing files that were sent"};
}

}  // namespace paddock::client
