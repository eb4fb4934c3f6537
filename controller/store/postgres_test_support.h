// A PostgreSQL server for the tests of one program: in a folder of its own, reached by a Unix
// socket. Only programs end here, never the machine, so nothing waits for its disk (fsync=off). It
// runs as an ordinary user, since it refuses to run as root.
// Its language sorts texts otherwise than by their bytes, so that orders are the store's own doing.
#pragma once

#include <fcntl.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/base/time.h"
#include "controller/store/store.h"

namespace paddock::store {

class PostgresServer {
 public:
  // The one of this program, started when it is asked for first; null where there is none.
  static PostgresServer* get() {
    static const std::unique_ptr<PostgresServer> server = make();
    return server.get();
  }
  static constexpr const char* kMissing =
      "PostgreSQL is not installed (Debian: postgresql-15): its half of this test was not run";

  ~PostgresServer() {
    stop(SIGQUIT);  // what it would still write is removed
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // The name of a new, empty database.
  std::string new_database() {
    static std::atomic<int> count{0};
    const std::string name = cat("t", ++count);
    query("postgres", cat("CREATE DATABASE ", name));
    return name;
  }
  // It is there: who asks waits for it, however busy the machine is.
  std::string url(const std::string& database) const {
    return cat("postgresql:///", database, "?user=paddock&connect_timeout=180&host=", folder_);
  }
  // With a lease that outlives any load of the machine: a test of its end says a shorter one.
  static PostgresOptions options(const std::string& url, const std::string& holder) {
    PostgresOptions out;
    out.url = url;
    out.holder = out.holder_name = holder;
    out.lease = Millis(600'000);
    return out;
  }
  // The first column of the first row.
  std::string query(const std::string& database, const std::string& sql) const {
    PGconn* db = PQconnectdb(url(database).c_str());
    PGresult* answer = PQexec(db, sql.c_str());
    const ExecStatusType status = PQresultStatus(answer);
    EXPECT_TRUE(status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) << PQerrorMessage(db);
    std::string out = PQntuples(answer) > 0 ? PQgetvalue(answer, 0, 0) : "";
    PQclear(answer);
    PQfinish(db);
    return out;
  }
  // SIGINT: sessions are ended; SIGQUIT: at once, as in a crash.
  void stop(int signal) {
    if (process_ <= 0) return;
    ::kill(process_, signal);
    ::waitpid(process_, nullptr, 0);
    process_ = 0;
  }
  // Waits until it answers or ends itself: it may read its log again for a while.
  bool start() {
    process_ = spawn({"postgres", "-D", folder_ + "/data", "-k", folder_, "-c",
                      "listen_addresses=", "-c", "shared_buffers=32MB", "-c", "fsync=off"});
    while (::waitpid(process_, nullptr, WNOHANG) == 0) {
      if (PQping(url("postgres").c_str()) == PQPING_OK) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  const std::string& folder() const { return folder_; }

 private:
  PostgresServer() = default;

  static std::string programs() {
    std::error_code ignored;
    for (const auto& version :
         std::filesystem::directory_iterator("/usr/lib/postgresql", ignored)) {
      const auto bin = version.path() / "bin";
      if (std::filesystem::exists(bin / "initdb")) return bin.string();
    }
    return {};
  }

  static std::unique_ptr<PostgresServer> make() {
    std::unique_ptr<PostgresServer> server(new PostgresServer);
    server->programs_ = programs();
    if (server->programs_.empty()) return nullptr;
    std::string name = (std::filesystem::temp_directory_path() / "paddock-pg-XXXXXX").string();
    server->folder_ = ::mkdtemp(name.data());
    if (const passwd* user = server->user())
      (void)!::chown(server->folder_.c_str(), user->pw_uid, user->pw_gid);
    const pid_t made = server->spawn({"initdb", "-D", server->folder_ + "/data", "-U", "paddock",
                                      "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8",
                                      "--locale-provider=icu", "--icu-locale=en", "--no-sync"});
    int status = 1;
    ::waitpid(made, &status, 0);
    if (status != 0 || !server->start()) {
      ADD_FAILURE() << "the server of the tests does not start: " << server->folder_ << "/log";
      return nullptr;
    }
    return server;
  }

  // Whom the server runs as; null: as ourselves.
  static const passwd* user() {
    if (::geteuid() != 0) return nullptr;
    const passwd* own = ::getpwnam("postgres");
    return own != nullptr ? own : ::getpwnam("nobody");
  }

  pid_t spawn(const std::vector<std::string>& words) const {
    const std::string program = cat(programs_, "/", words[0]);
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    const std::string log = folder_ + "/log";
    const passwd* as = user();
    const pid_t child = ::fork();
    if (child != 0) return child;
    if (as != nullptr && (::setgid(as->pw_gid) != 0 || ::setuid(as->pw_uid) != 0)) ::_exit(1);
    ::prctl(PR_SET_PDEATHSIG, SIGQUIT);  // nothing is left of a test that crashed
    const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(out, 1);
    ::dup2(out, 2);
    if (::chdir("/") != 0) ::_exit(1);
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
  }

  std::string programs_;
  std::string folder_;
  pid_t process_ = 0;
};

}  // namespace paddock::store
