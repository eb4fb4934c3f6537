#include "controller/app/flags.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "common/base/text.h"

namespace paddock::app {
namespace {

struct ValueFlag {
  std::string_view name;
  std::string_view variable;
};
constexpr std::array kValueFlags = {
    ValueFlag{"--data-dir", "PADDOCK_CONTROLLER_DATA_DIR"},
    ValueFlag{"--host", "PADDOCK_CONTROLLER_HOST"},
    ValueFlag{"--port", "PADDOCK_CONTROLLER_PORT"},
    ValueFlag{"--unix-socket", "PADDOCK_CONTROLLER_UNIX_SOCKET"},
};

Error bad(std::string message) { return invalid_argument("FLAG_INVALID", std::move(message)); }

// Flags of no variable, each with a value.
constexpr std::array<std::string_view, 4> kOwnFlags = {"--config", "--restore", "--migrate-store",
                                                       "--make-shared-files"};

void set_variable(Flags& flags, const std::string& flag, std::string_view variable,
                  const std::string& value) {
  flags.overrides[std::string(variable)] = value;
  flags.names[std::string(variable)] = flag;
}

Status take(Flags& flags, std::string_view name, const std::string& value) {
  if (name == "--config") flags.config_file = value;
  if (name == "--restore") flags.restore = value;
  if (name == "--make-shared-files") flags.make_shared_files = value;
  if (name != "--migrate-store") return {};
  for (const auto to : {store::MoveTo::kPostgres, store::MoveTo::kSqlite}) {
    if (value == store::word_of(to)) flags.migrate_store = to;
  }
  if (flags.migrate_store) return {};
  return bad("--migrate-store takes where the store is moved to: postgres or sqlite");
}

}  // namespace

Result<Flags> parse_flags(const std::vector<std::string>& args) {
  Flags flags;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (arg == "--help" || arg == "-h") {
      flags.help = true;
    } else if (arg == "--version") {
      flags.version = true;
    } else if (arg == "--check") {
      flags.check = Flags::Check::kText;
    } else if (arg == "--check=json") {
      flags.check = Flags::Check::kJson;
    } else if (arg == "--plain-http") {
      set_variable(flags, arg, "PADDOCK_CONTROLLER_PLAIN_HTTP_ON_LOOPBACK", "true");
    } else {
      const size_t equals = arg.find('=');
      const std::string name = arg.substr(0, equals);
      const auto known = std::ranges::find(kValueFlags, name, &ValueFlag::name);
      const bool own = std::ranges::find(kOwnFlags, name) != kOwnFlags.end();
      if (known == kValueFlags.end() && !own)
        return bad(cat("unknown option ", arg, "; see --help"));
      if (equals == std::string::npos && i + 1 == args.size())
        return bad(cat(name, " needs a value"));
      const std::string value = equals != std::string::npos ? arg.substr(equals + 1) : args[++i];
      if (own) {
        TRY(take(flags, name, value));
      } else {
        set_variable(flags, name, known->variable, value);
      }
    }
  }
  return flags;
}

std::string usage() {
  return "usage: paddock-controller [--config FILE] [--data-dir DIR] [--host ADDRESS] [--port N]\n"
         "                          [--unix-socket FILE] [--plain-http] [--version] [--help]\n"
         "                          [--restore FILE] [--migrate-store postgres|sqlite] [--check]\n"
         "                          [--make-shared-files DIR]\n"
         "Serves the API over TLS, on loopback unless told otherwise. SIGTERM stops it.\n"
         "--check says of all that a start with this configuration needs (folders, TLS, ports,\n"
         "database, bucket) whether it is well, and how to mend it; nothing is changed. Ends with "
         "1\n"
         "if something is not. --check=json for programs.\n"
         "--restore puts a backup in the place of the store and ends; the former store is kept\n"
         "beside it. FILE is a path, or the name given to `paddock admin backup`.\n"
         "--migrate-store moves the store to the empty database of store.postgres.urlFile, or "
         "back\n"
         "from there to a new paddock.db in the data folder, and ends; the controller is stopped.\n"
         "--make-shared-files fills a new folder with what several controllers of one database "
         "have\n"
         "in common (store.postgres.sharedDir), before the first of them starts, and ends.\n"
         "Every key of the file, and its PADDOCK_CONTROLLER_… variable: controller.example.yaml\n";
}

}  // namespace paddock::app
