#include "node-agent/executor/kept_count.h"

namespace paddock::executor {

os::FolderUse KeptCount::use(const std::function<os::FolderUse()>& count) {
  const std::scoped_lock alone(counting_);
  const MonoTime begin = clock_.mono();
  if (begin < good_until_) return last_;
  last_ = count();
  const MonoTime end = clock_.mono();
  good_until_ = end + kGoodFor * (end - begin);
  return last_;
}

void KeptCount::add(int64_t bytes, int64_t files) {
  const std::scoped_lock alone(counting_);
  last_.bytes += bytes;
  last_.files += files;
}

}  // namespace paddock::executor
