#include <string_view>
#include <utility>

#include "controller/store/follow.h"
#include "controller/store/postgres/looking.h"

namespace paddock::store {
namespace {

using postgres::Answer;
using postgres::bytes_in;
using postgres::integer_in;

// One snapshot: a row for each change, or a single one with nothing but the newest number. Each has
// two texts of an object, and all of one answer lie in memory.
constexpr const char* kNews =
    "SELECT n.newest, c.resource_version, c.kind, c.namespace, c.name, c.op, t.before, t.after, "
    "n.mark FROM (SELECT coalesce(max(resource_version), 0) AS newest, "
    "coalesce((SELECT mark FROM paddock_followed), '') AS mark FROM changes) n LEFT JOIN "
    "(SELECT * FROM changes WHERE resource_version > $1 ORDER BY resource_version LIMIT 32) c "
    "ON true LEFT JOIN paddock_change_texts t USING (resource_version) ORDER BY 2";

ObjectWrite::Op op_of(std::string_view name) {
  if (name == "create") return ObjectWrite::Op::kCreate;
  return name == "delete" ? ObjectWrite::Op::kDelete : ObjectWrite::Op::kUpdate;
}

ObjectWrite write_in(const PGresult* rows, int i) {
  ObjectWrite out;
  out.resource_version = integer_in(rows, i, 1);
  out.kind = bytes_in(rows, i, 2);
  out.key = {std::string(bytes_in(rows, i, 3)), std::string(bytes_in(rows, i, 4))};
  out.op = op_of(bytes_in(rows, i, 5));
  out.before = bytes_in(rows, i, 6);
  out.after = bytes_in(rows, i, 7);
  return out;
}

class PgChangeFeed final : public ChangeFeed {
 public:
  explicit PgChangeFeed(postgres::Target target) : looking_(std::move(target)) {}

  Status follow() override {
    ASSIGN_OR_RETURN(postgres::Connection* const db, looking_.connect());
    TRY(db->ask(
        "INSERT INTO paddock_followed (one, until, mark) VALUES (1, clock_timestamp() + interval "
        "'30 seconds', gen_random_uuid()::text) ON CONFLICT (one) DO UPDATE SET "
        "until = excluded.until"));
    return {};
  }

  // Each number is given once and none is left out, so one that is missing was forgotten.
  Result<News> after(int64_t resource_version) override {
    ASSIGN_OR_RETURN(postgres::Connection* const db, looking_.connect());
    ASSIGN_OR_RETURN(const Answer rows, db->ask(kNews, {postgres::number(resource_version)}));
    News news;
    for (int i = 0; i < PQntuples(rows.get()); ++i) {
      news.newest = integer_in(rows.get(), i, 0);
      if (PQgetisnull(rows.get(), i, 1) != 0) break;
      const bool kept = PQgetisnull(rows.get(), i, 6) == 0;
      news.whole = kept && integer_in(rows.get(), i, 1) == resource_version + i + 1;
      if (!news.whole) break;
      news.changes.push_back(write_in(rows.get(), i));
    }
    // The mark goes with what is not logged. Where there is another one, the server crashed, or one
    // took over that may lack the last changes and gives their numbers again; a pooler may have
    // hidden that. While there is none, no new change has a text.
    const std::string mark(bytes_in(rows.get(), 0, 8));
    const bool same = mark_.empty() || mark.empty() || mark == mark_;
    news.whole = news.whole && same && news.newest >= resource_version;
    if (!news.whole || !mark.empty()) mark_ = mark;
    return news;
  }

 private:
  postgres::Looking looking_;
  std::string mark_;  // as it was seen last
};

}  // namespace

Result<std::unique_ptr<ChangeFeed>> ChangeFeed::open(const PostgresOptions& options) {
  ASSIGN_OR_RETURN(postgres::Target target, postgres::parse_target(options.url));
  return std::unique_ptr<ChangeFeed>(new PgChangeFeed(std::move(target)));
}

}  // namespace paddock::store
