// What a controller asks of the node where a session lives, as calls of calls.h. A session is
// opened once; from then on the node knows its policy, and no later call can say another.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/reason.h"
#include "common/contracts/sandbox.h"

namespace paddock::contracts {

inline constexpr const char* kSessionOpen = "session.open";    // SessionOrder -> {}
inline constexpr const char* kSessionClose = "session.close";  // SessionName -> {}
inline constexpr const char* kSessionRun = "session.run";      // CommandOrder -> SandboxResult
inline constexpr const char* kSessionFile = "session.file";    // FileOrder -> FileAnswer
// The same of the workspace of a run that runs: reads alone, and files in parts.
inline constexpr const char* kRunFile = "run.file";  // FileOrder -> FileAnswer
// And a file into it, whole: a node that knows no such call takes none.
inline constexpr const char* kRunPut = "run.put";         // FileOrder -> FileAnswer
inline constexpr size_t kMostPutBytes = size_t{8} << 20;  // of one such file

// Kinds of CallFailure of these; others may pass when they are tried again.
inline constexpr Reason kSessionLost = "SESSION_LOST";  // the node has no such session

struct SessionOrder {
  std::string uid;
  SandboxPolicy policy;  // effective
  std::map<std::string, std::string> environment;
  std::string workdir;
  int64_t grace_ms = 0;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("uid", &SessionOrder::uid, "of the session",
              {.required = true, .min_length = 1, .max_length = 64}),
        field("policy", &SessionOrder::policy, "effective", {.required = true}),
        field("environment", &SessionOrder::environment, "of each command", {.max_length = 128}),
        field("workdir", &SessionOrder::workdir, "of each command", {.required = true}),
        field("graceMs", &SessionOrder::grace_ms,
              "from SIGTERM to SIGKILL when a command is ended early", {.min = 0}));
  }
};

struct SessionName {
  std::string uid;
  static constexpr auto describe(auto&& visit) {
    return visit(field("uid", &SessionName::uid, "of the session", {.required = true}));
  }
};

struct CommandOrder {
  std::string uid;
  std::string command;
  bool stream = false;  // its output is sent on as CommandPieces while it runs
  static constexpr auto describe(auto&& visit) {
    return visit(field("uid", &CommandOrder::uid, "of the session", {.required = true}),
                 field("command", &CommandOrder::command, "text for the shell",
                       {.required = true, .min_length = 1}),
                 field("stream", &CommandOrder::stream, "whether output is sent on"));
  }
};

// A piece of output, as base64: a character may lie in two of them.
struct CommandPiece {
  std::string stream;
  std::string data;
  static constexpr auto describe(auto&& visit) {
    return visit(field("stream", &CommandPiece::stream, "stdout or stderr"),
                 field("data", &CommandPiece::data, "base64"));
  }
};

enum class FileOperation { kRead, kWrite, kRemove };

struct FileOrder {
  std::string uid;
  FileOperation operation = FileOperation::kRead;
  std::string path;  // beneath the workspace; empty: the workspace itself
  std::string data;  // base64
  bool folder = false;
  int64_t most = 0;               // bytes to read
  std::optional<int64_t> offset;  // a part of a run's file, from here on
  static constexpr auto describe(auto&& visit) {
    return visit(field("uid", &FileOrder::uid, "of the session, or run", {.required = true}),
                 field("operation", &FileOrder::operation, "read, write or remove"),
                 field("path", &FileOrder::path, "beneath the workspace"),
                 field("data", &FileOrder::data, "to write, as base64", {.omit_empty = true}),
                 field("folder", &FileOrder::folder, "write: makes a folder"),
                 field("most", &FileOrder::most, "bytes to read", {.min = 0}),
                 field("offset", &FileOrder::offset, "where a part begins", {.min = 0}));
  }
};

struct SessionFile {
  std::string name;
  std::string type;  // file, folder or other
  int64_t size = 0;
  static constexpr auto describe(auto&& visit) {
    return visit(field("name", &SessionFile::name, "in its folder"),
                 field("type", &SessionFile::type, "file, folder, link or other"),
                 field("size", &SessionFile::size, "in bytes"));
  }
};

struct FileAnswer {
  bool folder = false;
  std::string data;                // of a file, as base64
  std::vector<SessionFile> files;  // of a folder
  std::optional<int64_t> size;     // of the whole file, of which this is a part
  std::string version;             // of the file: another one once it was written to
  static constexpr auto describe(auto&& visit) {
    return visit(field("folder", &FileAnswer::folder, "whether it is a folder"),
                 field("data", &FileAnswer::data, "a file's content", {.omit_empty = true}),
                 field("files", &FileAnswer::files, "what a folder holds"),
                 field("size", &FileAnswer::size, "of the whole file", {.min = 0}),
                 field("version", &FileAnswer::version, "another one once it was written to",
                       {.omit_empty = true, .max_length = 64}));
  }
};

// A listing, as the API shows it.
struct SessionFileList {
  std::string path;
  std::vector<SessionFile> files;
  static constexpr auto describe(auto&& visit) {
    return visit(field("path", &SessionFileList::path, "of the folder"),
                 field("files", &SessionFileList::files, "by name"));
  }
};

}  // namespace paddock::contracts

template <>
struct paddock::wire::EnumNames<paddock::contracts::FileOperation> {
  using E = contracts::FileOperation;
  static constexpr std::array values = {std::pair{E::kRead, std::string_view("read")},
                                        std::pair{E::kWrite, std::string_view("write")},
                                        std::pair{E::kRemove, std::string_view("remove")}};
};

PADDOCK_EXTERN_CODEC(paddock::contracts::SessionOrder);
PADDOCK_EXTERN_CODEC(paddock::contracts::CommandOrder);
PADDOCK_EXTERN_CODEC(paddock::contracts::FileOrder);
PADDOCK_EXTERN_CODEC(paddock::contracts::FileAnswer);
