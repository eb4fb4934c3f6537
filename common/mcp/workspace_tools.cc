// Workspaces of files that come with the call: an agent that reaches the controller alone brings
// its own files.
#include <algorithm>
#include <map>

#include "common/base/text.h"
#include "common/cas/tree.h"
#include "common/contracts/api_paths.h"
#include "common/contracts/workspace.h"
#include "common/crypto/digest.h"
#include "common/mcp/faults.h"
#include "common/mcp/schema_words.h"
#include "common/mcp/tool_rows.h"

namespace paddock::mcp {
namespace {

using contracts::Tree;
using contracts::TreeAnswer;
using contracts::Workspace;
using wire::Value;
namespace paths = contracts::paths;

constexpr size_t kMostFiles = 500;
constexpr int kOffers = 3;  // blobs may be swept between two offers, but not for ever

struct Files {
  Tree tree;
  std::map<std::string, std::string> bytes;  // by digest
  int64_t size = 0;
};

// A file of the call, and where it stands there, such as `files[1].`.
struct SentFile {
  std::string where;
  contracts::TreeEntry entry;
};

Result<SentFile> sent_file(const Value& each, const std::string& where, Files& files) {
  const Arguments given(each);
  ASSIGN_OR_RETURN(const std::string path, inner_path(where + "path", given.text("path")));
  if (path.empty()) return bad_argument(cat(where, "path names a file"), where + "path");
  ASSIGN_OR_RETURN(std::string bytes, content_of(given, where));
  const Value* executable = each.find("executable");
  const auto size = static_cast<int64_t>(bytes.size());
  const std::string digest = crypto::sha256_hex(bytes);
  files.bytes.emplace(digest, std::move(bytes));
  files.size += size;
  return SentFile{where, {path, digest, size, executable != nullptr && *executable->boolean()}};
}

// By path. Of two with one path both would be said to be out of order.
void check_once(const std::vector<SentFile>& sent, Faults& faults) {
  for (size_t i = 1; i < sent.size(); ++i)
    if (sent[i].entry.path == sent[i - 1].entry.path)
      faults.add(cat(sent[i].where, "path is that of ", sent[i - 1].where, "path, too"),
                 sent[i].where + "path");
}

// Of "entries[3]…" 3, if there is such a file.
const SentFile* file_of(std::string_view field, const std::vector<SentFile>& sent) {
  constexpr std::string_view kBefore = "entries[";
  const size_t end = field.find(']');
  if (!field.starts_with(kBefore) || end == std::string_view::npos) return nullptr;
  const auto index = parse_integer<size_t>(field.substr(kBefore.size(), end - kBefore.size()));
  return index && *index < sent.size() ? &sent[*index] : nullptr;
}

// What the server would say of its entries, said of the files of the call.
Status check_tree(const Tree& tree, const std::vector<SentFile>& sent) {
  Faults faults;
  check_once(sent, faults);
  const auto read = wire::decode<Tree>(wire::encode(tree));
  if (faults.count() == 0 && !read) {
    for (const Cause& cause : read.error().causes) {
      const SentFile* file = file_of(cause.field, sent);
      const std::string place = file == nullptr ? "files" : file->where + "path";
      faults.add(cat(place, ": ", cause.message), place);
    }
  }
  if (faults.count() == 0) return {};
  Error error = faults.status().error();
  error.reason = "INVALID_FIELD";
  return error;
}

Result<Files> files_of(const Arguments& given) {
  const Value::Array& all = *given.find("files")->array();
  if (all.empty() || all.size() > kMostFiles)
    return bad_argument(cat("files are 1 to ", kMostFiles, " in one call, not ", all.size()),
                        "files");
  Files out;
  Faults faults;
  std::vector<SentFile> sent;
  for (size_t i = 0; i < all.size(); ++i) {
    Result<SentFile> file = sent_file(all[i], cat("files[", i, "]."), out);
    if (!file) faults.add(file.error());
    if (file) sent.push_back(std::move(*file));
  }
  TRY(faults.status());
  std::ranges::stable_sort(sent, {}, [](const SentFile& file) { return file.entry.path; });
  for (const SentFile& file : sent) out.tree.entries.push_back(file.entry);
  TRY(check_tree(out.tree, sent));
  return out;
}

// The same files have the same name, so that sending them again makes nothing new.
std::string usual_name(const contracts::Digest& root) { return "files-" + root.substr(0, 16); }

Status make_workspace(const Place& place, const std::string& name) {
  const Value body =
      Value::Object{{"apiVersion", contracts::kApiVersion},
                    {"kind", Workspace::kKind},
                    {"metadata", Value::Object{{"name", name}, {"namespace", place.name_space}}},
                    {"spec", Value::Object{{"source", "sent by an agent"}}}};
  const auto made =
      place.api.send({"POST", paths::collection(place.name_space, "workspaces"), body});
  if (made.ok() || made.error().code == Code::kAlreadyExists) return {};
  return made.error();
}

Status send_missing(const Place& place, const std::string& workspace, const TreeAnswer& answer,
                    const Files& files) {
  for (const contracts::Digest& digest : answer.missing) {
    const auto found = files.bytes.find(digest);
    if (found == files.bytes.end())
      return Error{Code::kUnavailable, "UNEXPECTED_ANSWER",
                   "the server asks for a blob that was not offered"};
    TRY(place.api.put(cat(workspace, "/blobs/", digest), found->second));
  }
  return {};
}

Status store_files(const Place& place, const std::string& workspace, const Files& files) {
  const Value tree = wire::encode(files.tree);
  for (int offer = 0; offer < kOffers; ++offer) {
    ASSIGN_OR_RETURN(const Value said, place.api.send({"POST", workspace + "/tree", tree}));
    ASSIGN_OR_RETURN(const TreeAnswer answer, wire::decode<TreeAnswer>(said));
    if (answer.stored && answer.missing.empty()) return {};
    TRY(send_missing(place, workspace, answer, files));
  }
  return Error{Code::kUnavailable, "UPLOAD_INCOMPLETE",
               "the server keeps missing files that were sent"};
}

Result<Value> create_workspace(const Place& place, const Arguments& given) {
  ASSIGN_OR_RETURN(std::string name, given.name("name", true));
  ASSIGN_OR_RETURN(const Files files, files_of(given));
  const contracts::Digest root = cas::tree_root(files.tree);
  if (name.empty()) name = usual_name(root);
  TRY(make_workspace(place, name));
  TRY(store_files(place, paths::workspace(place.name_space, name), files));
  return Value(Value::Object{{"workspace", name},
                             {"root", root},
                             {"files", files.tree.entries.size()},
                             {"bytes", files.size}});
}

Tool workspace_create_tool() {
  return {"workspace_create",
          "Store files for runs",
          "Stores files that runs can read. Without a name the same files have the same one; with "
          "a name, all that it held is replaced.",
          object({{"files", list_of(object({{"path", text("such as src/job.py")},
                                            {"text", text("its content")},
                                            {"base64", text("its content, if that is no text")},
                                            {"executable", flag("it may be executed")}},
                                           {"path"}),
                                    "all of them, at most 500 and 8 MiB together")},
                  {"name", text("made of the files unless given")}},
                 {"files"}),
          object({{"workspace", text("its name, for run_start")},
                  {"root", text("digest of all files")},
                  {"files", number("how many")},
                  {"bytes", number("together")}},
                 {"workspace", "root", "files", "bytes"}),
          false,
          true};
}

}  // namespace

std::vector<ToolRow> workspace_tools() { return {{workspace_create_tool(), create_workspace}}; }

}  // namespace paddock::mcp
