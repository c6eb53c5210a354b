package io.hearth.agent.roster;

import io.hearth.agent.loop.NodeEvent;
import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.BlockFile;
import io.hearth.identity.roster.Ed25519;
import io.hearth.identity.roster.RosterBook;
import io.hearth.identity.roster.RosterFile;
import io.hearth.identity.roster.SeenFile;
import io.hearth.identity.roster.Signatures;
import io.hearth.identity.roster.machine.RosterMachine.Effect;
import java.time.Duration;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread of a process that reads and writes the files of the roster. It stores the decisions of the owner thread, and detects
 * changes by another process of the home, such as {@code hearth remove}.
 */
public final class RosterKeeper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RosterKeeper.class);
    private static final long POLL_MILLIS = 500;
    private static final long SEEN_NANOS = 30_000_000_000L;
    private static final long SEEN_URGENT_NANOS = 1_000_000_000L;
    static final int TASKS_MAX = 64;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final RosterFile file;
    private final BlockFile blocks;
    private final SeenFile seenFile;
    private final NetworkNamespace given;
    private final PeerId self;
    private final Signatures.Hand hand;
    private final Consumer<NodeEvent> sink;
    private final BlockingQueue<Task> tasks = new ArrayBlockingQueue<>(TASKS_MAX);
    private final Map<PeerId, SeenFile.Seen> seen = new TreeMap<>(); // this thread only, like the next fields
    private final Thread thread;
    private final SortedSet<PeerId> written = new TreeSet<>();
    private boolean isSeenUrgent;
    private boolean isUnreadable;
    private String version = "";
    private String blockVersion = "";
    private String complaint = "";
    private String seenComplaint = ""; // the last complaint about writing the seen machines; empty once that worked
    private long seenNanos = System.nanoTime();
    private volatile boolean missed; // set by submit(), cleared by the thread
    private volatile boolean closing; // set by close() and the thread, read by the thread

    private sealed interface Task {
        record Change(Effect effect, long epochMillis) implements Task {}

        record Saw(PeerId peer, SeenFile.Seen at) implements Task {}

        record Stop() implements Task {}
    }

    /** A keeper that has not started; its thread reads the files first. */
    public RosterKeeper(HearthHome home, NetworkNamespace given, NodeIdentity identity, Consumer<NodeEvent> sink) {
        this.file = RosterFile.in(home, given.name());
        this.blocks = BlockFile.in(home);
        this.seenFile = SeenFile.in(home, given.name());
        this.given = given;
        this.self = identity.peer();
        this.hand = Ed25519.hand(identity);
        this.sink = sink;
        this.thread = Thread.ofPlatform().daemon().name("hearth-roster").unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    /**
     * Queues a {@link Effect.Store} or {@link Effect.Rotate}. If there is no place, the file is read again: then the machine stores again
     * what the file lacks, offers secrets again, and rotations become due again.
     */
    void submit(Effect effect, long epochMillis) {
        if (!tasks.offer(new Task.Change(effect, epochMillis))) {
            missed = true;
            LOG.warn("the disk is too slow for the roster: a change waits until it is read again");
        }
    }

    void saw(PeerId peer, String label, long epochMillis) {
        var _ = tasks.offer(new Task.Saw(peer, new SeenFile.Seen(epochMillis, label))); // for people only
    }

    private void run() {
        try {
            while (!closing) {
                @Nullable Task task = tasks.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
                if (task != null) {
                    carryOut(task);
                }
                look();
                if (System.nanoTime() - seenNanos > (isSeenUrgent ? SEEN_URGENT_NANOS : SEEN_NANOS)) {
                    writeSeen();
                }
            }
            finish();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            writeSeen();
        } catch (RuntimeException | Error bug) { // without this thread the process would miss removals
            sink.accept(new NodeEvent.Failed(Thread.currentThread().getName(), bug));
        }
    }

    /** Stores all tasks that were submitted before the end, so that no removal is forgotten. */
    private void finish() {
        for (@Nullable Task task = tasks.poll(); task != null; task = tasks.poll()) {
            carryOut(task);
        }
        writeSeen();
    }

    private void carryOut(Task task) {
        switch (task) {
            case Task.Change(var effect, long epochMillis) -> change(effect, epochMillis);
            case Task.Saw(var peer, var at) -> {
                if (seen.containsKey(peer) || seen.size() < SeenFile.MACHINES_MAX) {
                    seen.put(peer, at);
                    isSeenUrgent |= !written.contains(peer); // a new machine must not be lost by a crash
                }
            }
            case Task.Stop() -> closing = true;
        }
    }

    private void change(Effect effect, long epochMillis) {
        try {
            RosterFile.Changed stored = file.changed(given, book -> changed(book, effect, epochMillis));
            version = stored.version();
            sink.accept(new NodeEvent.RosterStored(stored.book()));
            complaint = "";
        } catch (SetupException broken) {
            complain(broken);
        }
    }

    private RosterBook changed(RosterBook book, Effect effect, long epochMillis) {
        return switch (effect) {
            case Effect.Store(var entries, var present, var offer) ->
                book.taking(entries, present, offer, self, Ed25519.INSTANCE);
            case Effect.Rotate(int generation) -> {
                boolean isStillDue =
                        book.current().generation() == generation && book.isRotationDue() && book.mayRotateAlone(self);
                if (isStillDue) {
                    LOG.info("making secret generation {}: a removed machine may know the present one", generation + 1);
                }
                yield isStillDue ? book.rotated(hand, book.current().successor(), epochMillis, Ed25519.INSTANCE) : book;
            }
            case Effect.Send _, Effect.Close _, Effect.Use _, Effect.Say _ -> book;
        };
    }

    /** Reports changes by other processes. */
    private void look() {
        try {
            String now = file.version();
            if (missed || !now.equals(version)) {
                missed = false;
                sink.accept(new NodeEvent.RosterStored(file.load(given)));
                version = now; // only now, so that a failed read is repeated
            }
            String blockedNow = blocks.version();
            if (!blockedNow.equals(blockVersion)) {
                sink.accept(new NodeEvent.Blocked(blocks.read()));
                blockVersion = blockedNow;
            }
            if (isUnreadable) {
                isUnreadable = false;
                mended();
            }
        } catch (SetupException broken) {
            isUnreadable = true;
            complain(broken);
        }
    }

    private void writeSeen() {
        seenNanos = System.nanoTime();
        isSeenUrgent = false;
        if (seen.isEmpty()) {
            return;
        }
        try {
            seenFile.add(seen, Clock.system().epochMillis());
            if (written.size() >= SeenFile.MACHINES_MAX) {
                written.clear();
            }
            written.addAll(seen.keySet());
            seen.clear();
            if (!seenComplaint.isEmpty() && seenComplaint.equals(complaint)) {
                mended();
            }
            seenComplaint = "";
        } catch (SetupException broken) {
            complain(broken);
            seenComplaint = complaint;
        }
    }

    private void mended() {
        complaint = "";
        sink.accept(new NodeEvent.RosterProblem(""));
    }

    private void complain(SetupException broken) {
        String text = String.valueOf(broken.getMessage());
        if (!text.equals(complaint)) {
            complaint = text;
            LOG.error("{}", text);
            sink.accept(new NodeEvent.RosterProblem(text));
        }
    }

    @Override
    public void close() {
        closing = true; // no interrupt, because it would close the thread's files
        var _ = tasks.offer(new Task.Stop());
        try {
            if (thread.isAlive() && !thread.join(TIMEOUT)) {
                LOG.warn("the thread of the roster is still busy after {} s", TIMEOUT.toSeconds());
            }
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
    }
}
