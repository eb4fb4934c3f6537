#include "controller/workspaces/file_count.h"

#include <string>

#include "common/base/log.h"
#include "common/base/text.h"
#include "controller/workspaces/sweeper.h"

namespace paddock::workspaces {
namespace {

constexpr const char* kBytesSetting = "blobs/bytes";

}  // namespace

Result<std::optional<int64_t>> FileCount::told(store::Store& store) {
  std::optional<std::string> text;
  TRY(store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(text, txn.setting(kBytesSetting));
    return {};
  }));
  return text ? parse_integer<int64_t>(*text) : std::nullopt;
}

Status FileCount::begin() {
  if (!intake_.counted()) TRY(intake_.count());
  if (intake_.used() == 0 && !blobs_.remote()) TRY(warn_of_lost_files());
  return {};
}

Status FileCount::tell() {
  const int64_t used = intake_.used();
  if (used == told_) return {};
  TRY(store_.write(
      [&](store::WriteTxn& txn) { return txn.put_setting(kBytesSetting, std::to_string(used)); }));
  told_ = used;
  return {};
}

// Warns where the store names files and the folder has none, as when its disk was not mounted.
// Without the warning, the first run that lacks a file would be the first to tell.
Status FileCount::warn_of_lost_files() {
  ASSIGN_OR_RETURN(const NamedBlobs named, named_blobs(store_, Unreadable::kLeftOut));
  if (named.trees.empty() && named.files.empty()) return {};
  log_error("the store names files, and the folder of files has none; was its disk mounted?",
            {{"folder", "blobs"},
             {"trees", std::to_string(named.trees.size())},
             {"files", std::to_string(named.files.size())}});
  return {};
}

}  // namespace paddock::workspaces
