#include "cli/commands/copy_errors.h"

#include <utility>

#include "cli/grammar/other_way.h"
#include "common/base/text.h"

namespace paddock::cli {
namespace {

using Wish = RunPlace::Wish;

// Causes that repeat the old message repeat the new one.
Error reworded(Error error, const std::string& message) {
  for (Cause& cause : error.causes)
    if (cause.message == error.message) cause.message = message;
  error.message = message;
  return error;
}

bool is_about_no_file(const Error& error) {
  return error.code == Code::kUnavailable || error.code == Code::kDeadlineExceeded ||
         error.code == Code::kUnauthenticated || error.code == Code::kPermissionDenied ||
         error.reason == "RUN_NOT_FOUND";
}

std::string parent_place(const RunPath& place) {
  const size_t slash = place.path.rfind('/');
  return slash == std::string::npos ? place.run : cat(place.run, ":", place.path.substr(0, slash));
}

// Begins with how it is joined to what is said before it.
std::string way_out(const Error& error, const RunPlace& place) {
  if (error.reason == "FILE_NOT_FOUND")
    return cat("; `paddock files ", shell_word(parent_place(place.path)), "` lists what is there");
  if (error.reason == "LINK_IN_PATH")
    return "; no link is followed there: name the file that it leads to";
  if (error.reason == "FILE_NOT_ALLOWED")
    return cat("; `paddock exec ", shell_word(place.path.run), " -- ls -la` shows them");
  if (error.reason == "FILE_CHANGED") return ", each time: copy one that it has finished";
  if (error.reason == "NOT_A_REGULAR_FILE" && place.wish == Wish::kPut)
    return cat("; into a folder it goes by a slash behind it: ",
               shell_word(cat(place.path.run, ":", place.path.path, "/")));
  return "";
}

}  // namespace

Error of_run_file(Error error, const RunPlace& place) {
  if (is_about_no_file(error)) return error;
  const std::string message =
      cat("`", place.typed, "`, in the run: ", error.message, way_out(error, place));
  return reworded(std::move(error), message);
}

Error of_file_here(Error error, const std::string& typed) {
  const bool full = error.code == Code::kResourceExhausted;
  const std::string message = cat("`", typed, "`, here: ", error.message,
                                  full ? "; nothing of it was kept: free space, or name a place "
                                         "on another disk"
                                       : "");
  return reworded(std::move(error), message);
}

std::string folder_way(const std::string& typed, const RunPath& to) {
  return cat("`tar -cf - ", shell_word(typed), " | paddock exec -i ", shell_word(to.run),
             " -- tar -xf -`");
}

std::string large_way(const std::string& typed, const RunPath& to) {
  return cat("`paddock exec -i ", shell_word(to.run), " -- sh -c ",
             shell_word(cat("cat >", shell_word(to.path))), " <", shell_word(typed), "`");
}

}  // namespace paddock::cli
