#include "common/audit_chain/export_lines.h"

#include "common/base/text.h"
#include "common/wire/json.h"

namespace paddock::audit_chain {
namespace {

using wire::Value;

constexpr const char* kAnchor = "auditExportBehind";
constexpr const char* kCheckpoint = "checkpoint";

// The lines of a file, counted.
class Lines {
 public:
  explicit Lines(const NextLine& next) : next_(next) {}

  Error malformed(std::string_view why) const {
    return invalid_argument("AUDIT_EXPORT_MALFORMED",
                            cat("line ", number_, " is no line of an export: ", why));
  }
  Result<std::optional<Value>> next() {
    ++number_;
    ASSIGN_OR_RETURN(const std::optional<std::string> text, next_());
    if (!text) return std::optional<Value>();
    Result<Value> parsed = wire::parse_json(*text);
    if (!parsed.ok()) return malformed(parsed.error().message);
    return std::optional<Value>(std::move(*parsed));
  }
  template <class T>
  Result<T> decode(const Value& value) const {
    auto decoded = wire::decode<T>(value);
    if (!decoded.ok()) return malformed(decoded.error().message);
    return decoded;
  }

 private:
  const NextLine& next_;
  int64_t number_ = 0;
};

Error cut_off() {
  return {Code::kFailedPrecondition, "AUDIT_EXPORT_CUT",
          "the export has no checkpoint as its last line: it was cut off, or never whole"};
}

Result<ChainPlace> read_anchor(Lines& lines) {
  ASSIGN_OR_RETURN(const std::optional<Value> first, lines.next());
  const Value* anchor = first ? first->find(kAnchor) : nullptr;
  if (anchor == nullptr) return lines.malformed("the first one says what it begins behind");
  return lines.decode<ChainPlace>(*anchor);
}

// Hands each record on, until the checkpoint, which is the answer.
Result<Value> read_records(Lines& lines, Verifier& verifier) {
  while (true) {
    ASSIGN_OR_RETURN(const std::optional<Value> line, lines.next());
    if (!line) return cut_off();
    if (const Value* checkpoint = line->find(kCheckpoint)) return *checkpoint;
    ASSIGN_OR_RETURN(const auto record, lines.decode<ChainedRecord>(*line));
    verifier.take(record);
  }
}

Error not_the_end(const Checkpoint& end, const ChainPlace& last) {
  return {Code::kFailedPrecondition, "AUDIT_END_MISSING",
          cat("the export's checkpoint is of record ", end.place.id, ", and its last record is ",
              last.id)};
}

std::string forgotten_to(const ChainPlace& forgotten) {
  return forgotten.id == 0 ? "none was forgotten"
                           : cat("all to record ", forgotten.id, " were forgotten");
}

// The links show all that stands behind the first line, and only the signature that nothing was
// cut off before it. An older controller signed no beginning.
Status begins_as_signed(const ChainPlace& anchor, const Checkpoint& end) {
  if (!end.forgotten || anchor == *end.forgotten) return {};
  const ChainPlace& forgotten = *end.forgotten;
  if (forgotten.id < anchor.id)
    return Error{Code::kFailedPrecondition, "AUDIT_RECORD_MISSING",
                 cat(forgotten.id + 1 == anchor.id
                         ? cat("record ", anchor.id, " is")
                         : cat("records ", forgotten.id + 1, " to ", anchor.id, " are"),
                     " missing at the beginning: when the export's checkpoint was signed, ",
                     forgotten_to(forgotten))};
  return Error{Code::kFailedPrecondition, "AUDIT_ANCHOR_WRONG",
               cat("the export begins behind record ", anchor.id,
                   ", and not where its checkpoint says: ", forgotten_to(forgotten))};
}

}  // namespace

std::string first_line(const ChainPlace& anchor) {
  return cat(wire::to_json(Value::Object{{kAnchor, wire::encode(anchor)}}), "\n");
}

std::string record_line(const ChainedRecord& record) {
  return cat(wire::encode_json(record), "\n");
}

std::string last_line(const Value& checkpoint) {
  return cat(wire::to_json(Value::Object{{kCheckpoint, checkpoint}}), "\n");
}

Result<ExportVerdict> verify_export(const NextLine& next_line,
                                    const std::vector<std::string>& public_pems,
                                    const std::vector<ChainPlace>& expected) {
  Lines lines(next_line);
  ASSIGN_OR_RETURN(ChainPlace anchor, read_anchor(lines));
  Verifier verifier(std::move(anchor));
  for (const ChainPlace& place : expected) verifier.expect(place);
  const Result<Value> envelope = read_records(lines, verifier);
  // What is wrong with a record says more than that the file ends early.
  const bool cut = !envelope.ok() && envelope.error().reason == "AUDIT_EXPORT_CUT";
  if (!envelope.ok() && !cut) return envelope.error();
  ExportVerdict out;
  ASSIGN_OR_RETURN(out.chain, verifier.finish());
  if (cut) return envelope.error();
  ASSIGN_OR_RETURN(out.end, open_checkpoint(*envelope, public_pems));
  if (out.end.place.id != out.chain.last.id) return not_the_end(out.end, out.chain.last);
  verifier.expect(out.end.place);
  TRY(verifier.finish());
  TRY(begins_as_signed(out.chain.anchor, out.end));
  ASSIGN_OR_RETURN(const std::optional<Value> more, lines.next());
  if (more) return lines.malformed("it stands behind the checkpoint");
  return out;
}

}  // namespace paddock::audit_chain
