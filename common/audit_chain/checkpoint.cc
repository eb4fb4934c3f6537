#include "common/audit_chain/checkpoint.h"

#include "common/base/text.h"
#include "common/contracts/tree.h"
#include "common/receipts/envelope.h"
#include "common/wire/json.h"

namespace paddock::audit_chain {
namespace {

using wire::Value;

constexpr std::string_view kRecord = "audit/";

Error malformed(std::string_view why) {
  return invalid_argument("AUDIT_CHECKPOINT_MALFORMED", cat("this is no checkpoint: ", why));
}

// The one subject of the statement: `audit/1200` and its link.
Result<contracts::ChainPlace> place_in(const Value& statement) {
  const Value* subjects = statement.find("subject");
  if (subjects == nullptr || subjects->array() == nullptr || subjects->array()->size() != 1)
    return malformed("it names no record");
  const Value& subject = subjects->array()->front();
  const std::string name = subject.text("name");
  const auto id = name.starts_with(kRecord)
                      ? parse_integer<int64_t>(std::string_view(name).substr(kRecord.size()))
                      : std::nullopt;
  std::string hash = subject.text("digest.sha256");
  if (!id || *id < 0 || !contracts::is_digest(hash)) return malformed("it names no record");
  return contracts::ChainPlace{*id, std::move(hash)};
}

// As the store has it, damage and all: the export that begins there is what is verified.
Result<std::optional<contracts::ChainPlace>> forgotten_in(const Value& statement) {
  const Value* forgotten = statement.at("predicate.forgotten");
  if (forgotten == nullptr) return std::optional<contracts::ChainPlace>();
  auto place = wire::decode<contracts::ChainPlace>(*forgotten);
  if (!place.ok()) return malformed("it does not name the record that was forgotten last");
  return std::optional(std::move(*place));
}

Result<Checkpoint> checkpoint_in(std::string_view text) {
  const Result<Value> statement = wire::parse_json(text);
  if (!statement.ok()) return malformed("what was signed is not JSON");
  if (statement->text("_type") != contracts::kStatementType ||
      statement->text("predicateType") != contracts::kCheckpointPredicate)
    return malformed("something else was signed");
  Checkpoint out;
  ASSIGN_OR_RETURN(out.place, place_in(*statement));
  const auto time = parse_time(statement->text("predicate.time"));
  if (!time) return malformed("it has no time");
  out.time = *time;
  ASSIGN_OR_RETURN(out.forgotten, forgotten_in(*statement));
  return out;
}

}  // namespace

Value statement(const Checkpoint& checkpoint) {
  const Value digest(Value::Object{{"sha256", checkpoint.place.hash}});
  const Value subject(
      Value::Object{{"name", cat(kRecord, checkpoint.place.id)}, {"digest", digest}});
  Value::Object predicate{{"time", format_time(checkpoint.time)}};
  if (checkpoint.forgotten)
    predicate.emplace_back("forgotten", wire::encode(*checkpoint.forgotten));
  return Value::Object{
      {"_type", contracts::kStatementType},
      {"subject", Value::Array{subject}},
      {"predicateType", contracts::kCheckpointPredicate},
      {"predicate", std::move(predicate)},
  };
}

Result<Checkpoint> open_checkpoint(const Value& envelope,
                                   const std::vector<std::string>& public_pems) {
  const auto decoded = wire::decode<contracts::ReceiptEnvelope>(envelope);
  if (!decoded.ok()) return malformed(decoded.error().message);
  auto opened = receipts::open_receipt(*decoded, public_pems);
  if (!opened.ok() && opened.error().reason == "RECEIPT_MALFORMED")
    return malformed(opened.error().message);
  if (!opened.ok()) return opened.error();
  ASSIGN_OR_RETURN(Checkpoint out, checkpoint_in(opened->statement));
  out.key_id = opened->key_id;
  return out;
}

}  // namespace paddock::audit_chain
