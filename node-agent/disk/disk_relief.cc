#include "node-agent/disk/disk_relief.h"

#include "common/base/text.h"
#include "common/base/units.h"
#include "node-agent/disk/disk_room.h"

namespace paddock::agent {
namespace {

constexpr int64_t end_line(int64_t line) { return line / 4; }

int64_t beyond(Shortage of, const DiskUser& user) {
  return of == Shortage::kFiles ? user.taken.files - user.asked_files()
                                : user.taken.bytes - user.asked;
}

// How much has to be freed until the disk is above its limit again.
int64_t missing(Shortage of, const devices::DiskRoom& room, int64_t min_free) {
  return of == Shortage::kFiles ? end_line(least_files(room)) - room.files.value_or(0)
                                : end_line(min_free) - room.bytes;
}

bool is_enough(Shortage of, const DiskUser& user, int64_t needed) {
  return (of == Shortage::kFiles ? user.taken.files : user.taken.bytes) >= needed;
}

std::string what_it_took(Shortage of, const DiskUser& user) {
  if (user.hides()) return "not all of what it has there could be counted";
  if (of == Shortage::kFiles)
    return cat("no other there had more files beyond its share: ", user.taken.files, " of ",
               user.asked_files());
  return cat("no other there had written more beyond what it asked for: ",
             format_bytes(user.taken.bytes), " of ", format_bytes(user.asked));
}

}  // namespace

Shortage shortage(const devices::DiskRoom& room, int64_t min_free,
                  const std::vector<DiskUser>& users) {
  if (min_free <= 0) return Shortage::kNone;
  int64_t bytes = room.bytes;
  int64_t files = room.files.value_or(0);
  for (const DiskUser& each : users) {
    if (!each.ending) continue;
    bytes += each.taken.bytes;
    files += each.taken.files;
  }
  if (bytes < end_line(min_free)) return Shortage::kBytes;
  if (room.files && files < end_line(least_files(room))) return Shortage::kFiles;
  return Shortage::kNone;
}

std::optional<size_t> whom_to_end(Shortage of, const devices::DiskRoom& room, int64_t min_free,
                                  const std::vector<DiskUser>& users) {
  if (of == Shortage::kNone) return std::nullopt;
  std::optional<size_t> seen;
  std::optional<size_t> hidden;
  for (size_t i = 0; i < users.size(); ++i) {
    if (users[i].ending) continue;
    if (users[i].hides())
      hidden = hidden.value_or(i);
    else if (beyond(of, users[i]) > 0 && (!seen || beyond(of, users[i]) > beyond(of, users[*seen])))
      seen = i;
  }
  const bool enough = seen && is_enough(of, users[*seen], missing(of, room, min_free));
  return hidden && !enough ? hidden : seen;
}

std::string beyond_request_text(Shortage of, std::string_view what, const DiskUser& user,
                                const devices::DiskRoom& room, int64_t min_free) {
  const bool files = of == Shortage::kFiles;
  const std::string left = files ? cat(room.files.value_or(0), " files") : format_bytes(room.bytes);
  const std::string line =
      files ? cat(end_line(least_files(room)), " files)")
            : cat(format_bytes(end_line(min_free)), ", a quarter of the agent's minFree)");
  return cat("the ", what, " was ended, as the disk of its node has ", left, " left and ",
             what_it_took(of, user), " (the line is ", line, "; would help: ",
             what == "run"
                 ? "ask for what it writes (`--disk`, spec.resources.disk), so that it is "
                   "placed where there is room for it"
                 : "write less to its workspace, or use a run, which can ask for disk",
             files ? "; each 16 KiB of that are a file" : "");
}

}  // namespace paddock::agent
