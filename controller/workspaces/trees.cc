#include "controller/workspaces/trees.h"

#include <algorithm>
#include <set>

#include "common/base/text.h"
#include "common/cas/bundle.h"
#include "common/compression/compression.h"
#include "common/wire/json.h"

namespace paddock::workspaces {
namespace {

using contracts::Digest;
using contracts::Tree;
using contracts::TreeAnswer;
using contracts::TreeEntry;
using contracts::Workspace;

constexpr size_t kTreeBytes = size_t{64} << 20;

Error file_too_large(const TreeEntry& entry, size_t index, int64_t most) {
  return {
      Code::kTooLarge,
      "BLOB_TOO_LARGE",
      cat("\"", entry.path, "\" has ", format_bytes(entry.size), ", and a file may have at most ",
          format_quantity(most), "; leave it out, or ask the operator for more (blobs.maxBlob)"),
      {{cat("entries[", index, "].size"), "too large"}}};
}

// One blob may be named by many entries, and a node writes a file for each.
Status check_size(const Tree& tree, int64_t most, int64_t most_of_file) {
  int64_t left = most;
  for (size_t i = 0; i < tree.entries.size(); ++i) {
    if (tree.entries[i].size > most_of_file)
      return file_too_large(tree.entries[i], i, most_of_file);
    if (tree.entries[i].size > left) {
      return Error{
          Code::kTooLarge,
          "TREE_TOO_LARGE",
          cat("the files up to this one have more than the ", format_quantity(most), " (", most,
              " bytes) that a tree may have together; leave some out, or ask "
              "the operator for more (blobs.maxTree)"),
          {{cat("entries[", i, "].size"), "one too many"}}};
    }
    left -= tree.entries[i].size;
  }
  return {};
}

// The blobs that the namespace has to send, each once, in the order of the tree.
Result<std::vector<Digest>> missing_blobs(const cas::Blobs& blobs, OwnBlobs& own,
                                          const Tree& tree) {
  std::vector<Digest> missing;
  std::set<std::string_view> seen;
  for (size_t i = 0; i < tree.entries.size(); ++i) {
    const TreeEntry& entry = tree.entries[i];
    ASSIGN_OR_RETURN(const bool shown, own.has(entry.digest));
    const bool here = shown && blobs.use(entry.digest);  // it stays until the tree is stored
    const Result<int64_t> size = here ? blobs.size(entry.digest) : Result<int64_t>(Error{});
    if (size && *size != entry.size) {
      return invalid_argument(
          "TREE_SIZE_MISMATCH",
          cat("the content with this digest does not have ", entry.size, " bytes"),
          cat("entries[", i, "].size"));
    }
    if (!size && seen.insert(entry.digest).second) missing.push_back(entry.digest);
  }
  return missing;
}

void point_to(Workspace& workspace, const Tree& tree, const Digest& root) {
  workspace.status.root = root;
  workspace.status.files = static_cast<int64_t>(tree.entries.size());
  workspace.status.bytes = 0;
  for (const TreeEntry& entry : tree.entries) workspace.status.bytes += entry.size;
}

// A tree that cannot be read any more had nothing that could be named.
TreeChange change_since(const cas::Blobs& blobs, const Digest& was, const Tree& tree) {
  const Result<Tree> before = was.empty() ? Result<Tree>(Tree{}) : stored_tree(blobs, was);
  return change_of(before ? *before : Tree{}, tree);
}

Result<Workspace> read_workspace(store::Store& store, const store::Key& key) {
  Workspace workspace;
  TRY(store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(workspace, txn.get<Workspace>(key));
    return {};
  }));
  return workspace;
}

TreeAnswer answer_for(const Digest& root) {
  TreeAnswer answer;
  answer.compressions = {std::string(compression::kZstd), std::string(cas::kBundle)};
  answer.root = root;
  return answer;
}

}  // namespace

Result<TreeAnswer> offer_tree(const TreeShelf& shelf, const store::Key& key, const Tree& tree,
                              const RecordFiles& record) {
  TRY(check_size(tree, shelf.max_tree, shelf.max_blob));
  const cas::Blobs& blobs = shelf.blobs;
  ASSIGN_OR_RETURN(const Workspace workspace, read_workspace(shelf.store, key));
  TreeAnswer answer = answer_for(cas::tree_root(tree));
  OwnBlobs own(shelf, key, workspace.status.root);
  ASSIGN_OR_RETURN(answer.missing, missing_blobs(blobs, own, tree));
  if (!answer.missing.empty()) return answer;
  TRY(blobs.sync());
  (void)blobs.use(answer.root);
  ASSIGN_OR_RETURN(const Digest stored, blobs.put(cas::canonical_tree(tree)));
  const Digest& was = workspace.status.root;
  const TreeChange change = record ? change_since(blobs, was, tree) : TreeChange{};
  const auto point = [&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(Workspace now, txn.get<Workspace>(key));
    const bool news = now.status.root != stored;
    point_to(now, tree, stored);
    TRY(txn.update(now));
    return news && record ? record(txn, {now, was, change}) : Status();
  };
  TRY(shelf.store.write(point));
  answer.root = stored;
  answer.stored = true;
  return answer;
}

Result<TreeAnswer> recall_tree(store::Store& store, const cas::Blobs& blobs, TreeMembers& members,
                               const store::Key& key, const Digest& root) {
  ASSIGN_OR_RETURN(const Workspace workspace, read_workspace(store, key));
  TreeAnswer answer = answer_for(root);
  if (workspace.status.root != root) return answer;
  const Result<bool> whole = members.all_here(blobs, root);
  answer.stored = whole && *whole;  // what is not here any more comes with the next offer
  return answer;
}

Result<Tree> stored_tree(const cas::Blobs& blobs, const Digest& root) {
  if (!contracts::is_digest(root)) {
    return Error{Code::kNotFound, "TREE_NOT_FOUND", "no tree was uploaded to this workspace yet"};
  }
  Result<std::string> text = blobs.read(root, kTreeBytes);
  if (!text) return std::move(text).error().within("reading a stored tree");
  ASSIGN_OR_RETURN(const wire::Value document, wire::parse_json(*text, {.max_bytes = kTreeBytes}));
  return wire::decode<Tree>(document);
}

}  // namespace paddock::workspaces
