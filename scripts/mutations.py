"""Claims, and for each an edit of one line that breaks it: the test named beside it must notice.

`find` stands in exactly one source file, and `test` is what proves the claim: the program that has it is the module's in which the test
stands. So an entry survives files that move. scripts/mutation_check.py applies them; tests/tidy/mutation_test.py holds the list to the tree.
"""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Mutation:
    name: str
    claim: str    # what is true of the code as it stands
    find: str
    replace: str
    test: str     # SUITE.NAME


MUTATIONS = (
    Mutation("scope", "a route asks for its scope", "if (!may(principal, scope)) {", "if (may(principal, scope)) {",
             "Authorize.NamesTheScopeThatIsMissing"),
    Mutation("namespace", "a token of one namespace opens no other", "principal.name_space != name_space) {", 'name_space == "?") {',
             "Authorize.KeepsATokenInsideItsNamespace"),
    Mutation("seccomp", "no program inside loads code into the kernel", '{"bpf", kReport, "runs code in the kernel"},', "",
             "SeccompProgram.DecidesEveryCallOfBothMachinesAsWrittenDownASecondTime"),
    Mutation("own-filters", "filters of system calls count as long as any thread may have them",
             "return seen.threads > 1 ? most : std::min(most, seen.filters + 1);", "return std::min(most, seen.filters + 1);",
             "FilterCount.KeepsWhatAnyThreadOfAProcessMayHave"),
    Mutation("encoded-path", "a path that is encoded twice is refused", 'for (const std::string_view encoded : {"%2e", "%2f", "%5c", "%00", "%25"})',
             'for (const std::string_view encoded : {"%00"})',
             "Files.RefusesPathsThatOnlyAnAttackSends"),
    Mutation("beneath", "a path beneath a root follows no link",
             "kBeneath = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;", "kBeneath = RESOLVE_NO_MAGICLINKS;",
             "Beneath.RefusesLinksEvenOnesThatStayInside"),
    Mutation("wall-time", "a run ends at its wall time", "if (state_.started && wall_end_ && now >= *wall_end_ && !told_) end_now(EndCause::kWallTime);", "",
             "TimeKeeperTest.EndsARunAtItsLimitThoughNobodyElseMoves"),
    Mutation("artifact-link", "no link comes back as an artifact", 'if (S_ISLNK(stat.st_mode)) return "symbolic links are not followed";', "",
             "Collect.LinksDevicesAndPipesAreRefusedWithoutBlocking"),
    Mutation("secret-output", "a secret's value is taken out of the output", "if (word.size() >= contracts::kShortestRedacted) add(word);",
             "if (word.empty()) add(word);",
             "Redact.EachPlaceWhereAValueStandsBecomesThreeStars"),
    Mutation("private-address", "an allowed name leads to no private address", "{quad(10, 0, 0, 0), 8}, ", "{quad(0, 0, 0, 0), 8}, ",
             "Addresses.OnlyPublicOnesMayBeReached"),
    Mutation("fenced-attempt", "an attempt that was given up is not listened to",
             "run.status.node_name == node && run.status.attempt == report.attempt &&", "run.status.node_name == node &&",
             "NodesTest.IgnoresReportsThatAreNotThisNodesToMake"),
    Mutation("node-name", "a node's name belongs to the agent that enrolled it first", "if (taken && !crypto::equal_constant_time(*owner, hash)) {",
             "if (false) {",
             "NodesTest.ASecondAgentCannotTakeAName"),
    Mutation("framing", "a request has one length", "if (length != nullptr && encoding != nullptr) {", "if (false) {",
             "ServerAttack.AmbiguousFramingIsRefused"),
    Mutation("lost-ring", "a change that comes while a stream is at work makes it look once more", "if (state.rung) return Parking::kRung;", "",
             "ParkingBellTest.ARingWhileTheConnectionIsAtWorkKeepsItFromParking"),
    Mutation("digest", "a blob is what its digest says", "if (hash_.finish_hex() != into_.expected) return mismatch(into_.expected);",
             "if (hash_.finish_hex().empty()) return mismatch(into_.expected);",
             "BlobFolder.DropsAPiecewiseBlobThatIsWrongShortOrLong"),
    Mutation("bundle-limit", "a bundle holds no more than its limits", "if (++blobs_ > kBundleBlobs || all_content_ > kBundleContent) {",
             "if (++blobs_ > kBundleBlobs) {",
             "Bundle.HoldsNoMoreThanItsLimits"),
    Mutation("bundle-asked", "a node stores nothing that it did not ask for", "if (asked_.erase(digest) == 0)",
             "if (asked_.erase(digest) > 1)",
             "FetchedBundle.BringsNothingThatWasNotAskedForOrIsNotItself"),
    Mutation("quota", "a namespace's quota is never exceeded", "return more > 0 && more > limit - used;", "return more > 0 && more > limit + used;",
             "Quota.IsNeverExceededAndSaysWhatIsUsedUp"),
    Mutation("array-end", "how an element of an array ended is counted", "if (contracts::is_terminal(run->status.phase)) return std::optional(runs::end_of(*run));",
             "if (false) {}",
             "ArrayStepTest.NoIndexIsMadeTwiceAndNoneIsMissingWhenTheControllerDies"),
    Mutation("gang-whole", "a gang is placed whole or not at all", "return gang.due.size() == gang.size;", "return !gang.due.empty();",
             "Gangs.AreNotPlacedBeforeAllOfThemAreThereAndDue"),
    Mutation("gang-end", "a member that fails ends the others", "return status.failed + status.canceled > 0 ? ArrayStop::kMemberEnded : ArrayStop::kNone;",
             "return ArrayStop::kNone;",
             "GangStepTest.AMemberThatFailsEndsTheOthersAndTheGangFailsAsItDid"),
    Mutation("attempts", "a run has no more attempts than its policy allows", "counted_attempts(run) >= policy->max_attempts)",
             "counted_attempts(run) > policy->max_attempts)",
             "Retry.EndsWhenTheAttemptsAreUsedUp"),
    Mutation("accelerator", "no two runs have the same accelerator", "for (const Accelerator& each : *suits) state.used.push_back(each.id);",
             "(void)state.used.size();",
             "Ledger.NobodyElseGetsWhatIsHeld"),
    Mutation("blocked-flag", "a compute command runs no code from its arguments", "if (is_one_of(kBlockedWords, name)) return name;",
             "if (is_one_of(kBlockedWords, name)) return std::nullopt;",
             "CommandRules.RefuseEachBlockedFlagBeforeAndAfterTheScriptAndNameIt"),
    Mutation("believed-use", "no node uses more than it has", "if (amount && *amount > most) amount.reset();",
             "if (amount && *amount > most && most < T{}) amount.reset();",
             "UsageTable.AmountsBeyondTheNodesSizeAreNotBelieved"),
    Mutation("others-use", "a node tells the use of its own runs alone", "if (run.status.node_name != node.metadata.name) return std::nullopt;", "",
             "UsageTable.NoNodeSpeaksOfAnothersRunOrOfAnEarlierAttempt"),
    Mutation("lost-sandbox", "a run that a host could not begin because it has lost its sandbox is given back",
             "if (const auto fault = lost_sandbox(*state.result)) return finish(not_begun(*fault));", "",
             "Life.OnAHostThatCanSetUpNoSandboxAnyMoreTheRunIsGivenBack"),
    Mutation("own-fault", "what a run asks for in vain on a host that is well is its own end",
             "return state_.fault || (state_.lost_at && since < *state_.lost_at + kHeardWithin);", "return true;",
             "Proving.AHostThatHoldsWhatItProvedHasLostNothing"),
    Mutation("leap", "nothing is forgotten behind a calendar that has just leapt",
             "const bool leapt = leapt_lately(now.mono);", "const bool leapt = false;",
             "Calendar.OneThatLeaptAheadForgetsNothingBeforeSomebodyCouldSetItRight"),
)
