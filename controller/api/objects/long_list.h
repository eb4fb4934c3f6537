// Lists are bounded by what they take in memory and not by how many objects there are. A list with
// `limit` ends a page early and says where it goes on. A client that asked for no pages may know
// none: it gets the whole list, read and written some of it at a time.
#pragma once

#include <functional>

#include "controller/api/server/call.h"

namespace paddock::api {

// About how much stored text is read at once: for one answer, and between two turns of a list that
// goes on by steps. At least one object is always read.
inline constexpr size_t kListBytes = size_t{1} << 20;
inline constexpr size_t kListStepBytes = size_t{64} << 10;
inline constexpr int64_t kListRows = 64;  // in one statement, which may read them all at once

// Some of a list's items, as they are shown.
struct ListPart {
  wire::Value::Array items;
  bool last = false;
};
// Reads what comes next. Only one thread at a time may call it.
using NextPart = std::function<Result<ListPart>()>;

// The list `empty`, whose last member is an array without items, with those of `first` and of all
// parts that come after it. Each is read when the client has taken the one before. The answer is
// broken off if one cannot be read, or if the token has ended.
Response long_list(const Call& call, const wire::Value& empty, wire::Value::Array first,
                   NextPart next);

}  // namespace paddock::api
