#include "bench/control/outcomes.h"

#include <set>

#include "bench/control/give_up.h"
#include "bench/control/stack.h"
#include "common/base/text.h"
#include "common/wire/json.h"

namespace paddock::bench {
namespace {

size_t count_of(std::string_view text, std::string_view word) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; at += word.size())
    ++count;
  return count;
}

int64_t number_at(const wire::Value& value, std::string_view path) {
  const wire::Value* found = value.at(path);
  return found != nullptr && found->integer() != nullptr ? *found->integer() : -1;
}

}  // namespace

void check_outcomes(const Address& address, const std::vector<std::string>& names) {
  Wire wire(address);
  require(std::set<std::string>(names.begin(), names.end()).size() == names.size(),
          "two runs have one name");
  for (const std::string& name : names) {
    const Reply reply = wire.call("GET", cat(kRuns, "/", name));
    require(reply.status == 200, cat("run ", name, " is lost"));
    const wire::Value run = value_of(wire::parse_json(reply.body), "reading a run");
    require(run.text("status.phase") == "Succeeded" && number_at(run, "status.attempt") == 1 &&
                number_at(run, "status.result.rc") == 0,
            cat("run ", name, " did not end well: ", reply.body));
    const Reply events = wire.call("GET", cat(kRuns, "/", name, "/events"));
    require(count_of(events.body, "event: end\n") == 1, cat("run ", name, " ended more than once"));
  }
}

std::string log_of(Wire& wire, const std::string& name) {
  const Reply reply = wire.call("GET", cat(kRuns, "/", name, "/log"));
  require(reply.status == 200, cat("no log of run ", name));
  return reply.body;
}

}  // namespace paddock::bench
