// What a transaction read ahead of its engine, which is far away: rows of objects and what is
// beside runs, as they are within this transaction. The one writer changes them only through it,
// and readers have a snapshot, so nothing here is stale as long as each write says so. Bounded;
// what is missing here is asked of the engine. By one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "controller/store/records.h"

namespace paddock::store::sql {

// Beside a run. What is false is known not to be there.
struct RunFacts {
  std::map<int64_t, int64_t> output;  // the last chunk that is stored, by attempt
  bool has_tool_tokens = true;
  bool has_open_line = true;
  bool has_sent_blobs = true;
};

struct AheadRow {
  std::string kind;
  Key key;
  std::string uid;
  int64_t object_id = 0;
  int64_t resource_version = 0;
  std::string data;
  int64_t last_event = 0;         // of a run
  std::optional<RunFacts> facts;  // likewise
};

class ReadAhead {
 public:
  // Takes a row, with its rows in other tables. Once it was full it takes no more: callers name
  // first what they need first.
  void put(AheadRow row);
  bool full() const { return full_; }
  // Null: not known. Until the next call that changes something.
  const AheadRow* find(std::string_view kind, const Key& key) const;
  const AheadRow* find_run(const std::string& uid) const;
  RunFacts* facts(const std::string& run_uid);

  // Its row was changed; or it is gone, with what was beside it.
  void changed(std::string_view kind, const Key& key);
  void erased(std::string_view kind, const Key& key);
  void clear();

  static constexpr size_t kMostBytesOfOne = size_t{64} << 10;

 private:
  static constexpr size_t kMostBytes = size_t{32} << 20;
  std::unordered_map<std::string, AheadRow> rows_;
  std::unordered_map<std::string, std::string> runs_;  // uid to the row's place
  std::unordered_map<std::string, RunFacts> facts_;    // by the uid of a run
  size_t bytes_ = 0;
  bool full_ = false;
};

}  // namespace paddock::store::sql
