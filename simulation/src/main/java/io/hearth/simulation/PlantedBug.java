package io.hearth.simulation;

import io.hearth.simulation.plant.BugHooks;
import io.hearth.simulation.plant.GroupBugHooks;
import io.hearth.simulation.plant.PairBugHooks;
import io.hearth.simulation.plant.ShellRule;
import io.hearth.simulation.plant.StepBugHooks;
import io.hearth.simulation.plant.ViewBugHooks;
import io.hearth.simulation.plant.VoteBugHooks;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A bug planted on purpose, to prove that the simulator finds it. Most are misreadings of the protocol that look harmless. They are in
 * the simulated shell only; the machines are the product's.
 */
public enum PlantedBug {
    LOST_PROMISES("promises and acceptances are not written to disk", 250, VoteBugHooks.LostPromises::new),
    FORGOTTEN_ACCEPTANCE("promises hide the accepted proposal", 900, VoteBugHooks.ForgottenAcceptance::new),
    VOTES_TWICE("each vote counts twice", 800, VoteBugHooks.VotesTwice::new),
    ANY_HALF("exactly half of the votes is enough without rank 0", 600, VoteBugHooks.AnyHalf::new),
    REUSED_LINEAGE("each start founds the same lineage", 30, ViewBugHooks.ReusedLineage::new),
    EARLY_JOIN("joining nodes take a proposal for a committed view", 1_500, ViewBugHooks.EarlyJoin::new),
    EARLY_COMMIT("a proposal is announced as committed at once", 800, ViewBugHooks.EarlyCommit::new),
    AMNESIA("a damaged voter's record is rebuilt without its promises", 500, VoteBugHooks.Amnesia::new),
    NO_FENCE("data of a former group epoch is taken", 600, ShellRule.FENCE),
    THAW("a freeze ends by itself after a second", 10_000, GroupBugHooks.Thaw::new),
    LATE_FREEZE("the status is taken before the data threads stop", 4_000, GroupBugHooks.LateFreeze::new),
    KEEP_SILENT("a member that did not answer is kept", 30, VoteBugHooks.KeepSilent::new),
    SHORT_WAIT("a ballot waits only 100 ms for its members", 1_500, ViewBugHooks.ShortWait::new),
    SMALL_RETENTION("only the last result is kept", 100, GroupBugHooks.SmallRetention::new),
    NO_FORWARD("a number that a member finished runs again", 300, GroupBugHooks.NoForward::new),
    FINAL_FORWARD("the member that forwards a result is chosen only once", 2_300, GroupBugHooks.FinalForward::new),
    ONE_REPORT("only the first member's status decides", 300, GroupBugHooks.OneReport::new),
    EAGER_SUM("a sum in place returns before all hold it", 250, ShellRule.SUM_WAITS),
    EAGER_ROOT("a broadcast's root returns before all hold its value", 250, ShellRule.ROOT_WAITS),
    EAGER_REDUCE(
            "a rank that gave its input to a reduce returns before the root holds the sum",
            60,
            GroupBugHooks.EagerReduce::new),
    EAGER_SCATTER("a scatter's root returns before all hold their blocks", 60, GroupBugHooks.EagerScatter::new),
    EAGER_SHARE("a rank of a reduce-scatter returns with its own share", 60, GroupBugHooks.EagerShare::new),
    FORMER_LAYOUT("a gather that runs again packs its blocks by former ranks", 1_000, GroupBugHooks.FormerLayout::new),
    LOST_ROOT("a reduce goes on though its root is lost", 300, GroupBugHooks.LostRoot::new),
    SENT_TWICE("a receiver forgets its transfers when its stream breaks", 60, PairBugHooks.Twice::new),
    REUSED_NUMBER("the number of an abandoned send is used again", 150, PairBugHooks.ReusedNumber::new),
    EARLY_SEND("a send to one rank returns before the receiver has the values", 30, ShellRule.SEND_WAITS),
    NEWEST_RANKS("ranks are those of the newest view, between any two numbers", 400, GroupBugHooks.NewestRanks::new),
    MID_STEP("a group at work admits trainers", 30, GroupBugHooks.MidStep::new),
    NO_HOLD("a group's lead does not wait for joining trainers", 60, ShellRule.STEP_HOLD),
    NO_TAKE_OVER("a joining trainer begins a step with its own state", 60, ShellRule.TAKE_OVER),
    NO_HOLDERS("a step begins before all hold its state", 600, ShellRule.STEP_WAITS),
    JOINERS_VOTE("the longest training wins, even that of a joining trainer", 900, StepBugHooks.JoinersVote::new),
    LEAD_DECIDES("the first member's state is right, whatever most hold", 1_000, StepBugHooks.LeadDecides::new),
    UNCHECKED_CHUNK("chunks of a state are not compared with their fingerprints", 700, ShellRule.CHUNK_CHECK),
    STALE_CHUNK("chunks of an earlier state are taken for those of a later one", 2_600, ShellRule.CHUNK_SWEEP),
    DIFFERENCE_IS_END("a member whose state differs leaves its group", 250, ShellRule.DIFFERENT_STATE_STAYS),
    OWN_PLAN("a group's lead uses its plan before the members agreed on it", 30, ShellRule.PLAN_AGREED),
    LATE_PLAN("a plan made for a former group epoch is proposed", 120, ShellRule.PLAN_FENCE),
    LASTING_PLAN("a member keeps its plan in the next group epoch", 30, ShellRule.PLAN_ENDS),
    OWN_NUMBER("a joining trainer keeps the number of its own step", 60, ShellRule.NEW_NUMBER),
    DEADLINE_GOES_ON(
            "a member goes on with the next number after a deadline passed only there", 500, ShellRule.ERROR_ENDS),
    NO_PROXY("a node votes only where it lives", 200, VoteBugHooks.NoProxy::new),
    NO_GONE("a machine that lost its record does not report it", 800, VoteBugHooks.NoGone::new),
    ONE_GONE("one lost record is taken for the loss of all", 800, VoteBugHooks.OneGone::new),
    ONE_VOTER("the first process of a home votes for it, whether it runs or not", 30, VoteBugHooks.OneVoter::new),
    SYNC_ON_LOOP("heartbeats wait for the disk", 3_000, ShellRule.SYNC_ELSEWHERE),
    GULLIBLE("a node outside the view is believed like a member", 60, ViewBugHooks.Gullible::new),
    NO_REPAIR("a lost commit is never repaired", 60, ViewBugHooks.NoRepair::new),
    NO_GOSSIP("members do not report at which addresses they reach the others", 60, ShellRule.GOSSIP),
    LINKS_ONLY("a machine that was put out loses its links and nothing else", 600, ShellRule.EXCLUSION),
    OWN_SILENCE("each node suspects after the silence that it wishes itself", 120, ShellRule.SILENCE_WISH),
    NO_DRAIN("a leaving member does not wait until the others have its results", 600, ViewBugHooks.NoDrain::new),
    ABRUPT_LEAVE("closing ends the process at once", 150, ShellRule.ORDERLY_LEAVE),
    UNTOLD_REMOVAL("the collectives of a removed member are not notified", 600, ShellRule.REMOVAL_REPORT),
    HIDDEN_SUBGROUPS("a frozen member does not report its subgroups", 1_000, ShellRule.SUBGROUP_REPORT),
    RETURNS_TO_SUBGROUPS(
            "a member that comes back counts as a member of its former subgroups", 2_000, ShellRule.SUBGROUP_SHRINKS),
    NO_ROLL_BACK("error-feedback memory is not rolled back", 30, ShellRule.ROLL_BACK);

    private final String what;
    private final long seedsMax;

    @SuppressWarnings("ImmutableEnumChecker") // a constructor, always
    private final Supplier<BugHooks> hooks;

    PlantedBug(String what, long seedsMax, ShellRule broken) {
        this(what, seedsMax, () -> BugHooks.breaking(broken));
    }

    PlantedBug(String what, long seedsMax, Supplier<BugHooks> hooks) {
        this.what = what;
        this.seedsMax = seedsMax;
        this.hooks = hooks;
    }

    /** The bug in words. */
    public String what() {
        return what;
    }

    /** The number of seeds, from seed 0, within which it must be found. */
    public long seedsMax() {
        return seedsMax;
    }

    /** As on the command line: lower case with dashes. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The plant of that name. */
    public static Optional<PlantedBug> of(String text) {
        return Arrays.stream(values()).filter(bug -> bug.text().equals(text)).findFirst();
    }

    /** New hooks for each world, because some have state. */
    BugHooks hooks() {
        return hooks.get();
    }
}
