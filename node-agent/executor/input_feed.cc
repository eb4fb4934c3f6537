#include "node-agent/executor/input_feed.h"

#include <utility>

#include "common/base/log.h"

namespace paddock::executor {

Status InputFeed::open() {
  ASSIGN_OR_RETURN(InputFile opened, InputFile::open(path_));
  file_.emplace(std::move(opened));
  return {};
}

void InputFeed::give(const std::vector<contracts::RunInput>& inputs) {
  given_.with([&](auto& given) { given = inputs; });
}

bool InputFeed::take() {
  if (!file_ && !open()) return false;
  const auto given = given_.with([](auto& all) { return std::exchange(all, {}); });
  const bool was_closed = file_->closed();
  const bool now_closed = file_->look_whether_closed();
  const auto written = file_->append(given);
  if (!written)
    log_error("a run's input could not be written", {{"error", written.error().describe()}});
  return (written && *written) || was_closed != now_closed;
}

}  // namespace paddock::executor
