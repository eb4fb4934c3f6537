#include "controller/store/postgres/connection.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "common/base/text.h"
#include "controller/store/postgres/errors.h"

namespace paddock::store::postgres {

namespace {

// Requests that were sent without waiting are kept in memory until they are answered.
constexpr size_t kMostSent = 2'000;
constexpr size_t kMostSentBytes = size_t{4} << 20;
constexpr int kBinary = 1;

std::string said_by(const PGconn* db) {
  std::string said = PQerrorMessage(db);
  while (!said.empty() && said.back() == '\n') said.pop_back();
  return said;
}

std::string said_by(const PGresult* answer) {
  const char* message = PQresultErrorField(answer, PG_DIAG_MESSAGE_PRIMARY);
  return message != nullptr ? message : "";
}

}  // namespace

Result<std::unique_ptr<Connection>> Connection::open(const Target& target,
                                                     const std::string& name) {
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  for (const auto& [keyword, value] : target) {
    keywords.push_back(keyword.c_str());
    values.push_back(value.c_str());
  }
  keywords.insert(keywords.end(), {"application_name", nullptr});
  values.insert(values.end(), {name.c_str(), nullptr});
  Db db(PQconnectdbParams(keywords.data(), values.data(), 0));
  if (!db || PQstatus(db.get()) != CONNECTION_OK)
    return connect_error(db ? said_by(db.get()) : "no memory");
  if (PQsetnonblocking(db.get(), 1) != 0 || PQenterPipelineMode(db.get()) != 1)
    return connect_error(said_by(db.get()));
  PQsetNoticeProcessor(
      db.get(), [](void*, const char*) {}, nullptr);
  os::Fd line(::fcntl(PQsocket(db.get()), F_DUPFD_CLOEXEC, 0));
  return std::unique_ptr<Connection>(new Connection(std::move(db), std::move(line)));
}

Statement Connection::prepare(const char* sql) {
  PgStatement& kept = statements_[sql];
  kept.begin(this, sql);
  return Statement(kept);
}

Result<int64_t> Connection::last_given(Series series) {
  const char* column = series == Series::kChanges   ? "changes_given"
                       : series == Series::kObjects ? "objects_given"
                                                    : "audit_given";
  ASSIGN_OR_RETURN(const Answer answer, ask(cat("SELECT ", column, " FROM paddock_leader")));
  if (PQntuples(answer.get()) == 0) return 0;
  // A writer that has drawn some since is ahead of what is written.
  return std::max(numbers.of(series), integer_in(answer.get(), 0, 0));
}

bool Connection::missed_a_row() const { return last_state_ == kForeignKeyViolation; }

std::string Connection::absent_key(std::string_view kind, std::string_view name_space,
                                   std::string_view name) {
  return cat(kind, "\n", name_space, "\n", name);
}

bool Connection::was_absent(std::string_view kind, std::string_view name_space,
                            std::string_view name) {
  return !absent_.empty() && absent_.erase(absent_key(kind, name_space, name)) > 0;
}

bool Connection::is_much_text(size_t bytes) {
  constexpr size_t kMuch = size_t{16} << 20;
  text_bytes_ += bytes;
  if (text_bytes_ < kMuch) return false;
  text_bytes_ = 0;
  return true;
}

Error Connection::lose(const std::string& why) {
  lost_ = true;
  sent_ = 0;
  owes_ = false;
  begin_anew();
  return lost_error(why);
}

Status Connection::send(const std::string& sql, const std::vector<Parameter>& parameters) {
  if (lost_) return lost_error("before");
  std::vector<Oid> types;
  std::vector<const char*> values;
  std::vector<int> lengths;
  const std::vector<int> formats(parameters.size(), kBinary);
  for (const Parameter& each : parameters) {
    const bool is_number = each.type == kIntegerType;
    const char* bytes = each.text.data() != nullptr ? each.text.data() : "";
    types.push_back(each.type);
    values.push_back(each.null ? nullptr : is_number ? each.number.data() : bytes);
    lengths.push_back(static_cast<int>(is_number ? each.number.size() : each.text.size()));
    sent_bytes_ += each.text.size();
  }
  if (PQsendQueryParams(db_.get(), sql.c_str(), static_cast<int>(parameters.size()), types.data(),
                        values.data(), lengths.data(), formats.data(), kBinary) != 1)
    return lose(said_by(db_.get()));
  ++sent_;
  return {};
}

Status Connection::soon(const std::string& sql, const std::vector<Parameter>& parameters) {
  TRY(send_gathered());
  TRY(send(sql, parameters));
  owes_ = owes_ || !parameters.empty();
  if (sent_ >= kMostSent || sent_bytes_ >= kMostSentBytes) return finish();
  return {};
}

Result<Answer> Connection::ask(const std::string& sql, const std::vector<Parameter>& parameters) {
  TRY(send_gathered());
  TRY(send(sql, parameters));
  return collect();
}

Status Connection::finish() {
  if (lost_) return lost_error("before");
  if (sent_ == 0) return {};
  ASSIGN_OR_RETURN(const Answer ignored, collect());
  return {};
}

// The answer of the last statement that was sent, unless one before it failed.
Result<Answer> Connection::collect() {
  if (PQpipelineSync(db_.get()) != 1) return lose(said_by(db_.get()));
  Answer last;
  Status first;
  for (size_t i = 0; sent_ > 0; ++i, --sent_) {
    Status one = collect_one(last);
    if (lost_) return std::move(one).error();
    if (!first.ok() || one.ok()) continue;
    first = std::move(one);
    spoiled_ = spoiled_ || i < sent_kept_;
  }
  sent_kept_ = 0;
  sent_bytes_ = 0;
  owes_ = false;
  TRY(collect_sync());
  if (!first.ok()) return std::move(first).error();
  return last;
}

// All that one statement answers, and the end of it.
Status Connection::collect_one(Answer& kept) {
  Status outcome;
  while (true) {
    ASSIGN_OR_RETURN(Answer answer, next_answer());
    if (!answer) return outcome;
    const ExecStatusType status = PQresultStatus(answer.get());
    if (status == PGRES_FATAL_ERROR && outcome.ok()) {
      const char* state = PQresultErrorField(answer.get(), PG_DIAG_SQLSTATE);
      if (state == nullptr) return lose(said_by(db_.get()));
      last_state_ = state;
      outcome = sqlstate_error(state, said_by(answer.get()));
    } else if (status == PGRES_PIPELINE_ABORTED && outcome.ok()) {
      outcome = sqlstate_error("25P02", "not tried");
    } else {
      note(answer.get());
      kept = std::move(answer);
    }
  }
}

void Connection::note(const PGresult* answer) {
  last_state_.clear();
  if (PQresultStatus(answer) != PGRES_COMMAND_OK) return;
  // Also when the pooler, or a failed statement before it, made another thing of a COMMIT.
  changes_ += std::atoll(PQcmdTuples(const_cast<PGresult*>(answer)));
}

Status Connection::collect_sync() {
  ASSIGN_OR_RETURN(const Answer answer, next_answer());
  if (!answer || PQresultStatus(answer.get()) != PGRES_PIPELINE_SYNC)
    return lose("the pipeline is out of step");
  return {};
}

Result<Answer> Connection::next_answer() {
  while (PQisBusy(db_.get()) != 0) TRY(wait_readable());
  Answer answer(PQgetResult(db_.get()));
  if (PQstatus(db_.get()) == CONNECTION_BAD) return lose(said_by(db_.get()));
  return answer;
}

Status Connection::wait_readable() {
  const int unsent = PQflush(db_.get());
  if (unsent < 0) return lose(said_by(db_.get()));
  pollfd socket{PQsocket(db_.get()), POLLIN, 0};
  if (unsent > 0) socket.events |= POLLOUT;
  const int ready = ::poll(&socket, 1, answer_ms_);
  if (ready == 0) return lose("no answer in time");
  if (ready < 0) return errno == EINTR ? Status() : Status(lose("poll"));
  if (PQconsumeInput(db_.get()) != 1) return lose(said_by(db_.get()));
  return {};
}

void Connection::hang_up() const {
  if (line_.valid()) ::shutdown(line_.get(), SHUT_RDWR);
}

bool Connection::ended_by_server() {
  pollfd socket{PQsocket(db_.get()), POLLIN, 0};
  // Whatever a server says unasked is mostly its farewell, and another connection is cheap.
  if (::poll(&socket, 1, 0) != 0) lost_ = true;
  return lost_;
}

}  // namespace paddock::store::postgres
