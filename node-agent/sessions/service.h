// The sessions of this node. Each is a folder, which is all that it has between two commands; a
// session lives as long as its folder does, over restarts of the agent too. Thread-safe; starts no
// thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/base/guarded.h"
#include "common/contracts/session_calls.h"
#include "common/os/folder_use.h"
#include "node-agent/files/write_turns.h"
#include "node-agent/launch/deferred_teardown.h"
#include "node-agent/sessions/command.h"
#include "node-agent/sessions/prelaunch_pool.h"
#include "node-agent/sessions/settings.h"

namespace paddock::sessions {

struct Dependencies {
  std::string socket;                           // of a serving launcher that judges executions
  std::function<void()> no_server;              // it does not listen: somebody should look after it
  launch::DeferredTeardown::Wake wake;          // there is something to clean up
  launch::DeferredTeardown& deferred_teardown;  // done by who is woken
  const Clock& clock;
};

class Service {
 public:
  Service(Setting setting, Dependencies dependencies);
  ~Service();

  // Takes over the sessions that are on the disk; removes what cannot be one. One that cannot be
  // read for now stays as it is, and is taken over by clean_up() once it can: until then its calls
  // are refused, NODE_DISK_FAILS. None of its commands outlives an agent, so nothing lives there.
  Status recover();
  // SESSION_LOST for all but open(), where the node has no such session; DISK_REQUEST_EXCEEDED if
  // it was ended for the disk. `stop`: readable once the command is to end. E_LIMIT_FS,
  // E_LIMIT_FILES, TREE_TOO_DEEP of run(): no command begins until files are removed.
  // What its policy names and this node has not refuses it: TOOL_UNAVAILABLE, MOUNT_NOT_FOUND, ….
  Status open(const contracts::SessionOrder& order);
  Status close(const std::string& uid);
  // Output that is sent on (`order.stream`) is all handed to `on_output`, as fast as `takes_output`
  // says that it is taken, and none of it is in the result.
  Result<contracts::SandboxResult> run(
      const contracts::CommandOrder& order, int stop,
      const std::function<void(contracts::FrameType, std::string_view)>& on_output,
      const std::function<bool()>& takes_output = {});
  Result<contracts::FileAnswer> file(const contracts::FileOrder& order);

  // Ends all sessions that the controller does not list, except those that may have been opened
  // after it made the list.
  void keep(const std::vector<std::string>& uids);
  // Removes sessions that have ended and are not in use any more, and makes the next runs ready.
  // Returns how long to wait before the next call, if nobody wakes the caller before.
  Millis clean_up();
  size_t count() const;

  // The disk that each session has taken, with what its commands hide; counting takes a while.
  struct Written {
    std::string uid;
    os::FolderUse use;
    bool ending = false;  // its files go by themselves
  };
  std::vector<Written> written() const;
  // Ends it with all its commands and files, at once: callers that ask for it from now on hear why,
  // DISK_REQUEST_EXCEEDED, until the controller names it no more.
  void end_for_disk(const std::string& uid, const std::string& why);
  // The launcher's program is another one now.
  void discard_ahead() { prelaunched_.discard(); }

 private:
  struct Session;
  using Shared = std::shared_ptr<Session>;
  struct State {
    std::map<std::string, Shared> sessions;
    std::vector<Shared> ended;     // whose folders are still there
    std::set<std::string> unread;  // names of folders that cannot be read for now
  };
  class Use;
  std::string folder_of(const std::string& uid) const;
  Result<Shared> make(const contracts::SessionOrder& order) const;
  Result<Shared> load(const std::string& uid) const;
  bool take_over(const std::string& name);
  bool take_over_unread();
  Result<Shared> find(const std::string& uid) const;
  static Result<Shared> find(const State& state, const std::string& uid);
  static Status note_end(const Session& session, const std::string& why);
  void empty(const Shared& session);
  Status try_out(const Session& session);
  void end(State& state, const std::string& uid);
  bool remove_unused(const Shared& session);
  static Result<bool> is_overfull(Session& session);
  Result<launch::AttachedLaunch> order_next(Session& session, bool overfull) const;
  Result<launch::AttachedLaunch> begin(Session& session, const contracts::CommandOrder& order,
                                       bool overfull);

  const Setting setting_;
  const Dependencies dependencies_;
  PrelaunchPool prelaunched_;
  files::WriteTurns turns_;
  Guarded<State> state_;
  std::condition_variable unused_;
};

}  // namespace paddock::sessions
