// Lists, a part at a time.
#include "common/base/percent.h"
#include "common/base/text.h"
#include "common/client/controller_client.h"
#include "common/client/requests.h"

namespace paddock::client {
namespace {

// Objects of a run's size come to a few MiB at most; what shows none of them may be more.
constexpr int64_t kObjects = 100;
constexpr int64_t kRows = 500;

// Not the last of several tries: the same request again, of fewer objects.
bool may_be_smaller(const Error& error, int64_t limit) {
  return error.reason == "ANSWER_TOO_LARGE" && limit > 1;
}

}  // namespace

Status ControllerClient::list(const std::string& target, ListForm form, const TakePage& take) {
  int64_t limit = form == ListForm::kObjects ? kObjects : kRows;
  std::string next;
  while (true) {
    std::string asked = cat(target, target.find('?') == target.npos ? "?" : "&", "limit=", limit);
    if (!next.empty()) asked += cat("&continue=", percent_encode(next));
    Result<wire::Value> page = call_json(read_request(asked, form), false);
    if (!page && may_be_smaller(page.error(), limit)) {
      limit /= 2;
      continue;
    }
    if (!page) return page.error();
    std::string more = page->text("metadata.continue");
    if (!more.empty() && more == next)
      return Error{Code::kUnavailable, "UNEXPECTED_ANSWER",
                   "the server gives the same part of the list again"};
    next = std::move(more);
    TRY(take(*page));
    if (next.empty()) return {};
  }
}

}  // namespace paddock::client
