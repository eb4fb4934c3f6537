#include "common/cas/scan_collector.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "common/base/control_text.h"
#include "common/base/text.h"
#include "common/cas/link_choice.h"
#include "common/contracts/tree_path.h"

namespace paddock::cas {
namespace {

constexpr size_t kMaxIgnoreBytes = 1 << 20;
constexpr size_t kMaxCauses = 20;
constexpr std::string_view kOwnRules = ".paddockignore";
constexpr std::string_view kOwnData[] = {"paddock.db", "agent.lock"};
constexpr const char* kOtherName = "; rename it, or leave it out by .paddockignore";
constexpr const char* kUnreadable =
    "cannot be read (permission denied); change its mode, or name it in .paddockignore";

// Missing, or a link or folder of that name. One that cannot be read may name what must not leave.
bool is_no_rule_file(const Error& error) {
  return error.code == Code::kNotFound || error.reason == "LINK_IN_PATH" ||
         error.reason == "NOT_A_REGULAR_FILE";
}

template <class Entry>
const std::string& path_at(const std::vector<Entry>& list, size_t index) {
  return list[std::min(index, list.size() - 1)].path;
}

// The path that a fault of the tree is about: entries[3].path.
const std::string& path_of_fault(const contracts::Tree& tree, const std::string& field) {
  const size_t index = parse_integer<size_t>(split(split(field, '[').back(), ']')[0]).value_or(0);
  if (field.starts_with("links")) return path_at(tree.links, index);
  if (field.starts_with("folders")) return path_at(tree.folders, index);
  return path_at(tree.entries, index);
}

std::string shown(std::string_view path) { return escape_controls(to_utf8_lossy(path)); }

// The rules of the wire name the path, as they are told without it elsewhere.
std::string behind_name(std::string_view path, const std::string& fault) {
  const std::string name = cat("\"", shown(path), "\" ");
  return fault.starts_with(name) ? fault.substr(name.size()) : fault;
}

}  // namespace

ScanCollector::ScanCollector(int root, const ScanLimits& limits) : root_(root), limits_(limits) {
  built_in_.add("", built_in_folder_rules());
  built_in_.add("", built_in_secret_rules());
  secrets_.add("", built_in_secret_rules());
}

Status ScanCollector::collect() {
  TRY(read_rules(""));
  Status failure;
  TRY(os::walk(root_, [&](const os::WalkEntry& entry) {
    if (!failure.ok() || over_limit()) return false;
    return visit(entry, failure);
  }));
  TRY(std::move(failure));
  if (over_limit()) return too_large();
  keep_asked_folders();
  std::ranges::sort(files_, {}, &Found::path);
  std::ranges::sort(links_, {}, &contracts::TreeLink::path);
  leave_out_links_to({});
  return refused();
}

void ScanCollector::leave_out_links_to(const std::set<std::string>& gone) {
  LinkChoice chosen = choose_links(std::move(links_), [&](const std::string& path) {
    if (gone.contains(path)) return false;
    return path.empty() || folders_.contains(path) || will_be_made(path) ||
           std::ranges::binary_search(files_, path, {}, &Found::path);
  });
  links_ = std::move(chosen.kept);
  std::ranges::move(chosen.left_out, std::back_inserter(left_out_));
}

bool ScanCollector::named(const std::string& path) const {
  const IgnoreRule* rule = built_in_.decided_by(path, false);
  return rule != nullptr && rule->negated;
}

bool ScanCollector::asked_for(const std::string& path) const {
  for (std::string each = path; each != "."; each = os::folder_of(each)) {
    const IgnoreRule* rule = rules_.decided_by(each, each != path);
    if (rule != nullptr && rule->negated) return true;
  }
  return false;
}

bool ScanCollector::visit(const os::WalkEntry& entry, Status& failure) {
  const bool is_folder = S_ISDIR(entry.stat.st_mode);
  if (const IgnoreRule* rule = excluded_by(entry.path, is_folder)) {
    const std::string path = is_folder ? cat(entry.path, "/") : entry.path;
    if (secrets_.excluded_by(entry.path, is_folder) != nullptr) {
      leave_out_secret(path, rule->source);
    } else {
      leave_out(path, "IGNORED", rule->source);
    }
    return false;
  }
  if (is_folder) return enter(entry.path, failure);
  if (S_ISREG(entry.stat.st_mode)) {
    accept({entry.path, entry.stat});
  } else if (S_ISLNK(entry.stat.st_mode)) {
    accept_link(entry.path);
  } else {
    leave_out(entry.path, "NOT_A_REGULAR_FILE", "a device, a FIFO or a socket");
  }
  return true;
}

const IgnoreRule* ScanCollector::excluded_by(const std::string& path, bool is_folder) const {
  const IgnoreRule* rule = rules_.excluded_by(path, is_folder);
  return rule != nullptr ? rule : built_in_.excluded_by(path, is_folder);
}

bool ScanCollector::enter(const std::string& path, Status& failure) {
  if (::faccessat(root_, path.c_str(), R_OK | X_OK, AT_EACCESS) != 0 && errno == EACCES) {
    refuse(path, kUnreadable);
    return false;
  }
  if (std::string rule = environment_rule(path); !rule.empty()) {
    leave_out(cat(path, "/"), "IGNORED", std::move(rule));
    return false;
  }
  if (std::string rule = own_data_rule(path); !rule.empty()) {
    leave_out_secret(cat(path, "/"), std::move(rule));
    return false;
  }
  folders_.insert(path);
  failure = read_rules(path);
  return failure.ok();
}

// A program that finds its output folder here finds it there too.
void ScanCollector::keep_asked_folders() {
  for (const std::string& each : limits_.asked_folders) {
    if (contracts::tree_path_fault(each).empty() &&
        os::open_beneath(root_, each, O_RDONLY | O_DIRECTORY).ok())
      folders_.insert(each);
  }
}

// Whether the path is in a folder that the run makes and brings back: a link to there need not lead
// anywhere before.
bool ScanCollector::will_be_made(const std::string& path) const {
  return std::ranges::any_of(limits_.asked_folders, [&](const std::string& folder) {
    return folder == "." || path == folder || path.starts_with(cat(folder, "/"));
  });
}

bool ScanCollector::has_file(const std::string& folder, std::string_view name) const {
  return os::open_regular_beneath(root_, os::join_path(folder, name)).ok();
}

std::string ScanCollector::environment_rule(const std::string& folder) const {
  if (rules_.decided_by(folder, true) == nullptr && has_file(folder, "pyvenv.cfg"))
    return "built-in: a Python environment (pyvenv.cfg)";
  return "";
}

// A controller's and an agent's data folder hold keys and tokens under many names.
std::string ScanCollector::own_data_rule(const std::string& folder) const {
  if (built_in_.decided_by(folder, true) != nullptr) return "";
  for (const std::string_view name : kOwnData) {
    if (has_file(folder, name))
      return cat("built-in: Paddock's own data (", name, "; secrets; a line !",
                 folder.substr(folder.rfind('/') + 1), "/ in .paddockignore sends it)");
  }
  return "";
}

Status ScanCollector::read_rules(const std::string& folder) {
  for (const std::string_view name : {std::string_view(".gitignore"), kOwnRules}) {
    const std::string path = os::join_path(folder, name);
    const Result<os::Fd> file = os::open_regular_beneath(root_, path);
    if (!file && file.error().code == Code::kPermissionDenied) {
      refuse(path, kUnreadable);
      continue;
    }
    if (!file && !is_no_rule_file(file.error())) return file.error();
    if (!file) continue;
    ASSIGN_OR_RETURN(const std::string text,
                     os::read_all(file->get(), kMaxIgnoreBytes).within(path));
    rules_.add(folder, parse_ignore_rules(text, path));
    if (name == kOwnRules) built_in_.add(folder, parse_ignore_rules(text, path));
  }
  return {};
}

void ScanCollector::accept(Found file) {
  if (file.stat.st_size > limits_.max_file) {
    return refuse(file.path,
                  cat("has ", format_bytes(file.stat.st_size), ", and a file may have at most ",
                      format_bytes(limits_.max_file),
                      " (blobs.maxBlob of the controller); name it in .paddockignore, or ask the "
                      "operator for more"));
  }
  if (::faccessat(root_, file.path.c_str(), R_OK, AT_EACCESS) != 0 && errno == EACCES)
    return refuse(file.path, kUnreadable);
  bytes_ += file.stat.st_size;
  files_.push_back(std::move(file));
}

void ScanCollector::accept_link(const std::string& path) {
  Result<std::string> target = os::read_link_beneath(root_, path);
  if (target) links_.push_back({path, std::move(*target)});  // else it has just gone
}

void ScanCollector::leave_out(const std::string& path, Reason reason, std::string rule) {
  left_out_.push_back({to_utf8_lossy(path), std::move(rule), reason});
}

void ScanCollector::leave_out_secret(const std::string& path, std::string rule) {
  secrets_left_out_.push_back({to_utf8_lossy(path), std::move(rule), Reason("IGNORED")});
}

void ScanCollector::leave_out_key(const std::string& path) {
  leave_out_secret(path, cat("built-in: a private key, by its content (secrets; a line !",
                             path.substr(path.rfind('/') + 1), " in .paddockignore sends it)"));
}

void ScanCollector::move_left_out(Scan& scan) {
  scan.secrets = secrets_left_out_.size();
  scan.left_out = std::move(secrets_left_out_);
  std::ranges::move(left_out_, std::back_inserter(scan.left_out));
}

void ScanCollector::refuse(const std::string& path, std::string why) {
  if (causes_.size() < kMaxCauses) causes_.push_back({shown(path), std::move(why)});
}

bool ScanCollector::over_limit() const {
  const size_t count = std::max({files_.size(), links_.size(), folders_.size()});
  return std::cmp_greater(count, limits_.max_files) || bytes_ > limits_.max_bytes;
}

Error ScanCollector::too_large() const {
  return {Code::kTooLarge, "WORKSPACE_TOO_LARGE",
          cat("the folder holds more than ", limits_.max_files, " files or ",
              format_bytes(limits_.max_bytes), "; leave some out in .paddockignore")};
}

// The rules of the wire, before anything is read: names, case collisions, depth.
void ScanCollector::check_names() {
  contracts::Tree tree;
  for (const Found& file : files_) tree.entries.push_back({file.path, Digest(64, '0')});
  tree.links = links_;
  tree.folders = empty_folders(folders_, tree);
  wire::Check check;
  tree.validate(check);
  for (const Cause& cause : check.causes()) {
    const std::string& path = path_of_fault(tree, cause.field);
    refuse(path, cat(behind_name(path, cause.message), kOtherName));
  }
}

Status ScanCollector::refused() {
  check_names();
  if (causes_.empty()) return {};
  Error error{Code::kInvalidArgument, "WORKSPACE_ENTRY_REFUSED",
              cat(causes_[0].field, " ", causes_[0].message)};
  error.causes = std::move(causes_);
  return error;
}

}  // namespace paddock::cas
