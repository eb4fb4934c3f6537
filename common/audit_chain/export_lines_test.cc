// Exports and checkpoints as files in the hands of others.
#include "common/audit_chain/export_lines.h"

#include <gtest/gtest.h>

#include "common/audit_chain/chain_test_support.h"
#include "common/crypto/digest.h"
#include "common/crypto/signing.h"
#include "common/receipts/envelope.h"
#include "common/wire/json.h"

namespace paddock::audit_chain {
namespace {

const std::string kKey = crypto::make_signing_key();
const std::string kShown = *crypto::public_key_of(kKey);
constexpr WallTime kNow{1'750'000'000'000};

wire::Value signed_place(const ChainPlace& place, const std::string& key = kKey,
                         const std::optional<ChainPlace>& forgotten = {}) {
  const wire::Value said = statement({place, kNow, forgotten});
  return wire::encode(*receipts::sign_statement(wire::to_json(said), key));
}

using Lines = std::vector<std::string>;

// As a controller prints it, or one of before checkpoints said what was forgotten.
Lines lines_of(const Chain& chain, const std::string& key = kKey, bool signs_beginning = true) {
  Lines lines{first_line(chain.anchor)};
  for (const ChainedRecord& record : chain.records) lines.push_back(record_line(record));
  const ChainPlace last = chain.records.empty()
                              ? chain.anchor
                              : ChainPlace{chain.records.back().id, chain.records.back().hash};
  lines.push_back(last_line(
      signed_place(last, key, signs_beginning ? std::optional(chain.anchor) : std::nullopt)));
  return lines;
}

std::string said(const Lines& lines, const std::vector<ChainPlace>& expected = {}) {
  size_t next = 0;
  const auto verdict = verify_export(
      [&]() -> Result<std::optional<std::string>> {
        if (next == lines.size()) return std::optional<std::string>();
        return std::optional(lines[next++]);
      },
      {kShown}, expected);
  return verdict.ok() ? cat("holds to ", verdict->chain.last.id)
                      : cat(verdict.error().reason.text(), ": ", verdict.error().message);
}

void expect_said(const Lines& lines, std::string_view begin) {
  EXPECT_EQ(said(lines).substr(0, begin.size()), begin) << said(lines);
}

TEST(Export, HoldsAsItWasPrinted) {
  EXPECT_EQ(said(lines_of(make_chain(5))), "holds to 5");
  EXPECT_EQ(said(lines_of(make_chain(0))), "holds to 0");
  EXPECT_EQ(said(lines_of(behind(make_chain(5), 2))), "holds to 5");
}

TEST(Export, IsRefusedWhenALineWasChanged) {
  const Lines whole = lines_of(make_chain(5));
  Lines lines = whole;
  lines[3].replace(lines[3].find("test."), 5, "best.");
  expect_said(lines, "AUDIT_RECORD_CHANGED: record 3");
  lines = whole;
  lines.erase(lines.begin() + 3);
  expect_said(lines, "AUDIT_RECORD_MISSING: record 3");
  lines = whole;
  std::swap(lines[2], lines[3]);
  expect_said(lines, "AUDIT_RECORD_MISSING: record 2");
  lines = whole;
  lines.insert(lines.begin() + 3, "{}\n");
  expect_said(lines, "AUDIT_EXPORT_MALFORMED: line 4 ");
  lines[3] = "not JSON\n";
  expect_said(lines, "AUDIT_EXPORT_MALFORMED: line 4 ");
}

TEST(Export, IsRefusedWhateverByteWasChanged) {
  const Lines whole = lines_of(behind(make_chain(3), 1));
  for (size_t line = 0; line < whole.size(); ++line) {
    for (size_t at = 0; at + 1 < whole[line].size(); ++at) {  // but the line's end
      for (const int bits : {1, 2, 32}) {
        Lines lines = whole;
        lines[line][at] = static_cast<char>(lines[line][at] ^ bits);
        EXPECT_NE(said(lines).substr(0, 5), "holds") << lines[line];
      }
    }
  }
}

TEST(Export, HasAnEnd) {
  const Lines whole = lines_of(make_chain(5));
  Lines lines(whole.begin(), whole.end() - 1);
  expect_said(lines, "AUDIT_EXPORT_CUT");
  lines = whole;
  lines.erase(lines.end() - 2);
  expect_said(lines, "AUDIT_END_MISSING: the export's checkpoint is of record 5");
  lines = whole;
  lines.push_back(whole[1]);
  expect_said(lines, "AUDIT_EXPORT_MALFORMED: line 8 ");
  expect_said({}, "AUDIT_EXPORT_MALFORMED: line 1 ");
  expect_said(Lines(whole.begin() + 1, whole.end()), "AUDIT_EXPORT_MALFORMED: line 1 ");
}

// Who does not have the controller's key cannot write the whole of it anew.
TEST(Export, WrittenAnewIsNotSigned) {
  const Lines whole = lines_of(make_chain(5));
  Lines anew = lines_of(make_chain(5, "another past"), crypto::make_signing_key());
  expect_said(anew, "RECEIPT_KEY_UNKNOWN");
  anew.back() = whole.back();
  expect_said(anew, "AUDIT_CHECKPOINT_DIFFERS: record 5");
  EXPECT_EQ(said(whole, {{3, make_chain(3).records[2].hash}}), "holds to 5");
  EXPECT_EQ(said(whole, {{7, contracts::kNoLink}}).substr(0, 24), "AUDIT_CHECKPOINT_MISSING");
}

// Its first lines, as if all to record `id` had been forgotten.
Lines cut_before(const Lines& whole, const Chain& chain, int64_t id) {
  Lines lines{first_line(behind(chain, id).anchor)};
  lines.insert(lines.end(), whole.begin() + 1 + (id - chain.anchor.id), whole.end());
  return lines;
}

TEST(Export, HasABeginning) {
  const Chain chain = make_chain(5);
  const Lines whole = lines_of(chain);
  expect_said(cut_before(whole, chain, 1), "AUDIT_RECORD_MISSING: record 1 is missing");
  expect_said(cut_before(whole, chain, 2), "AUDIT_RECORD_MISSING: records 1 to 2 are missing");
  expect_said(cut_before(whole, chain, 5), "AUDIT_RECORD_MISSING: record 5 is missing");
  const ChainPlace kept{3, chain.records[2].hash};
  EXPECT_EQ(said(cut_before(whole, chain, 2), {kept}).substr(0, 20), "AUDIT_RECORD_MISSING");
}

TEST(Export, OfWhichSomeWereForgottenHasTheBeginningThatWasSigned) {
  const Chain chain = make_chain(5);
  const Chain later = behind(chain, 2);
  const Lines whole = lines_of(later);
  EXPECT_EQ(said(whole), "holds to 5");
  expect_said(cut_before(whole, later, 3), "AUDIT_RECORD_MISSING: record 3 is missing");
  Lines longer = lines_of(chain);
  longer.back() = whole.back();
  expect_said(longer, "AUDIT_ANCHOR_WRONG: the export begins behind record 0");
}

TEST(Export, OfAnOlderControllerHasAnEndThatIsSigned) {
  const Chain chain = make_chain(5);
  const Lines whole = lines_of(chain, kKey, false);
  EXPECT_EQ(said(whole), "holds to 5");
  EXPECT_EQ(said(cut_before(whole, chain, 2)), "holds to 5") << "the verdict says it is unsigned";
  expect_said(cut_before(whole, chain, 5), "AUDIT_RECORD_MISSING: record 5 is missing");
}

std::string opened(const wire::Value& envelope) {
  const auto checkpoint = open_checkpoint(envelope, {kShown});
  return checkpoint.ok() ? cat(checkpoint->place.id, " ", checkpoint->place.hash)
                         : checkpoint.error().reason.str();
}

TEST(Checkpoint, SaysAPlaceAndATime) {
  const ChainPlace place{7, crypto::sha256_hex("x")};
  EXPECT_EQ(opened(signed_place(place)), cat("7 ", place.hash));
  EXPECT_EQ(open_checkpoint(signed_place(place), {kShown})->time.ms, kNow.ms);
  EXPECT_EQ(opened(signed_place({0, contracts::kNoLink})), cat("0 ", contracts::kNoLink));
  EXPECT_FALSE(open_checkpoint(signed_place(place), {kShown})->forgotten);
  const ChainPlace forgotten{3, crypto::sha256_hex("y")};
  EXPECT_EQ(open_checkpoint(signed_place(place, kKey, forgotten), {kShown})->forgotten, forgotten);
}

TEST(Checkpoint, IsNothingElseThatTheKeySigned) {
  const auto of = [](std::string_view text) {
    return opened(wire::encode(*receipts::sign_statement(text, kKey)));
  };
  const std::string good =
      wire::to_json(statement({{7, crypto::sha256_hex("x")}, kNow, ChainPlace()}));
  EXPECT_EQ(of(good).substr(0, 2), "7 ");
  for (const auto& [old, with] :
       std::vector<std::pair<std::string, std::string>>{{"audit-checkpoint/v1", "run-receipt/v1"},
                                                        {"audit/7", "audit/-7"},
                                                        {"audit/7", "audit/7x"},
                                                        {"audit/7", "artifacts/7"},
                                                        {"\"sha256\"", "\"sha512\""},
                                                        {"\"time\"", "\"when\""},
                                                        {"\"id\"", "\"upTo\""}}) {
    std::string text = good;
    ASSERT_NE(text.find(old), std::string::npos) << old;
    text.replace(text.find(old), old.size(), with);
    EXPECT_EQ(of(text), "AUDIT_CHECKPOINT_MALFORMED") << with;
  }
  EXPECT_EQ(of("no JSON"), "AUDIT_CHECKPOINT_MALFORMED");
  EXPECT_EQ(opened(wire::Value::Object{}), "AUDIT_CHECKPOINT_MALFORMED");
}

}  // namespace
}  // namespace paddock::audit_chain
