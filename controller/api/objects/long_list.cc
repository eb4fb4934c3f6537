#include "controller/api/objects/long_list.h"

#include <memory>
#include <string>
#include <utility>

#include "common/base/log.h"
#include "common/wire/json.h"
#include "controller/api/server/bearer.h"

namespace paddock::api {
namespace {

constexpr std::string_view kEnd = "]}";

class LongList final : public Steps {
 public:
  LongList(const Call& call, std::string head, wire::Value::Array first, NextPart next)
      : token_(call), head_(std::move(head)), next_(std::move(next)) {
    first_.items = std::move(first);
  }

  // The first part was read already.
  Next step(ResponseStream& out, const std::shared_ptr<Waker>&) override {
    return tell(std::exchange(first_, {}), out);
  }

  Next ask(ResponseStream& out) override {
    if (!token_.holds()) return {Then::kBroken};
    const auto part = next_();
    if (part.ok()) return tell(*part, out);
    log_warn("a list was broken off", {{"why", part.error().describe()}});
    return {Then::kBroken};
  }

  bool may_end_early() const override { return false; }

 private:
  Next tell(const ListPart& part, ResponseStream& out) {
    std::string text = std::exchange(head_, {});
    for (const wire::Value& each : part.items) {
      if (std::exchange(any_, true)) text += ',';
      wire::append_json(each, text);
    }
    if (part.last) text += cat(kEnd, "\n");
    out.write(text);
    return {part.last ? Then::kEnd : Then::kAsk};
  }

  HeldToken token_;
  std::string head_;
  ListPart first_;
  const NextPart next_;
  bool any_ = false;
};

}  // namespace

Response long_list(const Call& call, const wire::Value& empty, wire::Value::Array first,
                   NextPart next) {
  std::string head = wire::to_json(empty);
  head.resize(head.size() - kEnd.size());
  Response response;
  response.steps =
      std::make_shared<LongList>(call, std::move(head), std::move(first), std::move(next));
  return response;
}

}  // namespace paddock::api
