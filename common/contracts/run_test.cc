#include "common/contracts/run.h"

#include <gtest/gtest.h>

#include "common/contracts/fault_test_support.h"
#include "common/wire/json.h"
#include "common/wire/yaml.h"

namespace paddock::contracts {
namespace {

using Words = std::vector<std::string>;

Words words_of(std::string_view line) {
  auto words = split_command(line);
  return words.ok() ? *words : Words{cat("refused: ", words.error().reason)};
}
Result<Run> run_of(std::string_view yaml) {
  auto value = wire::parse_yaml(yaml);
  if (!value) return std::move(value).error();
  return wire::decode<Run>(*value);
}
// All of them, one behind the other.
std::string faults_of_spec(std::string_view spec) {
  const auto run = run_of(cat("{metadata: {name: a}, spec: {", spec, "}}"));
  std::vector<std::string> faults;
  for (const Cause& cause : run.ok() ? std::vector<Cause>() : run.error().causes)
    faults.push_back(cat(cause.field, ": ", word_of(cause.kind)));
  return join(faults, "; ");
}
std::string fault_of_spec(std::string_view spec) {
  const auto run = run_of(cat("{metadata: {name: a}, spec: {", spec, "}}"));
  return run.ok() ? "accepted" : first_fault(run.error());
}

TEST(SplitCommand, SplitsAtWhiteSpace) {
  EXPECT_EQ(words_of("python3 item_index_builder.py  --variant\ts2"),
            (Words{"python3", "item_index_builder.py", "--variant", "s2"}));
  EXPECT_EQ(words_of("  a \n b\r\n"), (Words{"a", "b"}));
  EXPECT_EQ(words_of(""), Words{});
}

TEST(SplitCommand, KeepsQuotedWordsTogether) {
  EXPECT_EQ(words_of(R"(a 'b c' "d e" f'g'"h" '' "")"), (Words{"a", "b c", "d e", "fgh", "", ""}));
  EXPECT_EQ(words_of(R"('a\b' "a\"b\\c\d" a\ b)"), (Words{"a\\b", "a\"b\\c\\d", "a b"}));
}

// proves partly: ORB-101
TEST(SplitCommand, ExpandsNothing) {
  EXPECT_EQ(words_of("echo $HOME ~ *.json {a,b} `id` $(id) a|b >x &"),
            (Words{"echo", "$HOME", "~", "*.json", "{a,b}", "`id`", "$(id)", "a|b", ">x", "&"}));
}

TEST(SplitCommand, RefusesWhatIsUnfinished) {
  for (const char* line : {"a 'b", "a \"b", "a \\"})
    EXPECT_EQ(words_of(line), (Words{"refused: COMMAND_INVALID"})) << line;
}

// proves partly: ELV-08, ELV-11
TEST(RunSpec, HasCodeInPlaceOfACommandAndChecksItsForm) {
  EXPECT_EQ(fault_of_spec("type: code, code: print(1)"), "accepted");
  EXPECT_EQ(fault_of_spec("type: code, code: print(1), inputData: null"), "accepted");
  EXPECT_EQ(fault_of_spec("type: compute"), "spec.command: required");
  EXPECT_EQ(fault_of_spec("type: test"), "spec.command: required");
  EXPECT_EQ(fault_of_spec("type: code, code: \"a\\0b\""), "spec.code: invalid");
  EXPECT_EQ(fault_of_spec("type: code, code: [a]"), "spec.code: wrong type");
  EXPECT_EQ(fault_of_spec(cat("type: code, code: ", std::string(100'000, 'a'))), "accepted");
  EXPECT_TRUE(fault_of_spec(cat("type: code, code: ", std::string(100'001, 'a')))
                  .starts_with("spec.code: "));
  for (const char* data : {"[1]", "text", "3", "true"})
    EXPECT_TRUE(fault_of_spec(cat("type: code, code: a, inputData: ", data))
                    .starts_with("spec.inputData: "))
        << data;
}

TEST(RunSpec, KeepsInputDataAsItIs) {
  constexpr const char* kData =
      R"({"a":{"b":[1,2.5,null,true,"é\u0001"]},"":{},"big":9223372036854775807,"z":[]})";
  const auto value = wire::parse_json(cat(
      R"({"metadata":{"name":"a"},"spec":{"type":"code","code":"x","inputData":)", kData, "}}"));
  const contracts::Run run = *wire::decode<contracts::Run>(*value);
  EXPECT_EQ(wire::to_json(*run.spec.input_data), kData);
  const contracts::Run again = *wire::decode<contracts::Run>(wire::encode(run));
  EXPECT_EQ(again.spec.input_data, run.spec.input_data);
  EXPECT_EQ(wire::encode(run).at("spec.command"), nullptr);
}

TEST(RunSpec, SaysWhatARunExecutesAndNeverTheCode) {
  RunSpec spec;
  spec.command.argv = {"python3", "s.py"};
  EXPECT_EQ(command_text(spec), "python3 s.py");
  spec.type = RunType::kCode;
  spec.code = "hunter2";
  EXPECT_EQ(command_text(spec), "code of 7 bytes");
}

TEST(Command, KeepsTheFormInWhichItWasSent) {
  const auto text =
      run_of("{metadata: {name: a}, spec: {type: compute, command: \"python3 'a b.py'\"}}");
  ASSERT_TRUE(text.ok()) << text.error().describe();
  EXPECT_EQ(text->spec.command.argv, (Words{"python3", "a b.py"}));
  EXPECT_EQ(text->spec.command.encode_value(), wire::Value("python3 'a b.py'"));
  const auto list =
      run_of("{metadata: {name: a}, spec: {type: compute, command: [python3, \"a b.py\"]}}");
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->spec.command.argv, (Words{"python3", "a b.py"}));
}

TEST(Command, RefusesWhatCannotBeExecuted) {
  EXPECT_EQ(fault_of_spec("type: compute, command: []"), "spec.command: invalid");
  EXPECT_EQ(fault_of_spec("type: compute, command: [\"\"]"), "spec.command[0]: invalid");
  EXPECT_EQ(fault_of_spec("type: compute, command: '  '"), "spec.command: invalid");
  EXPECT_EQ(fault_of_spec("type: compute, command: [a, 1]"), "spec.command[1]: wrong type");
  EXPECT_EQ(fault_of_spec("type: compute, command: {a: b}"), "spec.command: wrong type");
  EXPECT_EQ(fault_of_spec("type: compute, command: [a, \"b\\0c\"]"), "spec.command[1]: invalid");
  EXPECT_EQ(fault_of_spec("type: compute, command: \"a 'b\""), "spec.command: invalid");
}

// As other lists do.
TEST(Command, NamesEachWordThatIsWrong) {
  EXPECT_EQ(faults_of_spec(R"(type: compute, command: ["", 1, b, "c\0", [d]], timout: 3m)"),
            "spec.timout: invalid; spec.command[0]: invalid; spec.command[1]: wrong type; "
            "spec.command[3]: invalid; spec.command[4]: wrong type");
  EXPECT_EQ(faults_of_spec("type: compute, command: [1]"), "spec.command[0]: wrong type");
  EXPECT_EQ(faults_of_spec("type: compute, command: []"), "spec.command: invalid");
}

TEST(Run, NamesEveryFaultOfASpec) {
  EXPECT_EQ(fault_of_spec("command: [a]"), "spec.type: required");
  EXPECT_EQ(fault_of_spec("type: dance, command: [a]"), "spec.type: not supported");
  EXPECT_EQ(fault_of_spec("type: compute, command: [a], timout: 3m"), "spec.timout: invalid");
  EXPECT_EQ(fault_of_spec("type: compute, command: [a], priority: 1001"), "spec.priority: invalid");
  EXPECT_EQ(fault_of_spec("type: compute, command: [a], priority: 1000"), "accepted");
  EXPECT_EQ(fault_of_spec("type: compute, command: [a], resources: {cpu: 0}"),
            "spec.resources.cpu: invalid");
  EXPECT_EQ(fault_of_spec("type: compute, command: [a], resources: {cpu: 1}"), "accepted");
  EXPECT_EQ(fault_of_spec("type: compute, command: [a], resources: {accelerators: {kind: tpu}}"),
            "spec.resources.accelerators.kind: not supported");
  EXPECT_EQ(fault_of_spec("type: compute, command: [a], mediaExecution: {}"),
            "spec.mediaExecution.mode: invalid");
}

// Now is an answer to how long somebody waits, and none to how long a run may take.
TEST(Run, WaitsForNothingWhereItSaysSo) {
  for (const char* field : {"terminationGrace: 0s", "terminationGrace: \"0\"",
                            "retry: {backoff: 0s}", "retry: {backoff: 0s, maxBackoff: 0s}"})
    EXPECT_EQ(fault_of_spec(cat("type: compute, command: [a], ", field)), "accepted") << field;
  for (const char* field : {"timeout: 0s", "deadline: 0s", "terminationGrace: 0",
                            "terminationGrace: -1s", "retry: {backoff: -1s}"})
    EXPECT_NE(fault_of_spec(cat("type: compute, command: [a], ", field)), "accepted") << field;
}

TEST(Run, EncodesToWhatItWasDecodedFrom) {
  const auto run = run_of(
      R"({metadata: {name: a, namespace: b}, spec: {type: compute, command: [x], timeout: 1m30s, terminationGrace: 0s}})");
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->spec.termination_grace, wire::Wait{});
  const auto again = wire::decode<contracts::Run>(*wire::parse_json(wire::encode_json(*run)));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(wire::encode(*again), wire::encode(*run));
  EXPECT_EQ(again->api_version, "paddock.dev/v1alpha1");
}

}  // namespace
}  // namespace paddock::contracts
