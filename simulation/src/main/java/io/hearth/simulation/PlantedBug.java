package io.hearth.simulation;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A fault planted on purpose, to see that the simulator finds it. Most are readings of the protocol that look harmless. They live
 * in the simulated shell only; the machines are the product's.
 */
public enum PlantedBug {
    /** What a voter promised and accepted does not reach the disk. */
    LOST_PROMISES("promises and acceptances are not written to disk", 250, VoteBugHooks.LostPromises::new),
    /** A voter hides what it accepted. */
    FORGOTTEN_ACCEPTANCE("promises do not tell what was accepted", 900, VoteBugHooks.ForgottenAcceptance::new),
    /** A vote counts twice. */
    VOTES_TWICE("each vote counts twice", 800, VoteBugHooks.VotesTwice::new),
    /** Any half is a quorum. */
    ANY_HALF("exactly half of the votes is enough without rank 0", 600, VoteBugHooks.AnyHalf::new),
    /** A restart founds the same lineage again. */
    REUSED_LINEAGE("each start founds the same lineage", 30, ViewBugHooks.ReusedLineage::new),
    /** Joiners believe proposals. */
    EARLY_JOIN("joiners take a proposal as a committed view", 1_500, ViewBugHooks.EarlyJoin::new),
    /** Everybody believes proposals. */
    EARLY_COMMIT("a proposal is announced as committed at once", 800, ViewBugHooks.EarlyCommit::new),
    /** A damaged record is made anew. */
    AMNESIA("a damaged voter's record is rebuilt without its promises", 500, VoteBugHooks.Amnesia::new),
    /** Data of another epoch is taken. */
    NO_FENCE("data of a former group epoch is taken", 600, GroupBugHooks.NoFence::new),
    /** A freeze ends by itself. */
    THAW("a freeze ends by itself after a second", 10_000, GroupBugHooks.Thaw::new),
    /** Threads run on after the report. */
    LATE_FREEZE("the status is taken before the data threads stop", 4_000, GroupBugHooks.LateFreeze::new),
    /** A silent member is kept. */
    KEEP_SILENT("a member that did not answer is kept", 30, VoteBugHooks.KeepSilent::new),
    /** Members are not waited for. */
    SHORT_WAIT("members have 100 ms to answer a ballot", 1_500, ViewBugHooks.ShortWait::new),
    /** Only the last result is kept. */
    SMALL_RETENTION("only the last result is kept", 100, GroupBugHooks.SmallRetention::new),
    /** Nothing is passed on. */
    NO_FORWARD("what somebody finished runs again", 300, GroupBugHooks.NoForward::new),
    /** A forward is decided once. */
    FINAL_FORWARD("who passes a result on is never decided anew", 2_300, GroupBugHooks.FinalForward::new),
    /** Only one report counts. */
    ONE_REPORT("only the first member's report decides", 300, GroupBugHooks.OneReport::new),
    /** A broadcast's root does not wait. */
    EAGER_SUM("a sum in place returns before all hold it", 250, GroupBugHooks.EagerSum::new),
    EAGER_ROOT("a broadcast's root returns before all hold its value", 250, GroupBugHooks.EagerRoot::new),
    /** A reduce's leaves do not wait. */
    EAGER_REDUCE(
            "a rank that gave its input to a reduce returns before the root holds the sum",
            60,
            GroupBugHooks.EagerReduce::new),
    /** A scatter's root does not wait. */
    EAGER_SCATTER("a scatter's root returns before all hold their blocks", 60, GroupBugHooks.EagerScatter::new),
    /** A share is enough. */
    EAGER_SHARE("a rank of a reduce-scatter returns with its own share", 60, GroupBugHooks.EagerShare::new),
    /** Blocks lie as before the change. */
    FORMER_LAYOUT("a gather that runs again packs its blocks by former ranks", 1_000, GroupBugHooks.FormerLayout::new),
    /** Nobody gets the sum. */
    LOST_ROOT("a reduce goes on though its root is lost", 300, GroupBugHooks.LostRoot::new),
    /** What is there comes again. */
    SENT_TWICE("a receiver forgets with its stream what it had", 60, PairBugHooks.Twice::new),
    /** Two sends, one number. */
    REUSED_NUMBER("a number that its sender gave up is used again", 150, PairBugHooks.ReusedNumber::new),
    /** A send does not wait. */
    EARLY_SEND("a send to one rank returns before that has the values", 30, PairBugHooks.EarlyReturn::new),
    /** Ranks change in the middle. */
    NEWEST_RANKS("ranks are those of the newest view, between any two numbers", 400, GroupBugHooks.NewestRanks::new),
    /** A running group takes joiners. */
    MID_STEP("a group at work admits trainers", 30, GroupBugHooks.MidStep::new),
    /** A step does not wait for joiners. */
    NO_HOLD("a group's lead does not wait for those who want to enter", 60, StepBugHooks.NoHold::new),
    /** Joiners keep their state. */
    NO_TAKE_OVER("who enters begins a step with its own state", 60, StepBugHooks.NoTakeOver::new),
    /** A step begins too early. */
    NO_HOLDERS("a step begins before all hold its state", 600, StepBugHooks.NoHolders::new),
    /** Joiners decide, too. */
    JOINERS_VOTE("the longest training wins, whoever brings it", 900, StepBugHooks.JoinersVote::new),
    /** Members are not counted. */
    LEAD_DECIDES("the first member's state is right, whatever most hold", 1_000, StepBugHooks.LeadDecides::new),
    /** Whatever comes is taken. */
    UNCHECKED_CHUNK(
            "chunks of a state are not compared with their fingerprints", 700, StepBugHooks.UncheckedChunk::new),
    /** Whatever came is taken. */
    STALE_CHUNK("chunks of an earlier state are taken for those of a later one", 8_400, StepBugHooks.StaleChunk::new),
    /** Wrong memory costs a member its place. */
    DIFFERENCE_IS_END("a member whose state differs leaves its group", 250, StepBugHooks.DifferenceIsEnd::new),
    /** A joiner counts on. */
    OWN_NUMBER("who enters keeps the number of its own step", 60, StepBugHooks.OwnNumber::new),
    /** A deadline of one member is its own business. */
    DEADLINE_GOES_ON("who got an error for a number goes on with the next", 500, GroupBugHooks.DeadlineGoesOn::new),
    /** Votes end with membership. */
    NO_PROXY("a node votes only where it lives", 200, VoteBugHooks.NoProxy::new),
    /** Nobody hears of a lost record. */
    NO_GONE("a machine that lost its record does not say so", 800, VoteBugHooks.NoGone::new),
    /** A view is given up too early. */
    ONE_GONE("one lost record is taken for the loss of all", 800, VoteBugHooks.OneGone::new),
    /** A home is deaf when one process ends. */
    ONE_VOTER("the first process of a home votes for it, whether it runs or not", 30, VoteBugHooks.OneVoter::new),
    /** The disk is on the heartbeat's way. */
    SYNC_ON_LOOP("heartbeats wait for the disk", 1_500, VoteBugHooks.SyncOnLoop::new),
    /** Outsiders are believed. */
    GULLIBLE("who is in no view is believed as a member is", 60, ViewBugHooks.Gullible::new),
    /** A lost commit stays lost. */
    NO_REPAIR("a lost commit is never repaired", 60, ViewBugHooks.NoRepair::new),
    /** Nobody passes addresses on. */
    NO_GOSSIP("members do not tell where they reach the others", 60, ViewBugHooks.NoGossip::new),
    /** A removal is no reason for a view. */
    LINKS_ONLY("a machine that was put out loses its links and nothing else", 600, ViewBugHooks.LinksOnly::new),
    /** Closing does not wait. */
    NO_DRAIN("a leaver does not wait until the others have its results", 600, ViewBugHooks.NoDrain::new),
    /** Closing ends the process. */
    ABRUPT_LEAVE("closing ends the process at once", 60, GroupBugHooks.AbruptLeave::new),
    /** A removed member is not told. */
    UNTOLD_REMOVAL("collectives of a removed member do not hear of it", 600, GroupBugHooks.UntoldRemoval::new),
    /** Memory stays as it is. */
    NO_ROLL_BACK("error-feedback memory is not rolled back", 30, GroupBugHooks.NoRollBack::new);

    private final String what;
    private final long seedsMax;

    @SuppressWarnings("ImmutableEnumChecker") // a constructor, always
    private final Supplier<BugHooks> hooks;

    PlantedBug(String what, long seedsMax, Supplier<BugHooks> hooks) {
        this.what = what;
        this.seedsMax = seedsMax;
        this.hooks = hooks;
    }

    /** What is wrong with it, in words. */
    public String what() {
        return what;
    }

    /** It is found within so many seeds from seed 0. */
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

    /** Fresh for each world, because some remember. */
    BugHooks hooks() {
        return hooks.get();
    }
}
