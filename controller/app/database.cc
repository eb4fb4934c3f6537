#include "controller/app/database.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>

#include "common/base/text.h"
#include "common/crypto/digest.h"
#include "common/os/file.h"
#include "controller/app/lost_database.h"
#include "controller/store/lead_watch.h"
#include "controller/store/move_store.h"

namespace paddock::app {
namespace {

constexpr const char* kUrlField = "store.postgres.urlFile";

// The errors do not name the file: the setting that they are reported for does.
Result<std::string> url_in(const std::string& path) {
  constexpr size_t kMostBytes = 16 << 10;
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0)
    return invalid_argument("STORE_URL_INVALID", "names a file that cannot be found", kUrlField);
  if ((info.st_mode & S_IROTH) != 0)
    return invalid_argument("STORE_URL_INVALID",
                            "names a file that everybody on this host may read, with a password in "
                            "it: chmod 0600",
                            kUrlField);
  auto text = os::read_file(path, kMostBytes);
  if (!text.ok())
    return invalid_argument("STORE_URL_INVALID", "names a file that cannot be read", kUrlField);
  return std::string(trim(*text));
}

// The data folder's lock says that no other process has this name now, on this host.
Result<std::string> known_holder(const std::string& path) {
  ASSIGN_OR_RETURN(const bool made, os::is_there(path));
  if (!made) return std::string();
  const auto known = os::read_file(path, 256);
  if (known.ok()) return std::string(trim(*known));
  return Error{Code::kFailedPrecondition, "STORE_NOT_OURS",
               "store-holder in the data folder cannot be read"}
      .within(known.error().describe());
}

// A copy of the data folder, or a clone of its disk, has the same file at another place, so it is
// another controller. What differs after a reboot alone waits for the lease like any other.
std::string at_its_place(const std::string& instance, const std::string& path) {
  struct stat info = {};
  if (instance.empty() || ::stat(path.c_str(), &info) != 0) return instance;
  constexpr size_t kShort = 16;
  const auto host = os::read_file("/proc/sys/kernel/random/boot_id", 256);
  const std::string place =
      cat(host.ok() ? *host : std::string(), " ", info.st_dev, " ", info.st_ino);
  return store::holder_at(instance, crypto::sha256_hex(place).substr(0, kShort));
}

std::string holder_file(const Config& config) {
  return os::join_path(config.data_dir, "store-holder");
}

Result<std::string> holder_of(const std::string& path, Random& random) {
  ASSIGN_OR_RETURN(const std::string known, known_holder(path));
  if (!known.empty()) return at_its_place(known, path);
  const std::string made = make_uuid(random);
  TRY(os::write_file_atomic(path, made + "\n"));
  return at_its_place(made, path);
}

std::string holder_name() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) return "another controller";
  return cat("the controller on ", host.data(), " (process ", ::getpid(), ")");
}

// Both would be used in turn by whoever edits the configuration, each with half of the history.
Status check_no_file(const Config& config) {
  ASSIGN_OR_RETURN(const bool there, os::is_there(store_file(config)));
  if (!there) return {};
  return Error{Code::kFailedPrecondition, "STORE_CHOSEN_TWICE",
               "the data folder has a store of its own, paddock.db, and store.postgres names "
               "another: move it there (--migrate-store postgres), move paddock.db away, or remove "
               "store.postgres"};
}

}  // namespace

std::string store_file(const Config& config) {
  return os::join_path(config.data_dir, "paddock.db");
}

namespace {

Result<store::PostgresOptions> options_without_holder(const Config& config) {
  const PostgresConfig& chosen = config.store.postgres;
  if (chosen.url_file.empty())
    return invalid_argument("STORE_URL_INVALID", "names no file, and so no database", kUrlField);
  store::PostgresOptions postgres;
  ASSIGN_OR_RETURN(postgres.url, url_in(chosen.url_file));
  postgres.holder_name = holder_name();
  postgres.lease = chosen.lease.value;
  postgres.most_readers = static_cast<size_t>(chosen.max_readers);
  return postgres;
}

Result<store::StoreOptions> options_of(
    const Config& config, const std::function<Result<store::PostgresOptions>()>& postgres) {
  store::StoreOptions options;
  TRY(store::check_not_moving(store_file(config)));
  if (config.store.postgres.url_file.empty()) {
    TRY(check_database_is_there(config.data_dir));
    options.path = store_file(config);
    options.reserve = config.store.reserve.bytes;
    return options;
  }
  TRY(check_no_file(config));
  ASSIGN_OR_RETURN(options.postgres, postgres());
  return options;
}

}  // namespace

Result<store::PostgresOptions> postgres_options(const Config& config, Random& random) {
  ASSIGN_OR_RETURN(store::PostgresOptions postgres, options_without_holder(config));
  ASSIGN_OR_RETURN(postgres.holder, holder_of(holder_file(config), random));
  return postgres;
}

Result<store::PostgresOptions> postgres_options_as_they_are(const Config& config) {
  ASSIGN_OR_RETURN(store::PostgresOptions postgres, options_without_holder(config));
  ASSIGN_OR_RETURN(const std::string known, known_holder(holder_file(config)));
  postgres.holder = at_its_place(known, holder_file(config));
  return postgres;
}

Result<store::StoreOptions> store_options(const Config& config, Random& random) {
  return options_of(config, [&] { return postgres_options(config, random); });
}

Result<store::StoreOptions> store_options_as_they_are(const Config& config) {
  return options_of(config, [&] { return postgres_options_as_they_are(config); });
}

}  // namespace paddock::app
