#include "node-agent/sandbox/macos/seatbelt.h"

#include <algorithm>
#include <array>
#include <set>

#include "common/base/text.h"
#include "common/contracts/inner_paths.h"

namespace paddock::sandbox {
namespace {

// The folders that programs need to start. Not all of /Library, /private/etc and /private/var/db:
// keychains and other programs' data are there.
constexpr std::array kSystemFolders = {"/usr/lib",
                                       "/usr/bin",
                                       "/usr/libexec",
                                       "/usr/share",
                                       "/usr/local/lib",
                                       "/usr/local/bin",
                                       "/usr/local/opt",
                                       "/usr/local/Cellar",
                                       "/bin",
                                       "/sbin",
                                       "/opt/homebrew",
                                       "/System/Library",
                                       "/System/Cryptexes",
                                       "/System/Volumes/Preboot/Cryptexes",
                                       "/Library/Apple",
                                       "/Library/Developer/CommandLineTools",
                                       "/Library/Frameworks",
                                       "/private/etc/ssl",
                                       "/private/var/db/dyld",
                                       "/private/var/db/timezone"};

constexpr std::array kSystemFiles = {"/",  // its listing; the loader opens it
                                     "/dev/null",
                                     "/dev/zero",
                                     "/dev/random",
                                     "/dev/urandom",
                                     "/private/etc/hosts",
                                     "/private/etc/localtime",
                                     "/private/etc/passwd",
                                     "/private/etc/group",
                                     "/private/etc/protocols",
                                     "/private/etc/services",
                                     "/private/etc/resolv.conf",
                                     "/private/etc/shells"};

// Links of the system on the way to the above.
constexpr std::array kLinks = {"/etc", "/tmp", "/var", "/dev/stdin", "/dev/stdout", "/dev/stderr"};

// Mach services without which C libraries and language runtimes do not start. None of them starts
// programs, opens files or hands out secrets.
constexpr std::array kServices = {"com.apple.system.logger", "com.apple.system.notification_center",
                                  "com.apple.system.opendirectoryd.libinfo"};

// What Metal and Core ML open of Apple silicon: classes of drivers' clients, by the names that a
// command's own process has them by. That one class of AGX is enough for Metal was measured by
// others (nolabs-ai/nono pull 635, tetsuo-ai/agenc-core pull 1488); those of the Neural Engine are
// what Chromium's gpu.sb and Apple's own programs name. Never tried by us on a Mac.
constexpr std::array kGpuClients = {
    "AGXDeviceUserClient",                 // the GPU: memory, queues and commands
    "IOSurfaceRootUserClient",             // buffers that the GPU and the Neural Engine work on
    "H11ANEInDirectPathClient",            // the Neural Engine: runs models that its daemon loaded
    "H1xANELoadBalancerDirectPathClient",  // the same where several engines share the work
};
// Kernels are compiled and models are loaded by programs of the system, outside this sandbox. The
// compiler comes with Metal's framework (xpc-service-name), and was seen under a global name too.
constexpr std::array kGpuServices = {
    R"(xpc-service-name "com.apple.MTLCompilerService")",
    R"(global-name "com.apple.MTLCompilerService")",
    R"(global-name "com.apple.appleneuralengine")",
};

constexpr std::string_view kStart = R"((version 1)
(deny default)

(allow process-exec)
(allow process-fork)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow sysctl-read)
)";

constexpr std::string_view kEnd = R"(
(deny file-write-setugid)
(deny file-write-flags)
(deny file-write-acl)
(deny network*)
)";

Error unsupported(const char* why) { return {Code::kFailedPrecondition, "UNSUPPORTED_PATH", why}; }

// A string of the language. Only `"` and `\` mean something in it; what cannot be printed is
// refused, so that no reader of strings has to agree with us on how it is written.
Result<std::string> quoted(std::string_view path) {
  if (!contracts::is_clean_absolute(path))
    return unsupported("a folder is not a clean absolute path, or is the root of all files");
  if (!is_utf8(path)) return unsupported("a folder's path is not valid UTF-8");
  std::string out = "\"";
  for (const char c : path) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      return unsupported("a folder's path has a control character");
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string subpath(const std::string& quoted_path) { return cat("  (subpath ", quoted_path, ")"); }
std::string literal(std::string_view quoted_path) { return cat("  (literal ", quoted_path, ")"); }

std::string allow(std::string_view operations, const std::vector<std::string>& filters) {
  if (filters.empty()) return "";
  return cat("\n(allow ", operations, "\n", join(filters, "\n"), ")\n");
}

// The folders above `path`, the root left out.
void add_folders_above(std::string path, std::set<std::string>& out) {
  for (size_t slash = path.rfind('/'); slash != 0 && slash != std::string::npos;
       slash = path.rfind('/')) {
    path.resize(slash);
    out.insert(path);
  }
}

std::string metadata_rule(const std::set<std::string>& quoted_paths) {
  std::vector<std::string> filters;
  for (const std::string& path : quoted_paths) filters.push_back(literal(path));
  return allow("file-read-metadata", filters);
}

// Inner folders after outer ones: the inner rule decides. What is named twice is read-only.
std::vector<SeatbeltFolder> in_order(std::vector<SeatbeltFolder> folders) {
  std::ranges::stable_sort(folders, [](const SeatbeltFolder& a, const SeatbeltFolder& b) {
    if (a.path.size() != b.path.size()) return a.path.size() < b.path.size();
    return a.writable && !b.writable;
  });
  return folders;
}

std::string rule(const std::string& filter, bool writable) {
  if (writable) return allow("file-read* file-write*", {filter});
  return cat(allow("file-read*", {filter}), "(deny file-write*\n", filter, ")\n");
}

std::string system_rules() {
  std::vector<std::string> read;
  std::set<std::string> above;
  for (const std::string path : kSystemFolders) {
    read.push_back(subpath(cat('"', path, '"')));
    add_folders_above(path, above);
  }
  for (const std::string path : kSystemFiles) {
    read.push_back(literal(cat('"', path, '"')));
    add_folders_above(path, above);
  }
  above.insert(kLinks.begin(), kLinks.end());
  std::set<std::string> metadata;
  for (const std::string& path : above) metadata.insert(cat('"', path, '"'));
  std::vector<std::string> services;
  for (const std::string_view name : kServices)
    services.push_back(cat("  (global-name \"", name, "\")"));
  return cat(allow("mach-lookup", services), allow("file-read*", read), metadata_rule(metadata),
             allow("file-read* file-write-data", {subpath("\"/dev/fd\"")}),
             allow("file-write-data", {literal("\"/dev/null\""), literal("\"/dev/zero\"")}));
}

// Their files are below /System/Library, which every command reads.
std::string gpu_rules() {
  std::vector<std::string> clients;
  for (const std::string_view name : kGpuClients)
    clients.push_back(cat("  (iokit-user-client-class \"", name, "\")"));
  std::vector<std::string> services;
  for (const std::string_view filter : kGpuServices) services.push_back(cat("  (", filter, ")"));
  return cat(allow("iokit-open", clients), allow("mach-lookup", services));
}

}  // namespace

Result<std::string> render_seatbelt(const SeatbeltView& view) {
  std::vector<SeatbeltFolder> folders = view.folders;
  folders.push_back({view.scratch, true});
  std::string rules;
  std::set<std::string> above;
  for (const SeatbeltFolder& folder : in_order(std::move(folders))) {
    ASSIGN_OR_RETURN(const std::string name, quoted(folder.path));
    rules += rule(subpath(name), folder.writable);
    add_folders_above(folder.path, above);
  }
  for (const std::string& file : view.files) {
    ASSIGN_OR_RETURN(const std::string name, quoted(file));
    rules += rule(literal(name), false);
    add_folders_above(file, above);
  }
  std::set<std::string> names;
  for (const std::string& path : above) {
    ASSIGN_OR_RETURN(std::string name, quoted(path));
    names.insert(std::move(name));
  }
  return cat(kStart, system_rules(), view.gpu ? gpu_rules() : "", metadata_rule(names), rules,
             kEnd);
}

}  // namespace paddock::sandbox
