#include "controller/store/lead_watch.h"

#include <utility>

#include "common/base/text.h"
#include "controller/store/postgres/leadership.h"
#include "controller/store/postgres/looking.h"
#include "controller/store/postgres/schema.h"

namespace paddock::store {
namespace {

using postgres::Answer;
using postgres::bytes_in;
using postgres::Connection;
using postgres::integer_in;

class PgLeadWatch final : public LeadWatch {
 public:
  PgLeadWatch(postgres::Target target, std::string holder)
      : looking_(std::move(target)), holder_(std::move(holder)) {}

  Result<Lead> look() override {
    auto lead = look_once();
    if (lead.ok() || lead.error().reason != "STORE_INTERNAL" || !has_tables_) return lead;
    has_tables_ = false;  // they may be gone since: the store was moved away
    return look_once();
  }

  Result<std::vector<std::string>> token_hashes(const std::string& subject) override {
    ASSIGN_OR_RETURN(Connection* const db, looking_.connect());
    ASSIGN_OR_RETURN(const Answer rows,
                     db->ask("SELECT hash FROM tokens WHERE subject = $1 AND revoked = 0",
                             {postgres::text(subject)}));
    std::vector<std::string> out;
    for (int i = 0; i < PQntuples(rows.get()); ++i) out.emplace_back(bytes_in(rows.get(), i, 0));
    return out;
  }

  Result<std::string> setting(const std::string& key) override {
    ASSIGN_OR_RETURN(Connection* const db, looking_.connect());
    ASSIGN_OR_RETURN(const Answer row,
                     db->ask("SELECT value FROM settings WHERE key = $1", {postgres::text(key)}));
    return PQntuples(row.get()) > 0 ? std::string(bytes_in(row.get(), 0, 0)) : std::string();
  }

 private:
  Result<Lead> look_once() {
    ASSIGN_OR_RETURN(Connection* const db, looking_.connect());
    if (!has_tables_) {
      ASSIGN_OR_RETURN(const Answer found, db->ask("SELECT to_regclass('paddock_leader') IS NOT "
                                                   "NULL AND to_regclass('settings') IS NOT NULL"));
      has_tables_ = integer_in(found.get(), 0, 0) != 0;
    }
    if (!has_tables_) return Lead{};
    ASSIGN_OR_RETURN(
        const Answer row,
        db->ask(cat("SELECT epoch, holder, holder_name, ", postgres::kLeftMs,
                    ", (SELECT value FROM settings WHERE key = $1), (extract(epoch FROM "
                    "clock_timestamp()) * 1000)::bigint, schema_version FROM paddock_leader"),
                {postgres::text(kLeaderUrlSetting)}));
    if (PQntuples(row.get()) != 1) return Lead{};
    Lead lead;
    const std::string_view holder = bytes_in(row.get(), 0, 1);
    lead.epoch = integer_in(row.get(), 0, 0);
    lead.leader = bytes_in(row.get(), 0, 2);
    lead.left = Millis(integer_in(row.get(), 0, 3));
    lead.url = bytes_in(row.get(), 0, 4);
    lead.clock = WallTime{integer_in(row.get(), 0, 5)};
    const int64_t schema = integer_in(row.get(), 0, 6);
    if (schema > postgres::schema_version()) lead.unusable = postgres::schema_too_new(schema);
    lead.ours = !holder.empty() && instance_of(holder) == instance_of(holder_);
    lead.anew = holder.empty() || is_holder(holder, holder_);
    lead.free = lead.anew || lead.left == Millis(0);
    return lead;
  }

  postgres::Looking looking_;
  const std::string holder_;
  bool has_tables_ = false;
};

}  // namespace

Result<std::unique_ptr<LeadWatch>> LeadWatch::open(const PostgresOptions& options) {
  ASSIGN_OR_RETURN(postgres::Target target, postgres::parse_target(options.url));
  return std::unique_ptr<LeadWatch>(new PgLeadWatch(std::move(target), options.holder));
}

}  // namespace paddock::store
