// The files of a run on their way to the controller.
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "cli/client/returned_files.h"
#include "cli/commands/requirements_files.h"
#include "cli/commands/run_job.h"
#include "cli/grammar/usage_errors.h"
#include "cli/instance/instance.h"
#include "cli/options/names.h"
#include "cli/output/run_report.h"
#include "cli/terminal/progress.h"
#include "common/contracts/inner_paths.h"
#include "common/contracts/tree_path.h"
#include "common/os/file.h"

namespace paddock::cli {
namespace {

// Digests are remembered per user, whatever the instance; losing them costs time only.
std::string digest_cache_path(const Env& env) {
  const Result<std::string> root = state_root(env.vars, env.root);
  if (!root.ok() || !os::make_dirs(*root).ok()) return "";
  return *root + "/digests";
}

// The largest file that the controller takes. If it does not say, it refuses what is too large when
// that is offered.
int64_t largest_file(client::ControllerClient& client) {
  const Result<wire::Value> status = client.get("/status");
  const wire::Value* most = status.ok() ? status->find("maxBlob") : nullptr;
  const int64_t* bytes = most != nullptr ? most->integer() : nullptr;
  return bytes != nullptr ? *bytes : std::numeric_limits<int64_t>::max();
}

// Folders of the project in which a file that came back is a result and no input.
std::vector<std::string> result_folders(const ComputeOptions& options) {
  std::vector<std::string> folders = options.artifact_dirs;
  if (options.output != options.folder && contracts::is_within(options.output, options.folder))
    folders.push_back(options.output.substr(options.folder.size() + 1));
  return folders;
}

Status check_folder(const std::string& folder) {
  struct stat found {};
  const int error = ::stat(folder.c_str(), &found) == 0 ? 0 : errno;
  if (error == ENOENT) {
    const bool pair = folder.find(":/") != std::string::npos;
    return invalid_argument("ROOT_NOT_FOUND",
                            cat("there is no folder ", printable(folder),
                                pair ? cat("; folders are mounted by ", mount_way()) : ""),
                            "DIR");
  }
  if (error == ENOTDIR || (error == 0 && !S_ISDIR(found.st_mode)))
    return invalid_argument("PATH_NOT_A_FOLDER", cat(printable(folder), " is no folder"), "DIR");
  return {};
}

}  // namespace

Result<cas::Scan> scan_project(const std::string& folder, const cas::ScanLimits& limits) {
  TRY(check_folder(folder));
  return cas::scan_folder(folder, limits);
}

std::string left_out_title(const cas::Scan& scan) {
  const size_t count = scan.left_out.size();
  const std::string secrets =
      scan.secrets == 0 ? "" : cat(", ", scan.secrets, " of them as secrets");
  return cat("left out ", count, count == 1 ? " entry" : " entries", secrets, ":");
}

Result<cas::Scan> hash_project(const Job& job, client::ControllerClient& client) {
  if (job.options.folder.empty()) return cas::Scan{};
  job.phases.begin("hash");
  cas::ScanLimits limits;
  limits.cache_path = digest_cache_path(job.env);
  limits.max_file = largest_file(client);
  const ReturnedList returned(job.env, job.options.folder);
  limits.returned = returned.below(result_folders(job.options));
  limits.returned_folders = returned.folders_made(result_folders(job.options));
  limits.asked_folders = job.options.artifact_dirs;
  ASSIGN_OR_RETURN(cas::Scan scan, scan_project(job.options.folder, limits));
  job.env.say(cat("project: ", scan.tree.entries.size(),
                  scan.tree.entries.size() == 1 ? " file, " : " files, ",
                  format_bytes(scan.bytes)));
  if (!scan.left_out.empty()) {
    job.env.say(left_out_title(scan));
    job.env.err.write(left_out_text(
        scan.left_out, job.options.verbose ? kAllLeftOut : cas::worth_telling(scan), "  "));
  }
  return scan;
}

Status check_requirements(const Job& job, const cas::Scan& scan) {
  const std::string& wanted = job.options.requirements;
  if (wanted.empty()) return {};
  contracts::TreeLinks links;
  for (const contracts::TreeLink& each : scan.tree.links) links.emplace(each.path, each.target);
  const auto file = contracts::resolve_links(wanted, links);
  if (file && std::ranges::find(scan.tree.entries, *file, &contracts::TreeEntry::path) !=
                  scan.tree.entries.end())
    return {};
  return invalid_argument("REQUIREMENTS_NOT_FOUND",
                          cat("`", wanted, "` is not among the project's files"), "--requirements");
}

Status upload(const Job& job, client::ControllerClient& client, const cas::Scan& scan,
              const contracts::Run& wanted) {
  job.phases.begin("upload");
  ProgressDisplay progress(job.env.err, "upload");
  const auto on_progress = [&](const client::UploadProgress& now) {
    job.phases.progress(now.bytes_sent, now.bytes_total);
    if (!job.phases.json())
      progress.show({now.bytes_sent, now.bytes_total, "", true}, job.env.clock.mono());
  };
  const std::string& folder = job.options.folder.empty() ? job.env.cwd : job.options.folder;
  const client::UploadGate gate{
      [&](const auto& file) { return may_be_requirements(file, wanted.spec.requirements); },
      [&] { return client.try_run(job.run.name_space, wire::encode(wanted), scan.tree); }};
  ASSIGN_OR_RETURN(
      const client::UploadProgress sent,
      client.upload_workspace(job.run.name_space, job.workspace, folder, scan, on_progress, gate));
  progress.hide();
  job.phases.end();
  if (sent.blobs_sent == 0) {
    job.env.say("uploaded 0 B (everything was already there)");
  } else {
    const size_t files = scan.tree.entries.size();
    job.env.say(cat("uploaded ", format_bytes(sent.bytes_sent), " in ", sent.blobs_sent, " of ",
                    files, files == 1 ? " file" : " files"));
  }
  return {};
}

}  // namespace paddock::cli
