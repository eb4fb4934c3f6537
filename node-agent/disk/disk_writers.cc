#include "node-agent/disk/disk_writers.h"

#include "common/base/log.h"

namespace paddock::agent {

void relieve_disk(const devices::DiskRoom& room, int64_t min_free,
                  const std::function<std::vector<DiskWriter>()>& writers) {
  if (shortage(room, min_free) == Shortage::kNone) return;
  const std::vector<DiskWriter> all = writers();
  std::vector<DiskUser> users;
  for (const DiskWriter& each : all) users.push_back(each.use);
  const Shortage of = shortage(room, min_free, users);
  const auto worst = whom_to_end(of, room, min_free, users);
  if (!worst) return;
  const DiskWriter& ended = all[*worst];
  const std::string why = beyond_request_text(of, ended.what, ended.use, room, min_free);
  log_warn("the disk is full: ending what took most of it beyond its request",
           {{"what", std::string(ended.what)}, {"uid", ended.uid}, {"why", why}});
  ended.end(why);
}

}  // namespace paddock::agent
