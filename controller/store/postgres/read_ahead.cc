// Reads many rows with one question, runs together with their rows in other tables. Larger rows are
// left out, which bounds the answer: each of those is read by itself when it is needed.
#include <array>
#include <string>
#include <utility>

#include "common/base/text.h"
#include "common/contracts/run.h"
#include "controller/store/postgres/connection.h"

namespace paddock::store::postgres {

namespace {

constexpr int64_t kMostBytesOfOne{sql::ReadAhead::kMostBytesOfOne};

constexpr const char* kOfRuns =
    "SELECT o.kind, o.namespace, o.name, o.uid, o.id, o.resource_version, o.data, "
    "(SELECT max(e.id) FROM run_events e WHERE e.run_uid = o.uid), "
    "(SELECT string_agg(r.attempt || ' ' || r.last_seq, ' ') FROM run_output r "
    "WHERE r.run_uid = o.uid), "
    "EXISTS (SELECT 1 FROM tool_tokens t WHERE t.run_uid = o.uid), "
    "EXISTS (SELECT 1 FROM run_lines l WHERE l.run_uid = o.uid), "
    "EXISTS (SELECT 1 FROM sent_blobs s WHERE s.run_uid = o.uid) "
    "FROM objects o WHERE o.kind = 'Run' AND o.uid = ANY ($1) AND octet_length(o.data) <= $2";

constexpr const char* kOfObjects =
    "SELECT o.kind, o.namespace, o.name, o.uid, o.id, o.resource_version, o.data "
    "FROM unnest($1, $2, $3) AS wanted (kind, namespace, name) JOIN objects o "
    "ON o.kind = wanted.kind AND o.namespace = wanted.namespace AND o.name = wanted.name "
    "WHERE octet_length(o.data) <= $4";

std::string text_in(const PGresult* answer, int row, int column) {
  return std::string(bytes_in(answer, row, column));
}

// `1 7 2 30`: attempts, and of each the last chunk.
std::map<int64_t, int64_t> output_in(std::string_view words) {
  std::map<int64_t, int64_t> output;
  const std::vector<std::string> numbers = split(words, ' ');
  for (size_t i = 0; i + 1 < numbers.size(); i += 2)
    output[parse_integer<int64_t>(numbers[i]).value_or(0)] =
        parse_integer<int64_t>(numbers[i + 1]).value_or(0);
  return output;
}

sql::AheadRow row_in(const PGresult* answer, int row) {
  sql::AheadRow out;
  out.kind = text_in(answer, row, 0);
  out.key = {text_in(answer, row, 1), text_in(answer, row, 2)};
  out.uid = text_in(answer, row, 3);
  out.object_id = integer_in(answer, row, 4);
  out.resource_version = integer_in(answer, row, 5);
  out.data = text_in(answer, row, 6);
  return out;
}

// A word that the server would refuse is left out here: the request that needs it asks for it
// alone, and is refused there.
bool can_be_asked(const std::string& word) {
  return word.find('\0') == std::string::npos && is_utf8(word);
}

}  // namespace

Result<std::vector<sql::AheadRow>> Connection::read_runs(const std::vector<std::string>& uids) {
  std::vector<sql::AheadRow> rows;
  Array wanted;
  for (const std::string& uid : uids)
    if (can_be_asked(uid)) wanted.add(text(uid));
  if (wanted.bytes() == 0) return rows;
  const std::string encoded = wanted.encode();
  ASSIGN_OR_RETURN(const Answer answer,
                   ask(kOfRuns, {wanted.as_parameter(encoded), number(kMostBytesOfOne)}));
  for (int row = 0; row < PQntuples(answer.get()); ++row) {
    sql::AheadRow& made = rows.emplace_back(row_in(answer.get(), row));
    made.last_event = integer_in(answer.get(), row, 7);
    made.facts = sql::RunFacts{
        output_in(bytes_in(answer.get(), row, 8)), integer_in(answer.get(), row, 9) != 0,
        integer_in(answer.get(), row, 10) != 0, integer_in(answer.get(), row, 11) != 0};
  }
  return rows;
}

Result<std::vector<sql::AheadRow>> Connection::read_objects(const std::vector<NewObject>& objects) {
  std::vector<sql::AheadRow> rows;
  Array kinds;
  Array name_spaces;
  Array names;
  for (const NewObject& each : objects) {
    if (!can_be_asked(each.key.name_space) || !can_be_asked(each.key.name)) continue;
    kinds.add(text(each.kind));
    name_spaces.add(text(each.key.name_space));
    names.add(text(each.key.name));
  }
  if (kinds.bytes() == 0) return rows;
  const std::array<std::string, 3> encoded{kinds.encode(), name_spaces.encode(), names.encode()};
  ASSIGN_OR_RETURN(
      const Answer answer,
      ask(kOfObjects, {kinds.as_parameter(encoded[0]), name_spaces.as_parameter(encoded[1]),
                       names.as_parameter(encoded[2]), number(kMostBytesOfOne)}));
  for (int row = 0; row < PQntuples(answer.get()); ++row) rows.push_back(row_in(answer.get(), row));
  return rows;
}

}  // namespace paddock::store::postgres
