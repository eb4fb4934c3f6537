// Statements and values, in PostgreSQL's binary form.
#include <cstdlib>
#include <utility>

#include "common/base/text.h"
#include "controller/store/postgres/connection.h"
#include "controller/store/postgres/dialect.h"
#include "controller/store/postgres/errors.h"

namespace paddock::store::postgres {

namespace {

// Refuses here what the server would refuse only later, when other statements would fail with it.
Status check_texts(const std::vector<Parameter>& values) {
  for (const Parameter& each : values) {
    if (each.type != kTextType || each.null) continue;
    if (each.text.find('\0') != std::string_view::npos || !is_utf8(each.text))
      return sqlstate_error("22021", "a text with a NUL, or not in UTF-8: it was not sent");
  }
  return {};
}

}  // namespace

// Reads an integer of any width, since counts, booleans and literals are not all as wide as a
// column.
int64_t integer_in(const PGresult* answer, int row, int column) {
  const std::string_view bytes = bytes_in(answer, row, column);
  if (bytes.empty()) return 0;
  auto bits = static_cast<uint64_t>(static_cast<int64_t>(static_cast<signed char>(bytes[0])));
  for (const char byte : bytes.substr(1)) bits = bits << 8 | static_cast<unsigned char>(byte);
  return static_cast<int64_t>(bits);
}

std::string_view bytes_in(const PGresult* answer, int row, int column) {
  if (PQgetisnull(answer, row, column) != 0) return {};
  return {PQgetvalue(answer, row, column), static_cast<size_t>(PQgetlength(answer, row, column))};
}

void PgStatement::begin(Connection* connection, const char* sql) {
  connection_ = connection;
  if (!sql_.empty()) return;
  many_ = as_row_write(sql);
  Translated translated = translate(sql);
  sql_ = std::move(translated.sql);
  parameters_ = translated.parameters;
}

void PgStatement::bind_integer(int64_t value) { bound_.push_back(number(value)); }
void PgStatement::bind_text(std::string_view value) { bound_.push_back(text(value)); }
void PgStatement::bind_blob(std::string_view value) {
  bound_.push_back({kBytesType, false, {}, value});
}
void PgStatement::bind_null() { bound_.push_back({kIntegerType, true, {}, {}}); }

Result<bool> PgStatement::step() {
  if (!answer_) {
    bound_.resize(parameters_, Parameter{kTextType, true, {}, {}});
    TRY(check_texts(bound_));
    ASSIGN_OR_RETURN(answer_, connection_->ask(sql_, bound_));
    const char* count = PQcmdTuples(answer_.get());
    changed_ = PQresultStatus(answer_.get()) == PGRES_COMMAND_OK ? std::atoll(count) : 0;
  }
  return ++row_ < PQntuples(answer_.get());
}

Status PgStatement::run_soon() {
  bound_.resize(parameters_, Parameter{kTextType, true, {}, {}});
  TRY(check_texts(bound_));
  if (many_ && connection_->gathers()) return connection_->write_soon(*many_, bound_);
  return connection_->soon(sql_, bound_);
}

int64_t PgStatement::integer(int column) const { return integer_in(answer_.get(), row_, column); }

bool PgStatement::is_null(int column) const {
  return PQgetisnull(answer_.get(), row_, column) != 0;
}

std::string_view PgStatement::bytes(int column) const {
  return bytes_in(answer_.get(), row_, column);
}

void PgStatement::reset() {
  bound_.clear();
  answer_.reset();
  row_ = -1;
}

}  // namespace paddock::store::postgres
