package io.hearth.identity.roster.machine;

import io.hearth.core.Bytes;
import io.hearth.core.Machine;
import io.hearth.core.Step;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.Charter;
import io.hearth.identity.roster.Roster;
import io.hearth.identity.roster.RosterBook;
import io.hearth.identity.roster.RosterBook.Verdict;
import io.hearth.identity.roster.RosterEntry;
import io.hearth.identity.roster.Signatures;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Brings the rosters of linked machines together and carries a new secret to all members.
 *
 * <pre>
 * link opened            Summary; another one every 10 s, and 200 ms after the last one if something changed
 * Summary, other digest  all entries in pages, once for each pair of digests
 * Summary, other key     Secret, if the peer is a member: it judges which of the two lives on
 * Page                   entries with standing: used at once, Store, passed on; links to removed machines close
 * Page, another founder  Say: two machines founded rosters, and a person chooses one
 * Page, a forged entry   closed, and nothing of the page counts
 * Secret, judged better  Store; when it is on disk (Stored): used, then offered to all members
 * Stored, from another   process of this home: as if it had come by a link
 * secret replaced        links to machines that are not on the roster close: they proved the former one only
 * removal uncovered      for 3 s and 2 s more for each linked member before this one: Rotate
 * removal undone         Say: the charter that lives on marks its signer as removed, and a person removes the machine again
 * rekey link, same key   closed: nothing else goes over it
 * </pre>
 *
 * <p>Entries are signed, so they may be used and passed on before they are on disk. A secret is on disk here before anybody gets it from
 * here: if this machine forgot one that others have, it would be the one that was away.
 *
 * <p>Rejected: a leader that hands out secrets, since the members of a home are equals and any of them may be off; agreement by the
 * view's quorum, because a removal must work where two machines are left, and over a longer time than views live.
 */
public final class RosterMachine implements Machine<RosterMachine.State, RosterMachine.Event, RosterMachine.Effect> {
    private final PeerId self;
    private final Signatures signatures;
    private final Limits limits;

    /** A machine for the node's own computer {@code self}. */
    public RosterMachine(PeerId self, Signatures signatures, Limits limits) {
        this.self = self;
        this.signatures = signatures;
        this.limits = limits;
    }

    /**
     * Bounds.
     *
     * @param summaryNanos between two summaries on a link where nothing changes
     * @param spacingNanos between two where something does
     * @param rotateNanos how long a removal may be uncovered before the first member replaces the secret
     * @param rankNanos how much longer each further member waits
     * @param windowNanos over which pages of a link are counted
     * @param pagesMax pages of one link within that time; more are not read
     * @param othersMax other messages of one link within that time
     * @param linksMax links talked over at once
     */
    public record Limits(
            long summaryNanos,
            long spacingNanos,
            long rotateNanos,
            long rankNanos,
            long windowNanos,
            int pagesMax,
            int othersMax,
            int linksMax) {
        /** For homes. */
        public static final Limits DEFAULT = new Limits(
                10_000_000_000L, 200_000_000L, 3_000_000_000L, 2_000_000_000L, 10_000_000_000L, 64, 128, 512);

        public Limits {
            if (summaryNanos <= 0
                    || spacingNanos <= 0
                    || othersMax < 2 * windowNanos / spacingNanos
                    || rotateNanos <= 0
                    || rankNanos <= 0
                    || windowNanos <= 0
                    || pagesMax < 2 * Roster.ENTRIES_MAX / RosterMessage.PAGE_ENTRIES_MAX
                    || linksMax < 1) {
                throw new IllegalArgumentException(
                        "every span and bound must be above 0, and two rosters must fit a window");
            }
        }
    }

    /** One link of this process: the machine at the other side, and a number that no other link has. */
    public record LinkId(PeerId peer, long number) implements Comparable<LinkId> {
        private static final Comparator<LinkId> ORDER =
                Comparator.comparing(LinkId::peer).thenComparingLong(LinkId::number);

        @Override
        public int compareTo(LinkId other) {
            return ORDER.compare(this, other);
        }
    }

    /** What may happen. */
    public sealed interface Event {
        /**
         * A link is up.
         *
         * @param rekey whether the two sides have only a former secret in common
         * @param proved key id of the secret that both sides proved
         */
        record Opened(LinkId link, boolean rekey, Bytes proved) implements Event {}

        /** It is down. */
        record Closed(LinkId link) implements Event {}

        /** A message came on it. */
        record Received(LinkId link, RosterMessage message) implements Event {}

        /** This is on the disk now: an answer to {@link Effect.Store} or {@link Effect.Rotate}, or another process changed it. */
        record Stored(RosterBook book) implements Event {}

        /** Time passed. */
        record Tick() implements Event {}
    }

    /** What the shell carries out, in order. */
    public sealed interface Effect {
        /** On that link; lost if it is down. */
        record Send(LinkId link, RosterMessage message) implements Effect {}

        /** End that link; {@code why} is for people of both sides. */
        record Close(LinkId link, String why) implements Effect {}

        /** Take these into the file, and answer with {@link Event.Stored}. */
        record Store(List<RosterEntry> entries, Optional<Charter> present, Optional<RosterBook.Offer> offer)
                implements Effect {}

        /** If the secret in the file is still the one of that generation and has to be replaced: replace it, answer with Stored. */
        record Rotate(int generation) implements Effect {}

        /** Admit, announce and prove by this book from now on. */
        record Use(RosterBook book) implements Effect {}

        /** One line that a person should see; empty when there is nothing to say any more. */
        record Say(String line) implements Effect {}
    }

    /**
     * What is known of the other side of a link.
     *
     * @param owed whether it has to be told of a change
     */
    record Talk(
            boolean rekey,
            Optional<RosterMessage.Summary> theirs,
            Bytes sentDigest,
            Bytes sentFor,
            Bytes offered,
            long summedNanos,
            boolean owed,
            long windowNanos,
            int pages,
            int others) {
        static Talk fresh(boolean rekey, long now) {
            return new Talk(rekey, Optional.empty(), Bytes.EMPTY, Bytes.EMPTY, Bytes.EMPTY, now, false, now, 0, 0);
        }

        Talk says(RosterMessage.Summary summary) {
            return new Talk(
                    rekey,
                    Optional.of(summary),
                    sentDigest,
                    sentFor,
                    offered,
                    summedNanos,
                    owed,
                    windowNanos,
                    pages,
                    others);
        }

        Talk sent(Bytes own, Bytes answered) {
            return new Talk(rekey, theirs, own, answered, offered, summedNanos, owed, windowNanos, pages, others);
        }

        Talk offered(Bytes keyId) {
            return new Talk(rekey, theirs, sentDigest, sentFor, keyId, summedNanos, owed, windowNanos, pages, others);
        }

        Talk summed(long now) {
            return new Talk(rekey, theirs, sentDigest, sentFor, offered, now, false, windowNanos, pages, others);
        }

        Talk owing() {
            return new Talk(rekey, theirs, sentDigest, sentFor, offered, summedNanos, true, windowNanos, pages, others);
        }

        Talk counted(boolean isPage, long now, long window) {
            boolean isOver = now - windowNanos >= window;
            return new Talk(
                    rekey,
                    theirs,
                    sentDigest,
                    sentFor,
                    offered,
                    summedNanos,
                    owed,
                    isOver ? now : windowNanos,
                    (isOver ? 0 : pages) + (isPage ? 1 : 0),
                    (isOver ? 0 : others) + (isPage ? 0 : 1));
        }
    }

    /**
     * State.
     *
     * @param book in use: what is on the disk, and entries on their way to it
     * @param dueNanos since when the secret has to be replaced, or was asked to be; -1 while it has not
     * @param notes what the last {@link Effect.Say} told
     */
    public record State(RosterBook book, SortedMap<LinkId, Talk> links, Optional<Long> dueNanos, Notes notes) {
        /** At the start, with what is on the disk. */
        public static State of(RosterBook book) {
            return new State(book, new TreeMap<>(), Optional.empty(), Notes.NONE);
        }

        /** Links that are talked over. */
        public int linkCount() {
            return links.size();
        }
    }

    @Override
    public Step<State, Effect> step(State state, Event event, long nowNanos) {
        var turn = new Turn(state, nowNanos);
        switch (event) {
            case Event.Opened(LinkId link, boolean rekey, Bytes proved) -> turn.opened(link, rekey, proved);
            case Event.Closed(LinkId link) -> turn.links.remove(link);
            case Event.Received(LinkId link, RosterMessage message) -> turn.received(link, message);
            case Event.Stored(RosterBook stored) -> turn.stored(stored);
            case Event.Tick() -> {}
        }
        turn.drive();
        turn.speak(state);
        return new Step<>(turn.state(), turn.effects);
    }

    @Override
    public long sleepNanos(State state, long nowNanos) {
        long sleep = Long.MAX_VALUE;
        for (Talk talk : state.links().values()) {
            long wait = talk.owed() ? limits.spacingNanos() : limits.summaryNanos();
            sleep = Math.min(sleep, talk.summedNanos() + wait - nowNanos);
        }
        if (state.dueNanos().isPresent()) {
            sleep = Math.min(sleep, state.dueNanos().get() + patience(state.book(), state.links()) - nowNanos);
        } else if (isDue(state.book())) {
            sleep = 0;
        }
        return Math.max(0, sleep);
    }

    private boolean isDue(RosterBook book) {
        return book.isRotationDue() && book.mayRotateAlone(self);
    }

    /** Members before this one in order that are linked have their turn first. */
    private long patience(RosterBook book, SortedMap<LinkId, Talk> links) {
        long before = links.keySet().stream()
                .map(LinkId::peer)
                .filter(peer -> peer.compareTo(self) < 0 && book.roster().isMember(peer))
                .distinct()
                .count();
        return limits.rotateNanos() + before * limits.rankNanos();
    }

    /** One step. */
    private final class Turn {
        private final long now;
        private final SortedMap<LinkId, Talk> links;
        private final List<Effect> effects = new ArrayList<>();
        private RosterBook book;
        private Optional<Long> dueNanos;
        private Notes notes;

        Turn(State state, long now) {
            this.now = now;
            this.book = state.book();
            this.links = new TreeMap<>(state.links());
            this.dueNanos = state.dueNanos();
            this.notes = state.notes();
        }

        State state() {
            return new State(book, links, dueNanos, notes);
        }

        /** A handshake that began before the secret was replaced may end after it. */
        void opened(LinkId link, boolean rekey, Bytes proved) {
            boolean isByFormer = !rekey && !proved.equals(book.keyId());
            links.put(link, Talk.fresh(rekey, now));
            if (closedIfRemoved(link) || (isByFormer && closedIfStranger(link))) {
                return;
            }
            if (links.size() > limits.linksMax()) {
                links.remove(link); // the roster comes by another link
            } else {
                summarize(link);
            }
        }

        void received(LinkId link, RosterMessage message) {
            Talk talk = links.get(link);
            if (talk == null) {
                return; // it is closing
            }
            Talk counted = talk.counted(message instanceof RosterMessage.Page, now, limits.windowNanos());
            links.put(link, counted);
            if (counted.pages() > limits.pagesMax()) {
                close(link, "more pages of a roster than one has");
                return;
            }
            if (counted.others() > limits.othersMax()) {
                close(link, "more summaries and secrets than changes can be");
                return;
            }
            switch (message) {
                case RosterMessage.Summary summary -> {
                    links.put(link, counted.says(summary));
                    if (notes.isElsewhere(link.peer())
                            && summary.digest().equals(book.roster().digest())) {
                        notes = notes.agreed(link.peer());
                    }
                    answer(link);
                }
                case RosterMessage.Page page -> take(link, page);
                case RosterMessage.Secret(RosterBook.Offer offer) -> judge(link, offer);
            }
        }

        private void take(LinkId from, RosterMessage.Page page) {
            Optional<Charter> present = page.charter().filter(this::isPresentOne);
            Roster before = book.roster();
            Roster base = present.map(before::chartered).orElse(before);
            Roster.Merged merged = base.merged(page.entries(), signatures);
            if (merged.dropped().containsKey(Roster.Drop.BAD_SIGNATURE)) {
                close(from, "a roster entry with a wrong signature"); // no node keeps one, so none passes one on
                return;
            }
            if (merged.dropped().containsKey(Roster.Drop.OTHER_FOUNDER)) {
                notes = notes.heard(before, from.peer(), page.entries());
            }
            if (merged.fresh().isEmpty() && base.equals(before)) {
                return;
            }
            changed(book.with(merged.roster()));
            effects.add(new Effect.Store(merged.fresh(), present, Optional.empty()));
            pass(merged.fresh(), Optional.of(from));
            links.replaceAll((_, talk) -> talk.owing());
        }

        /** The charter of the secret in use, which this machine has by itself; believed as the secret is. */
        private boolean isPresentOne(Charter charter) {
            return book.roster().charter().isEmpty()
                    && charter.generation() == book.current().generation()
                    && charter.keyId().equals(book.keyId())
                    && book.roster().isSigned(charter, signatures);
        }

        private void judge(LinkId link, RosterBook.Offer offer) {
            switch (book.judge(offer, self, signatures)) {
                case Verdict.Adopted _ -> // with what it was judged by, for that may be on its way to the disk still
                    effects.add(new Effect.Store(
                            book.roster().entries(), book.roster().charter(), Optional.of(offer)));
                case Verdict.Kept _ -> {}
                case Verdict.PairAgain(var why) -> say(why);
                case Verdict.Rejected(var why) -> close(link, why);
            }
        }

        void stored(RosterBook stored) {
            List<RosterEntry> known = book.roster().entries();
            boolean isNewKey = !stored.keyId().equals(book.keyId());
            Roster.Merged merged = stored.roster().merged(known, signatures);
            RosterBook next = stored.with(merged.roster());
            if (!merged.fresh().isEmpty()) {
                effects.add(new Effect.Store(merged.fresh(), Optional.empty(), Optional.empty()));
            }
            List<RosterEntry> fresh = next.roster().entries().stream()
                    .filter(entry -> !known.contains(entry))
                    .toList();
            boolean isNews = isNewKey || !next.roster().equals(book.roster());
            if (!isNews) {
                return;
            }
            changed(next);
            pass(fresh, Optional.empty());
            if (isNewKey) {
                say("");
            }
            for (LinkId link : List.copyOf(links.keySet())) {
                if (isNewKey && !closedIfStranger(link)) {
                    offer(link);
                }
            }
            links.replaceAll((_, talk) -> talk.owing());
        }

        private void changed(RosterBook next) {
            notes = notes.changed(self, book.roster(), next.roster());
            book = next;
            effects.add(new Effect.Use(next));
            if (next.roster().isRemoved(self)) {
                say("this machine was removed from namespace " + next.roster().namespace()
                        + next.roster()
                                .removal(self)
                                .map(removal -> " by " + removal.by().shortText())
                                .orElse("")
                        + ": to come back, run 'hearth identity reset' and pair it again");
            }
            List.copyOf(links.keySet()).forEach(this::closedIfRemoved);
        }

        private boolean closedIfRemoved(LinkId link) {
            PeerId peer = link.peer();
            boolean isOut = book.roster().isRemoved(peer) && !peer.equals(self);
            if (isOut) {
                close(link, "machine " + peer.shortText() + " was removed");
            }
            return isOut;
        }

        /** Who proved the former secret alone cannot prove the new one, and is not given it. */
        private boolean closedIfStranger(LinkId link) {
            PeerId peer = link.peer();
            boolean isStranger = !book.roster().isMember(peer) && !peer.equals(self);
            if (isStranger) {
                close(
                        link,
                        "the secret was replaced and machine " + peer.shortText() + " is not on the roster: pair it");
            }
            return isStranger;
        }

        private void pass(List<RosterEntry> fresh, Optional<LinkId> from) {
            if (fresh.isEmpty()) {
                return;
            }
            for (Map.Entry<LinkId, Talk> entry : links.entrySet()) {
                if (!from.equals(Optional.of(entry.getKey()))) {
                    sendPages(entry.getKey(), Optional.empty(), fresh);
                }
            }
        }

        private void answer(LinkId link) {
            Talk talk = links.get(link);
            if (talk == null || talk.theirs().isEmpty()) {
                return;
            }
            RosterMessage.Summary theirs = talk.theirs().get();
            boolean isSameKey = theirs.keyId().equals(book.keyId());
            if (talk.rekey() && isSameKey) {
                close(link, "both sides hold the new secret");
                return;
            }
            Bytes own = book.roster().digest();
            boolean isSaid = talk.sentDigest().equals(own) && talk.sentFor().equals(theirs.digest());
            if (!own.equals(theirs.digest()) && !isSaid) {
                links.put(link, talk.sent(own, theirs.digest()));
                sendPages(
                        link,
                        isSameKey ? book.roster().charter() : Optional.empty(),
                        book.roster().entries());
            }
            offer(link);
        }

        /** The secret goes to members only; the other side judges, for a higher generation may be that of a machine that was removed. */
        private void offer(LinkId link) {
            Talk talk = links.get(link);
            Optional<RosterBook.Offer> own = book.offer();
            if (talk == null || talk.theirs().isEmpty() || own.isEmpty()) {
                return;
            }
            RosterMessage.Summary theirs = talk.theirs().get();
            boolean isOther = !theirs.keyId().equals(book.keyId());
            if (isOther && !talk.offered().equals(book.keyId()) && book.roster().isMember(link.peer())) {
                links.put(link, talk.offered(book.keyId()));
                effects.add(new Effect.Send(link, new RosterMessage.Secret(own.get())));
            }
        }

        private void sendPages(LinkId link, Optional<Charter> charter, List<RosterEntry> entries) {
            RosterMessageCodec.pages(charter, entries).forEach(page -> effects.add(new Effect.Send(link, page)));
        }

        private void summarize(LinkId link) {
            Talk talk = links.get(link);
            if (talk != null) {
                links.put(link, talk.summed(now));
                effects.add(new Effect.Send(
                        link,
                        new RosterMessage.Summary(
                                book.roster().digest(), book.current().generation(), book.keyId())));
            }
        }

        private void close(LinkId link, String why) {
            links.remove(link);
            effects.add(new Effect.Close(link, why));
        }

        private void say(String line) {
            notes = notes.telling(line);
        }

        /** Tells a person what is new. */
        void speak(State before) {
            String line = notes.line(book.roster());
            if (!line.equals(before.notes().line(before.book().roster()))) {
                effects.add(new Effect.Say(line));
            }
        }

        /** Does what is due. */
        void drive() {
            for (Map.Entry<LinkId, Talk> entry : List.copyOf(links.entrySet())) {
                Talk talk = entry.getValue();
                if (now - talk.summedNanos() >= limits.summaryNanos()) {
                    links.put(entry.getKey(), talk.offered(Bytes.EMPTY)); // what was kept may be taken by now
                    summarize(entry.getKey());
                } else if (talk.owed() && now - talk.summedNanos() >= limits.spacingNanos()) {
                    summarize(
                            entry.getKey()); // once for a burst of pages, and not for each: all entries go out for each
                }
            }
            if (!isDue(book)) {
                dueNanos = Optional.empty();
            } else if (dueNanos.isEmpty()) {
                dueNanos = Optional.of(now);
            } else if (now - dueNanos.get() >= patience(book, links)) {
                dueNanos = Optional.of(now);
                effects.add(new Effect.Rotate(book.current().generation()));
            }
        }
    }
}
