// The folder that a pool shares with its pilots, and its own records in it:
//   lock                one program per pool
//   KEY.intent          a submission under way: written before sbatch, removed once Slurm lists it
//   PILOT.token         an enrolment token for the one pilot, which takes it away
//   PILOT.given           that it had one: no other is made, which would end the first; and whether
//                       it has joined, which its node cannot tell any more once it has left
//   ca.pem, logs/JOB.log, state.json
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "cli/pool/pilots.h"
#include "cli/pool/settings.h"
#include "common/base/result.h"
#include "common/os/lock_file.h"
#include "common/wire/value.h"

namespace paddock::cli {

// A submission: what for, and when.
struct Intent {
  PilotSize size;
  WallTime at;
};

class PoolFolder {
 public:
  // CONFIG_INVALID: another user may read or write it, and tokens are in it. LOCK_HELD: another
  // program serves this pool.
  static Result<PoolFolder> open(const std::string& path);

  Status put_ca(const std::string& pem) const;

  Result<std::map<std::string, Intent>> intents() const;  // by key
  Status put_intent(const std::string& key, const Intent& intent) const;
  Status drop_intent(const std::string& key) const;

  // Readable for this user alone from the first byte on.
  Status put_token(const std::string& pilot, const std::string& token) const;
  // Whether the pilot has been given one, taken or not.
  bool was_given(const std::string& pilot) const;
  // Pilots that have joined, whether or not they have left since.
  Result<std::set<std::string>> joined() const;
  Status put_joined(const std::string& pilot) const;
  // Removes the tokens of pilots that are not listed any more.
  Status drop_tokens_but(const std::set<std::string>& listed) const;
  // The oldest logs go, so that as many stay.
  Status prune_logs(size_t kept) const;

  Status put_state(const wire::Value& state) const;

 private:
  PoolFolder(std::string path, os::LockFile lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}
  std::string path_;
  os::LockFile lock_;
};

// The state that the pool wrote last, for commands that show it.
Result<wire::Value> read_pool_state(const std::string& folder);

// An intent as a file's text and back; nothing of what is none.
std::string intent_text(const Intent& intent);
std::optional<Intent> parse_intent(std::string_view text);

}  // namespace paddock::cli
