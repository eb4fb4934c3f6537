// What the program paddock-sandbox reads and writes.
//
//   paddock-sandbox run --request FILE|fd:N --events FILE|fd:N [--lock FILE]
//   paddock-sandbox serve --socket FILE [--lock FILE] [--ready N] [--judge exec] [--tools NAME,…]
//                         [--hold exit]
//   paddock-sandbox probe            tries what must not work and prints a SandboxProof (canary.h)
//
// It runs one command and appends frames to --events; the last frame, and only it, says how the run
// ended. A reader that finds the lock free and no `result` frame knows that the launcher itself
// died. SIGTERM to the launcher cancels the run: every process inside gets SIGTERM, and after a
// grace SIGKILL; so does a run whose time is up. Asked again, it does not begin again. SIGQUIT is a
// cancel that leaves no grace, also in the middle of one. Where the events are a pipe or a socket,
// the run ends so too when nobody is left who could read them. Its own exit code is 0 whenever a
// result frame was written.
//
// A server runs many commands, each in a process of its own, as `run` would: one connection per run
// to its socket (SOCK_SEQPACKET, its own user's), one packet `kLaunchOrder` with the descriptors of
// the request file, the events file or pipe and, if wanted, the lock file. One packet answers:
// `kLaunchAccepted` and the pid of the launcher, which holds the lock by then, or `kLaunchRefused`
// and why. What cannot be answered is not run. After the answer, a client that leaves and the
// server's own end change nothing; the connection closes when the launcher has ended.
//
// An attached run waits for its input: the packet is `kLaunchAttachedOrder`, with the descriptors
// of the request file, the events and the command's standard input, a socket. Such a run is its
// client's: it is canceled when the client leaves. Its wall time passes from the client's packet
// `kLaunchBegin` and milliseconds on, the policy's being the most; until then it may wait for ever.
//
// A run may be ordered ahead, before its command is known whole: the packet is `kPrelaunchOrder`,
// with the descriptors of the request file and the events. It is an attached run without an input;
// the command's last argument comes with `kLaunchBegin`, after a line end, or as a file's
// descriptor. With `kLaunchShown` behind the milliseconds somebody is shown all of its output as it
// comes: nothing of it is left out, kept or repeated in the result, and it is read at a bounded
// rate. Until then nothing of it is executed and the workspace is not measured; of all else as much
// is made ready as will still hold then.
//
// A run whose request names an `execSocket` takes commands while it runs: its launcher listens
// there (SOCK_SEQPACKET, its own user's). One connection per command, one packet `kExecOrder` with
// the descriptors of a file that holds an ExecOrder and of the events, and of the pipe that is the
// command's standard input if it has one; the answers are those of a server. The command is its
// client's: it is canceled when the client leaves. Its frames end with a `result` of its own, which
// is brief. It is killed with what it started when it ends, and when the run ends. Linux.
// One that has a terminal is ordered by `kExecTerminalOrder`, without a pipe: the terminal is made
// inside, and its other end comes in a packet `kExecTerminal` on the connection. What is written
// there is typed; its output comes as `stdout` alone.
//
// The pid in `started` is the sandbox's first process as the host sees it. A root launcher runs the
// command as the host uid `uid`, an ordinary user's launcher as that user; inside, both are 1000.
// Files of a mount that belong to the owner of its folder are the command's own inside: a root
// launcher maps that owner (id-mapped mount), and where the file system cannot do that, a writable
// folder must belong to `uid`.
//
// Frame: one header line `<type> <wall time in ms> <payload bytes>\n`, the payload, `\n`.
// Types: `started` (payload: JSON {"pid"}), `stdout`, `stderr` (raw bytes), `result` (JSON
// SandboxResult). A torn frame at the end of the file is ignored by readers. Whoever orders a run
// keeps kResultRoom on the disk behind an events file (common/os/disk_space.h), and the launcher
// keeps it there: without room for its output the run goes on, and its result says so.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/contracts/inner_paths.h"
#include "common/contracts/network.h"
#include "common/contracts/profile.h"
#include "common/contracts/sandbox_policy.h"
#include "common/contracts/sandbox_result.h"
#include "common/contracts/tool_gateway.h"

namespace paddock::contracts {

// One folder of the host made visible inside, beside the policy's own mounts: the workspace, a
// venv.
struct LaunchMount {
  std::string host_path;
  std::string sandbox_path;
  MountMode mode = MountMode::kReadOnly;
  // Layered: what is seen is `lower_path` beneath `host_path`, which takes the changes. Linux,
  // root.
  std::string lower_path;
  std::string work_path;  // an empty folder on the file system of `host_path`
  static constexpr auto describe(auto&& visit) {
    return visit(field("hostPath", &LaunchMount::host_path, "absolute path on this host",
                       {.required = true}),
                 field("sandboxPath", &LaunchMount::sandbox_path, "absolute path inside",
                       {.required = true}),
                 field("mode", &LaunchMount::mode, "ro or rw"),
                 field("lowerPath", &LaunchMount::lower_path,
                       "folder seen beneath hostPath, never changed", {.omit_empty = true}),
                 field("workPath", &LaunchMount::work_path,
                       "empty folder beside hostPath, with lowerPath", {.omit_empty = true}));
  }
};

// A value that is secret: in the output it is replaced, and it may be a file.
struct LaunchSecret {
  std::string value;  // base64
  std::string file;   // path inside; empty: the command has it otherwise
  static constexpr auto describe(auto&& visit) {
    return visit(field("value", &LaunchSecret::value, "base64", {.required = true}),
                 field("file", &LaunchSecret::file,
                       "path below /run/secrets of the file that has it", {.omit_empty = true}));
  }
};

// A result repeats the first bytes of each stream of output, so that short output needs no second
// question.
inline constexpr int64_t kInlineOutputBytes = 64 << 10;

struct LaunchRequest {
  std::string trace_id;
  std::vector<std::string>
      command;          // executed as it is, no shell; command[0] is looked up in the inner PATH
  std::string workdir;  // absolute path inside
  std::map<std::string, std::string> env;  // the whole environment of the command
  SandboxPolicy policy;                    // effective: every limit that applies is set
  std::vector<LaunchMount> mounts;
  int64_t inline_output_bytes = kInlineOutputBytes;  // of each stream, repeated by the result frame
  std::optional<int64_t> uid;  // root launchers run the command as this host uid (default 65534)
  std::optional<NetworkSettings> network;  // of the operator, never of the user
  // The one way out of a run with a tool token, whatever its policy says of a network. Linux.
  std::optional<ToolGateway> tool_gateway;
  // From SIGTERM to every process inside until all are killed: after a cancel, and after the wall
  // time. (After the CPU time at most 200 ms: that limit is no time of day.)
  int64_t cancel_grace_ms = 2000;
  int64_t limit_grace_ms = 200;
  // A file of the host that grows: its lines, once whole, are the command's standard input. Linux.
  std::string input_file;
  // A file inside, which the command's own process opens before it executes: it can be nothing that
  // the command could not read itself.
  std::string stdin_file;
  // The command's own, made by itself in its scratch space (/tmp) before it starts. Files: Linux.
  std::vector<std::string> scratch_folders;
  std::map<std::string, std::string> scratch_files;  // content by path
  // What the command's output must not show, wherever it is said. Files: Linux.
  std::vector<LaunchSecret> secrets;
  // fsBytes and fileCount bound all that the writable folder holds, and not what is added to it.
  bool whole_workspace = false;
  // With that: what it holds when the command begins may be more than these bounds; then only what
  // is added is too much. It is counted before the command begins, which takes a while.
  bool overfull_workspace = false;
  // Cores that everything inside may use together. An allotment and no wall: a host that cannot
  // hold a run to it says so in the result and runs it.
  std::optional<int64_t> cpus;
  // Which of the host's those are: the agent knows what else runs here. The launcher chooses what
  // is missing.
  std::vector<int64_t> processors;
  // Where the launcher takes commands to be executed in this run. Linux.
  std::string exec_socket;
  // The client hears of no `started`, and the result leaves out what it knows already: cmd,
  // enforced and policy.
  bool brief_result = false;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("traceId", &LaunchRequest::trace_id, "repeated in the result",
              {.required = true, .max_length = 128}),
        field("command", &LaunchRequest::command, "argv",
              {.required = true, .min_length = 1, .max_length = 4096}),
        field("workdir", &LaunchRequest::workdir, "where the command starts", {.required = true}),
        field("env", &LaunchRequest::env, "the command's whole environment"),
        field("policy", &LaunchRequest::policy, "effective policy"),
        field("mounts", &LaunchRequest::mounts, "folders that the run needs", {.max_length = 64}),
        field("inlineOutputBytes", &LaunchRequest::inline_output_bytes,
              "output repeated in the result, per stream", {.min = 0, .max = 64 << 20}),
        field("uid", &LaunchRequest::uid, "host uid of the command when launched by root",
              {.min = 1}),
        field("network", &LaunchRequest::network,
              "how a network that the policy enables resolves names, and where they may lead"),
        field("toolGateway", &LaunchRequest::tool_gateway,
              "the controller's URL, which leads there for the routes of the run's tool token",
              {.omit_empty = true}),
        field("cancelGraceMs", &LaunchRequest::cancel_grace_ms,
              "from SIGTERM to SIGKILL after a cancel", {.min = 0, .max = 86'400'000}),
        field("limitGraceMs", &LaunchRequest::limit_grace_ms,
              "from SIGTERM to SIGKILL after a time limit", {.min = 0, .max = 86'400'000}),
        field("inputFile", &LaunchRequest::input_file,
              "absolute path of a file whose lines are the standard input, as they come",
              {.omit_empty = true}),
        field("stdinFile", &LaunchRequest::stdin_file,
              "absolute path inside of the file that is the standard input",
              {.omit_empty = true, .max_length = 4096}),
        field("scratchFolders", &LaunchRequest::scratch_folders,
              "folders below /tmp that are there when the command starts",
              {.omit_empty = true, .max_length = 64}),
        field("scratchFiles", &LaunchRequest::scratch_files,
              "files below /tmp that are there when the command starts, by path",
              {.omit_empty = true, .max_length = 16}),
        field("secrets", &LaunchRequest::secrets,
              "values that the output must not show, and files that have them",
              {.omit_empty = true, .max_length = 1024}),
        field("wholeWorkspace", &LaunchRequest::whole_workspace,
              "whether what is in the writable folder already counts for its limits"),
        field("overfullWorkspace", &LaunchRequest::overfull_workspace,
              "whether that may be more than the limits, and then be kept but not added to",
              {.omit_empty = true}),
        field("cpus", &LaunchRequest::cpus, "cores that everything inside may use together",
              {.omit_empty = true, .min = 1, .max = 4096}),
        field("processors", &LaunchRequest::processors,
              "numbers of the host's processors that the command is to be scheduled on",
              {.omit_empty = true, .max_length = 4096}),
        field("execSocket", &LaunchRequest::exec_socket,
              "absolute path on this host of the socket for commands to be executed in the run",
              {.omit_empty = true}),
        field("briefResult", &LaunchRequest::brief_result,
              "whether nothing tells of the start, and the result leaves out cmd, enforced and "
              "policy",
              {.omit_empty = true}));
  }
};

// The one entry of a policy's `devices` that is no node below /dev: the GPU and the Neural Engine
// of Apple silicon. The launcher on macOS opens them to the command; every other one refuses it.
inline constexpr std::string_view kAppleGpu = "apple:gpu";

inline constexpr size_t kResultRoom = size_t{64} << 10;

inline constexpr std::string_view kLaunchOrder = "paddock launch 1";
inline constexpr std::string_view kLaunchAttachedOrder = "paddock launch 1 fed";
inline constexpr std::string_view kPrelaunchOrder = "paddock launch 1 ahead";
inline constexpr std::string_view kExecOrder = "paddock exec 1";
inline constexpr std::string_view kExecTerminalOrder = "paddock exec terminal 1";
inline constexpr std::string_view kExecTerminal = "terminal";
inline constexpr std::string_view kLaunchBegin = "begin ";
inline constexpr std::string_view kLaunchShown = " shown";
inline constexpr std::string_view kLaunchAccepted = "pid ";
inline constexpr std::string_view kLaunchRefused = "refused ";

// What a host can enforce, proven by trying: `paddock doctor` shows it, the node reports it.
struct Capability {
  std::string name;
  bool available = false;
  std::string mechanism;
  std::string details;  // when unavailable: why, and what an operator can do
  std::string reason;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("name", &Capability::name, "memory, pids, network, …"),
        field("available", &Capability::available, "proven at start"),
        field("mechanism", &Capability::mechanism, "how it is enforced here", {.omit_empty = true}),
        field("details", &Capability::details, "why not, and what would help",
              {.omit_empty = true}),
        field("reason", &Capability::reason,
              "why there is less of it than elsewhere: a stable word; absent if nothing is missing",
              {.omit_empty = true}));
  }
};

enum class FrameType { kStarted, kStdout, kStderr, kResult };

struct Frame {
  FrameType type = FrameType::kStdout;
  int64_t time_ms = 0;
  std::string_view payload;
};

struct LaunchBegun {
  Millis wall_time{0};
  bool shown = false;  // all of its output
  bool operator==(const LaunchBegun&) const = default;
};
// What `kLaunchBegin` says; nothing: it is another packet.
std::optional<LaunchBegun> begun(std::string_view packet);

std::string frame_header(FrameType type, int64_t time_ms, size_t payload_bytes);

// Takes the next whole frame off the front of `bytes`. Returns false when only a part is there yet;
// an error when the bytes cannot be a frame.
Result<bool> take_frame(std::string_view& bytes, Frame& out);

}  // namespace paddock::contracts

template <>
struct paddock::wire::EnumNames<paddock::contracts::FrameType> {
  using E = contracts::FrameType;
  static constexpr std::array values = {std::pair{E::kStarted, std::string_view("started")},
                                        std::pair{E::kStdout, std::string_view("stdout")},
                                        std::pair{E::kStderr, std::string_view("stderr")},
                                        std::pair{E::kResult, std::string_view("result")}};
};

PADDOCK_EXTERN_CODEC(paddock::contracts::LaunchRequest);
PADDOCK_EXTERN_CODEC(paddock::contracts::Capability);
