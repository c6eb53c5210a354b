package io.hearth.agent.group;

import io.hearth.agent.loop.MachineDriver;
import io.hearth.agent.votes.VoterThread;
import io.hearth.core.Clock;
import io.hearth.core.LineageLostException;
import io.hearth.core.RemovedFromClusterException;
import io.hearth.core.SetupException;
import io.hearth.election.ElectionEvent;
import io.hearth.election.Message;
import io.hearth.election.View;
import io.hearth.election.view.QuorumLosses;
import io.hearth.election.view.ViewMachine;
import io.hearth.election.view.state.ViewEffect;
import io.hearth.election.view.state.ViewEvent;
import io.hearth.election.view.state.ViewState;
import io.hearth.election.vote.VoterTask;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out the effects of the view change in order: a durable write is on disk before a message that relies on it is sent. */
public final class Membership {
    private static final Logger LOG = LoggerFactory.getLogger(Membership.class);

    private final VoterThread voter;
    private final Consumer<String> setAside;
    private final BiConsumer<NodeId, Message> messenger;
    private final Collectives collectives;
    private final Runnable left;
    private final BiConsumer<String, String> blamed;
    private final Clock clock;
    private final MachineDriver<ViewState, ViewEvent, ViewEffect> views;
    private List<ViewEffect> beforeStart = new ArrayList<>();
    private String waiting = "";
    private String doubled = "";
    private String removed = ""; // reason why this node is in no view with others; empty once it is in one
    private long removedNanos;

    /**
     * {@link #start} carries out the first effects, and each event its own.
     *
     * @param voter carries out votes; its answers come back as {@link ViewEvent.Voted}
     * @param setAside makes the voter set all records aside before its next task, and log the reason
     * @param left called once this node may exit
     * @param blamed gets a node whose view contradicts a known one, and the contradiction
     */
    public Membership(
            ViewMachine machine,
            ViewMachine.Start start,
            Clock clock,
            VoterThread voter,
            Consumer<String> setAside,
            BiConsumer<NodeId, Message> messenger,
            Collectives collectives,
            Runnable left,
            BiConsumer<String, String> blamed) {
        this.voter = voter;
        this.setAside = setAside;
        this.messenger = messenger;
        this.collectives = collectives;
        this.left = left;
        this.clock = clock;
        this.blamed = blamed;
        var first = machine.start(start, clock.nanoTime());
        this.beforeStart.addAll(first.effects());
        this.views = new MachineDriver<>(machine, first.state(), new ViewEvent.Tick(), clock, this::carryOut);
    }

    /** Carries out the first effects, on the owner thread before the first event. */
    public void start() {
        beforeStart.forEach(this::carryOut);
        beforeStart = List.of();
    }

    public MachineDriver<ViewState, ViewEvent, ViewEffect> driver() {
        return views;
    }

    public View view() {
        return views.state().view();
    }

    /** Sends on the link to {@code to}; the message is lost if there is none. */
    public void send(NodeId to, Message message) {
        messenger.accept(to, message);
    }

    /**
     * Handles another computer with this node's identity. The records are set aside, because the other computer has the same ones. Open
     * work ends, and every later call in this process fails.
     */
    public void ownDoubled(String text, SortedSet<PeerId> machines) {
        doubled = text;
        setAside.accept("another computer uses the same identity");
        views.step(new ViewEvent.Doubled(machines));
        collectives.fail(new SetupException(text));
    }

    /** The reason why this node waits: for its disk, for a quorum, or for admission, perhaps after a removal; empty if it does not wait. */
    public Optional<String> waiting() {
        Optional<String> fault = views.state().diskFault();
        if (fault.isPresent()) {
            return fault;
        }
        Optional<String> stalled = QuorumLosses.text(views.state());
        if (stalled.isPresent()) {
            return stalled.map(why -> slowDisk().map(slow -> why + "; " + slow).orElse(why));
        }
        return removal()
                .map(why -> waiting.isEmpty() ? why : why + "; " + waiting)
                .or(() -> Optional.of(waiting).filter(reason -> !reason.isEmpty()))
                .or(this::slowDisk);
    }

    private Optional<String> removal() {
        return removed.isEmpty()
                ? Optional.empty()
                : Optional.of("removed from the cluster " + (clock.nanoTime() - removedNanos) / 1_000_000_000L
                        + " s ago: " + removed);
    }

    /** A message about a slow disk. Only votes wait for the disk, but a view change takes as long as the disks of a quorum. */
    private Optional<String> slowDisk() {
        return voter.isDiskSlow()
                ? Optional.of("the disk of this node's home took " + voter.slowestNanos() / 1_000_000
                        + " ms for one vote; put HEARTH_HOME on a faster one")
                : Optional.empty();
    }

    private void carryOut(ViewEffect effect) {
        switch (effect) {
            case ViewEffect.Vote(VoterTask task) -> voter.submit(task);
            case ViewEffect.Rest(boolean resting) -> collectives.rest(resting);
            case ViewEffect.Send(NodeId to, Message message) -> send(to, message);
            case ViewEffect.Freeze(var lineage, long epoch) -> {
                var status = collectives.freeze(lineage, epoch);
                views.step(new ViewEvent.Frozen(lineage, epoch, status, collectives.doneUpTo()));
            }
            case ViewEffect.Install(View view) -> install(view);
            case ViewEffect.Removed(ViewEffect.Removed.Cause cause, String why) -> removed(cause, why);
            case ViewEffect.Hold(boolean held) -> collectives.hold(held);
            case ViewEffect.Left() -> left.run();
            case ViewEffect.Announce(ElectionEvent event) -> announce(event);
            case ViewEffect.Pending(String reason) -> {
                waiting = reason;
                if (!reason.isEmpty()) {
                    LOG.info("not admitted yet: {}", reason);
                }
            }
        }
    }

    private void removed(ViewEffect.Removed.Cause cause, String why) {
        LOG.warn("removed from the cluster: {}", why);
        removed = why;
        removedNanos = clock.nanoTime();
        String advice = "what it computed since its last step began does not count, beginStep() enters again";
        collectives.removed(
                switch (cause) {
                    case REMOVED ->
                        new RemovedFromClusterException(
                                "the others went on without this node (" + why + "); " + advice);
                    case DOUBLED -> new RemovedFromClusterException(doubled);
                    case LINEAGE_LOST -> new LineageLostException(why + "; " + advice);
                });
    }

    private void install(View view) {
        LOG.info(
                "view epoch={} members={} master={} lineage={} told-by={}",
                view.epoch(),
                view.members().size(),
                view.master().map(member -> member.node().shortText()).orElse("none"),
                view.lineage().shortText(),
                views.state().source().text());
        if (view.members().size() > 1) {
            removed = "";
        }
        collectives.install(view);
    }

    private void announce(ElectionEvent event) {
        switch (event) {
            case ElectionEvent.Started started ->
                LOG.debug("ballot for epoch {}: {}", started.epoch() + 1, started.why());
            case ElectionEvent.ElectedSelf elected -> LOG.info("this node is the master of view {}", elected.epoch());
            case ElectionEvent.NewMaster master ->
                LOG.info("master={} of view {}", master.master().shortText(), master.epoch());
            case ElectionEvent.MemberRemoved removed ->
                LOG.info(
                        "view {} is without peer={}: {}",
                        removed.epoch(),
                        removed.node().shortText(),
                        removed.why());
            case ElectionEvent.TimedOut timedOut -> LOG.debug("ballot {} ended without a view", timedOut.ballot());
            case ElectionEvent.Conflict conflict ->
                blamed.accept(conflict.source().text(), conflict.why());
            case ElectionEvent.Stalled stall -> LOG.warn("stalled: {}", stall.why());
        }
    }
}
