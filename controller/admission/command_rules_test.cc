#include "controller/admission/command_rules.h"

#include <gtest/gtest.h>

#include "common/contracts/run.h"

namespace paddock::admission {
namespace {

const FileNames kFiles = {"s.py",     "s.js", "build.sh", "tools/run.py", "requirements.txt",
                          "script.py"};

std::vector<std::string> words(const std::string& line) {
  return contracts::split_command(line).value();
}

bool refused_for(const std::vector<std::string>& argv, const std::string& reason) {
  for (const Refusal& refusal : check_command(argv, kFiles)) {
    if (refusal.reason == reason) return true;
  }
  return false;
}

void expect_accepted(const std::string& line) {
  const auto refusals = check_command(words(line), kFiles);
  EXPECT_TRUE(refusals.empty()) << line << ": " << refusals[0].message;
}

// proves: ORB-69, ORB-70, ORB-71, ORB-72
TEST(CommandRules, AcceptTheFourInterpretersByTheirExactNamesOnly) {
  for (const char* line : {"python3 s.py", "python s.py", "node s.js", "bash build.sh"})
    expect_accepted(line);
  for (const std::string name : {"python3", "python", "node", "bash"}) {
    std::string upper = name;
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    for (const std::string& other :
         {"/usr/bin/" + name, "./" + name, upper, name + "3x", " " + name, name + " "}) {
      EXPECT_TRUE(refused_for({other, "s.py"}, "COMMAND_NOT_ALLOWED")) << other;
    }
  }
}

// proves: ORB-24, ORB-90
TEST(CommandRules, RefuseEveryOtherProgramAndEnvironmentPrefixes) {
  for (const char* program : {"ruby", "perl", "sh", "curl", "", "python2", "python3.11", "nodejs",
                              "env", "A=1", "deno"}) {
    EXPECT_TRUE(refused_for({program, "s.py"}, "COMMAND_NOT_ALLOWED")) << program;
  }
  EXPECT_TRUE(refused_for(words("A=1 python3 s.py"), "COMMAND_NOT_ALLOWED"));
  expect_accepted("  \t python3 s.py");
  EXPECT_EQ(check_command({"ruby", "x.rb"}, kFiles)[0].reason, "COMMAND_NOT_ALLOWED");
}

// proves: ORB-25, ORB-81, ORB-82, ORB-83, ORB-84, ORB-85, ORB-86, ORB-87, ORB-88, ORB-89, ORB-91,
// ORB-99
TEST(CommandRules, RefuseEachMetacharacterAnywhereAlsoInsideQuotesAndNameIt) {
  for (const std::string meta : {"|", ";", "&&", "||", "`", "$(", ">", "<", "&", "\n", "\r"}) {
    for (const std::vector<std::string>& argv : {std::vector<std::string>{"python3", "s.py", meta},
                                                 {"python3", "s.py", "a" + meta + "b"},
                                                 {"python3", "s" + meta + ".py"},
                                                 {"python3" + meta, "s.py"},
                                                 {"python3", "s.py", "--o=" + meta}}) {
      EXPECT_TRUE(refused_for(argv, "COMMAND_METACHARACTER")) << meta;
    }
    const auto refusals = check_command({"python3", "s.py", "x" + meta}, kFiles);
    ASSERT_EQ(refusals.size(), 1u) << meta;
    EXPECT_EQ(refusals[0].word, 2u);
    const std::string shown = meta == "\n" ? "line feed" : meta == "\r" ? "carriage return" : meta;
    EXPECT_NE(refusals[0].message.find("metacharacter " + shown), std::string::npos)
        << refusals[0].message;
  }
  EXPECT_TRUE(refused_for(words("python3 s.py '|' wc"), "COMMAND_METACHARACTER"));
  EXPECT_TRUE(refused_for(words("python3 s.py \"a && b\""), "COMMAND_METACHARACTER"));
  EXPECT_TRUE(refused_for(words("python3 s.py | node s.js"), "COMMAND_METACHARACTER"));
}

// proves: ORB-26, ORB-73, ORB-74, ORB-75, ORB-76, ORB-77, ORB-78, ORB-79, ORB-80, ORB-92
TEST(CommandRules, RefuseEachBlockedFlagBeforeAndAfterTheScriptAndNameIt) {
  for (const std::string flag : {"-c", "-e", "-m", "--eval", "--require", "--import", "-i", "-W"}) {
    for (const std::string program : {"python3", "python", "node", "bash"}) {
      const std::string script = program == "bash" ? "build.sh" : "s.py";
      EXPECT_TRUE(refused_for({program, flag, "x"}, "COMMAND_FLAG_BLOCKED")) << program << flag;
      EXPECT_TRUE(refused_for({program, flag, script}, "COMMAND_FLAG_BLOCKED")) << program << flag;
      const auto after = check_command({program, script, flag, "x"}, kFiles);
      ASSERT_EQ(after.size(), 1u) << program << flag;
      EXPECT_EQ(after[0].reason, "COMMAND_FLAG_BLOCKED");
      EXPECT_EQ(after[0].word, 2u);
      EXPECT_NE(after[0].message.find("blocked flag " + flag), std::string::npos)
          << after[0].message;
    }
  }
}

// proves: ORB-73, ORB-74, ORB-75, ORB-76, ORB-77, ORB-78, ORB-79, ORB-80
TEST(CommandRules, RefuseEveryAttachedJoinedAndBundledFormThatExecutesCode) {
  const std::vector<std::vector<std::string>> forms = {
      {"python3", "-Ic", "print(1)"},
      {"python3", "-cprint(1)"},
      {"python3", "-uc", "1"},
      {"bash", "-xc", "id"},
      {"bash", "-lc", "id"},
      {"bash", "-cid"},
      {"node", "-pe", "1"},
      {"node", "-p", "1"},
      {"node", "--print", "1"},
      {"node", "--print=1"},
      {"python3", "-mhttp.server"},
      {"python3", "-Im", "http.server"},
      {"node", "--eval=1"},
      {"node", "--require=./x", "s.js"},
      {"node", "-r", "./x", "s.js"},
      {"node", "-r./x", "s.js"},
      {"node", "--import=./x", "s.js"},
      {"node", "--loader", "./x", "s.js"},
      {"node", "--loader=./x", "s.js"},
      {"node", "--experimental-loader=./x", "s.js"},
      {"node", "--experimental_loader=./x", "s.js"},
      {"node", "--input-type=module", "s.js"},
      {"python3", "-Ii", "s.py"},
      {"python3", "-Wx", "s.py"},
      {"python3", "-Werror::a.b", "s.py"},
      {"python3", "-X", "importtime", "s.py"},
      {"python3", "-Xdev", "s.py"},
      {"bash", "--rcfile", "x", "build.sh"},
      {"bash", "--rcfile=x", "build.sh"},
      {"bash", "--init-file", "x"},
      {"bash", "-rcfile", "x"},
      {"node", "s.js", "-r", "./x"},
      {"python3", "s.py", "-Ic"},
      {"python3", "s.py", "--eval=1"},
      {"node", "s.js", "--require=./x"},
      {"bash", "build.sh", "-xc"},
      {"node", "--interactive"},
  };
  for (const auto& argv : forms)
    EXPECT_TRUE(refused_for(argv, "COMMAND_FLAG_BLOCKED")) << join(argv, " ");
}

TEST(CommandRules, AllowOnlyHarmlessOptionsBeforeTheScript) {
  for (const char* line : {"python3 -u s.py", "python3 -uB -O s.py",
                           "node --max-old-space-size=512 s.js", "node --no-warnings s.js"}) {
    expect_accepted(line);
  }
  for (const std::vector<std::string>& argv :
       {std::vector<std::string>{"python3", "-", "s.py"},
        {"python3", "--", "s.py"},
        {"node", "--env-file=.env", "s.js"},
        {"node", "--inspect", "s.js"},
        {"node", "--test"},
        {"python3", "-x", "s.py"},
        {"node", "-", "s.js"},
        {"node", "-C", "x", "s.js"},
        {"python3", "--check-hash-based-pycs", "always", "s.py"},
        {"node", "--openssl-config=x", "s.js"}}) {
    EXPECT_TRUE(refused_for(argv, "COMMAND_FLAG_BLOCKED")) << join(argv, " ");
  }
}

TEST(CommandRules, LeaveOrdinaryArgumentsOfAScriptAlone) {
  for (const char* line :
       {"python3 s.py --variant s2 --no-connections --no-acn", "python3 s.py -n 5 -1 -0.5 -1e-3 -",
        "python3 s.py --count=3 --name x:y", "node s.js --url https://example.org/a",
        "bash build.sh all", "python3 tools/run.py data/in.csv --out out/x.json",
        "python3 s.py --loader fast --print"}) {
    expect_accepted(line);
  }
}

// proves: ORB-92
TEST(CommandRules, TakeAScriptsOwnOptionForAFlagOnlyIfTheInterpreterWouldReadItAsOne) {
  for (const char* line :
       {"python3 s.py -epochs 5 -lr 0.1 -size 3 -verbose -name x -output o -r x -p 1",
        "node s.js -epochs 5 -config x -verbose -output o -model m",
        "bash build.sh -verbose -size 3", "python3 s.py --epochs 5 --config x --model m"}) {
    expect_accepted(line);
  }
  const std::vector<std::pair<std::vector<std::string>, std::string>> forms = {
      {{"python3", "s.py", "-model"}, "-m"}, {{"python3", "s.py", "-config"}, "-c"},
      {{"python3", "s.py", "-Wx"}, "-W"},    {{"python3", "s.py", "-Ii"}, "-i"},
      {{"python3", "s.py", "-Xdev"}, "-X"},  {{"bash", "build.sh", "-epochs"}, "-c"},
      {{"bash", "build.sh", "-lic"}, "-i"},  {{"node", "s.js", "-pe"}, "-pe"},
      {{"node", "s.js", "-e=1"}, "-e"},
  };
  for (const auto& [argv, flag] : forms) {
    const auto refusals = check_command(argv, kFiles);
    ASSERT_EQ(refusals.size(), 1u) << join(argv, " ");
    EXPECT_NE(refusals[0].message.find(cat("blocked flag ", flag, ",")), std::string::npos)
        << refusals[0].message;
  }
}

TEST(CommandRules, NameTheWordInEveryRefusalAndWhatWouldPass) {
  const std::vector<std::pair<std::vector<std::string>, const char*>> cases = {
      {{"ruby", "s.rb"}, "must be exactly python3, python, node or bash"},
      {{"python3", "s.py", "a;b"}, "put such steps into the script"},
      {{"python3", "s.py", "-m"}, "pass options of your own as --name"},
      {{"python3", "-x", "s.py"}, "allowed there: -u -B"},
      {{"python3"}, "name a file of the uploaded folder"},
      {{"python3", "no.py"}, "name a file of the uploaded folder"},
      {{"bash", "s.py"}, "requires a .sh script file as its second word"},
      {{"python3", "s.py", "/x"}, "use a relative path"},
      {{}, "python3, python, node or bash and a script"},
  };
  for (const auto& [argv, hint] : cases) {
    const auto refusals = check_command(argv, kFiles);
    ASSERT_EQ(refusals.size(), 1u) << join(argv, " ");
    EXPECT_NE(refusals[0].message.find(hint), std::string::npos) << refusals[0].message;
    if (!argv.empty()) {
      EXPECT_NE(refusals[0].message.find(argv[refusals[0].word]), std::string::npos);
    }
  }
}

// proves: ORB-93
TEST(CommandRules, RefusePathsThatLeaveTheWorkspaceInEveryPlace) {
  for (const char* word : {"../../etc/passwd",
                           "/etc/passwd",
                           "--out=/etc/x",
                           "a/../../b",
                           "..",
                           "--out=../x",
                           "-o/etc/x",
                           "-o../x",
                           "--in=a:/etc/passwd",
                           "a,/etc/passwd",
                           "file:///etc/passwd",
                           "..,b",
                           "a=b=/x",
                           "https://h/../../x",
                           "@/etc/passwd",
                           "@../x",
                           "[\"/etc/passwd\"]",
                           "{\"f\": \"/x\"}",
                           "--url=https://h/a,/etc/x",
                           "/",
                           "--in='../x'",
                           "a b /etc/x",
                           "-i../x"}) {
    EXPECT_TRUE(refused_for({"python3", "s.py", word}, "PATH_ESCAPES_WORKSPACE")) << word;
  }
  EXPECT_TRUE(refused_for({"python3", "../../etc/passwd"}, "PATH_ESCAPES_WORKSPACE"));
  EXPECT_TRUE(refused_for({"python3", "/etc/passwd"}, "PATH_ESCAPES_WORKSPACE"));
  expect_accepted("python3 s.py a..b ... 'this / that' a@b.c --url=https://h:1/a@b:/c a/b:c/d");
}

// proves: ORB-94
TEST(CommandRules, WantForBashAnExistingShFileAsItsSecondWord) {
  EXPECT_TRUE(refused_for({"bash"}, "SCRIPT_REQUIRED"));
  EXPECT_TRUE(refused_for({"bash", "script.py"}, "SCRIPT_REQUIRED"));
  EXPECT_TRUE(refused_for({"bash", "missing.sh"}, "SCRIPT_NOT_FOUND"));
  EXPECT_TRUE(refused_for({"bash", "-x", "build.sh"}, "SCRIPT_REQUIRED"));
  expect_accepted("bash build.sh");
  EXPECT_NE(check_command({"bash", "missing.sh"}, kFiles)[0].message.find("missing.sh"),
            std::string::npos);
}

TEST(CommandRules, WantAScriptThatExistsForEveryInterpreter) {
  EXPECT_TRUE(refused_for({"python3"}, "SCRIPT_REQUIRED"));
  EXPECT_TRUE(refused_for({"node"}, "SCRIPT_REQUIRED"));
  EXPECT_TRUE(refused_for({"python3", "-u"}, "SCRIPT_REQUIRED"));
  EXPECT_TRUE(refused_for({"python3", "missing.py"}, "SCRIPT_NOT_FOUND"));
  EXPECT_TRUE(refused_for({"python3", "tools"}, "SCRIPT_NOT_FOUND"));
  expect_accepted("python3 ./s.py");
}

// What the interpreter would find under another spelling: a folder's __main__.py or index.js, the
// standard input, a package's file.
// proves: ORB-94
TEST(CommandRules, TakeNoOtherSpellingForAFileOfTheWorkspace) {
  for (const std::vector<std::string>& argv : {std::vector<std::string>{"bash", "./missing.sh"},
                                               {"python3", "./missing.py"},
                                               {"python3", ""},
                                               {"python3", "."},
                                               {"python3", "./"},
                                               {"node", "."},
                                               {"node", "./tools"},
                                               {"node", "", "s.js"},
                                               {"python3", "tools//run.py"},
                                               {"python3", "tools/./run.py"},
                                               {"node", "./node_modules/x/cli.js"}}) {
    EXPECT_TRUE(refused_for(argv, "SCRIPT_NOT_FOUND")) << join(argv, " ");
  }
}

// An option that took the next word for its value would have the script run as its option.
// proves: ORB-92, ORB-97
TEST(CommandRules, LetNoOptionTakeTheNextWordForItsValue) {
  for (const std::string name :
       {"--unhandled-rejections", "--max-old-space-size", "--stack-size"}) {
    EXPECT_TRUE(refused_for({"node", name, "s.js", "--env-file=s.js"}, "COMMAND_FLAG_BLOCKED"));
    EXPECT_TRUE(refused_for({"node", name, "strict", "s.js"}, "COMMAND_FLAG_BLOCKED"));
  }
  expect_accepted("node --unhandled-rejections=strict s.js");
  EXPECT_TRUE(refused_for({"node", "--no-warnings=x", "s.js"}, "COMMAND_FLAG_BLOCKED"));
}

// proves: ORB-97, ORB-98
TEST(CommandRules, RefuseInlineCodeAndModules) {
  for (const char* line :
       {"python3 -c \"print(1)\"", "node -e \"1\"", "bash -c \"id\"", "python3 -m http.server"}) {
    EXPECT_TRUE(refused_for(words(line), "COMMAND_FLAG_BLOCKED")) << line;
  }
}

TEST(CommandRules, ReportEveryFaultAtOnceInTheOrderOfTheRules) {
  const auto refusals = check_command({"ruby", "a|b", "-c", "/etc/x"}, kFiles);
  ASSERT_EQ(refusals.size(), 4u);
  EXPECT_EQ(refusals[0].reason, "COMMAND_NOT_ALLOWED");
  EXPECT_EQ(refusals[1].reason, "COMMAND_METACHARACTER");
  EXPECT_EQ(refusals[2].reason, "COMMAND_FLAG_BLOCKED");
  EXPECT_EQ(refusals[3].reason, "PATH_ESCAPES_WORKSPACE");
}

}  // namespace
}  // namespace paddock::admission
