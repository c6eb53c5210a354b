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
 * Synchronises the rosters of linked machines and sends a new secret to all members.
 *
 * <pre>
 * link opened            Summary; another one every 10 s, and 200 ms after the last one if something changed
 * Summary, other digest  all entries in pages, once for each pair of digests
 * Summary, other key     Secret, if the peer is a member: it decides which of the two stays
 * Page                   entries with standing: used at once, Store, sent on; links to removed machines close
 * Page, another founder  Say: two machines founded rosters, and a person chooses one
 * Page, a forged entry   link closed, and no entry of the page counts
 * Secret, a better one   Store; when it is on disk (Stored): used, then offered to all members
 * Stored, from another   process of this home: as if it had come over a link
 * secret replaced        links to machines that are not on the roster close: they proved only the former one
 * removal uncovered      for 3 s and 2 s more for each linked member before this one: Rotate
 * removal undone         Say: the charter that stays marks its signer as removed, and a person removes the machine again
 * rekey link, same key   closed: a rekey link carries nothing else
 * </pre>
 *
 * <p>Entries are signed, so this machine may use them and send them on before they are on disk. It sends a secret only after storing it: if
 * it lost a secret that others have, it would be out of date.
 *
 * <p>Rejected alternatives: a leader that distributes secrets, since the members of a home are equal and any of them may be off; agreement
 * by the view's quorum, because a removal must work with two machines left, and over a longer time than views last.
 */
public final class RosterMachine implements Machine<RosterMachine.State, RosterMachine.Event, RosterMachine.Effect> {
    private final PeerId self;
    private final Signatures signatures;
    private final Limits limits;

    /** The machine of the node on computer {@code self}. */
    public RosterMachine(PeerId self, Signatures signatures, Limits limits) {
        this.self = self;
        this.signatures = signatures;
        this.limits = limits;
    }

    /**
     * Bounds.
     *
     * @param summaryNanos time between two summaries on a link without changes
     * @param spacingNanos least time between two summaries on a link with changes
     * @param rotateNanos time for which a removal may be uncovered before the first member replaces the secret
     * @param rankNanos additional time for each further member
     * @param windowNanos window over which the messages of a link are counted
     * @param pagesMax most pages of one link within a window; more close the link
     * @param othersMax most other messages of one link within a window
     * @param linksMax most links in use at a time
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
                        "every span and bound must be above 0, pagesMax must allow two rosters, and othersMax two messages per spacingNanos");
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

    /** The inputs of the machine. */
    public sealed interface Event {
        /**
         * A link is up.
         *
         * @param rekey whether the two sides have only a former secret in common
         * @param proved key id of the secret that both sides proved
         */
        record Opened(LinkId link, boolean rekey, Bytes proved) implements Event {}

        /** The link is down. */
        record Closed(LinkId link) implements Event {}

        /** A message came over the link. */
        record Received(LinkId link, RosterMessage message) implements Event {}

        /** The book is on the disk: an answer to {@link Effect.Store} or {@link Effect.Rotate}, or a change by another process. */
        record Stored(RosterBook book) implements Event {}

        /** Time passed. */
        record Tick() implements Event {}
    }

    /** The effects, which the shell carries out in order. */
    public sealed interface Effect {
        /** Send on that link; the message is lost if the link is down. */
        record Send(LinkId link, RosterMessage message) implements Effect {}

        /** Close that link; {@code why} is for people of both sides. */
        record Close(LinkId link, String why) implements Effect {}

        /** Merge these into the file, and answer with {@link Event.Stored}. */
        record Store(List<RosterEntry> entries, Optional<Charter> present, Optional<RosterBook.Offer> offer)
                implements Effect {}

        /** If the secret in the file still has that generation and has to be replaced: replace it, and answer with {@link Event.Stored}. */
        record Rotate(int generation) implements Effect {}

        /** Use this book for admission, announcements and proofs from now on. */
        record Use(RosterBook book) implements Effect {}

        /** Show this line to a person; an empty line clears it. */
        record Say(String line) implements Effect {}
    }

    /**
     * The state of a link.
     *
     * @param rekey whether the two sides have only a former secret in common
     * @param theirs the last summary of the other side
     * @param sent what this side told the other one
     * @param summaries when this side sends summaries
     * @param traffic how much the other side sends
     */
    record Talk(
            boolean rekey, Optional<RosterMessage.Summary> theirs, Sent sent, Summaries summaries, Traffic traffic) {
        /**
         * The messages of one side to the other; a part without a message is empty.
         *
         * @param digest of the roster whose entries it sent last
         * @param answered digest of the other side's roster to which these entries were the answer
         * @param offered key id of the secret that it offered last
         */
        record Sent(Bytes digest, Bytes answered, Bytes offered) {
            private static final Sent NOTHING = new Sent(Bytes.EMPTY, Bytes.EMPTY, Bytes.EMPTY);
        }

        /**
         * The summaries of one side.
         *
         * @param sentNanos time of the last one
         * @param isDue whether the next one is due because of a change
         */
        record Summaries(long sentNanos, boolean isDue) {}

        /**
         * The messages of the other side within the present window.
         *
         * @param sinceNanos begin of the window
         */
        record Traffic(long sinceNanos, int pages, int others) {
            private Traffic more(boolean isPage, long now, long window) {
                Traffic before = now - sinceNanos >= window ? new Traffic(now, 0, 0) : this;
                return isPage
                        ? new Traffic(before.sinceNanos, before.pages + 1, before.others)
                        : new Traffic(before.sinceNanos, before.pages, before.others + 1);
            }
        }

        static Talk fresh(boolean rekey, long now) {
            return new Talk(rekey, Optional.empty(), Sent.NOTHING, new Summaries(now, false), new Traffic(now, 0, 0));
        }

        Talk says(RosterMessage.Summary summary) {
            return new Talk(rekey, Optional.of(summary), sent, summaries, traffic);
        }

        /** Entries of the roster {@code own} were sent, as an answer to the roster {@code answered}. */
        Talk sent(Bytes own, Bytes answered) {
            return new Talk(rekey, theirs, new Sent(own, answered, sent.offered()), summaries, traffic);
        }

        Talk offered(Bytes keyId) {
            return new Talk(rekey, theirs, new Sent(sent.digest(), sent.answered(), keyId), summaries, traffic);
        }

        Talk summed(long now) {
            return new Talk(rekey, theirs, sent, new Summaries(now, false), traffic);
        }

        Talk withSummaryDue() {
            return new Talk(rekey, theirs, sent, new Summaries(summaries.sentNanos(), true), traffic);
        }

        Talk counted(boolean isPage, long now, long window) {
            return new Talk(rekey, theirs, sent, summaries, traffic.more(isPage, now, window));
        }
    }

    /**
     * The state of the machine.
     *
     * @param book in use: the one on the disk, plus entries on their way to it
     * @param dueNanos time since which the secret has to be replaced, or of the last {@link Effect.Rotate}; empty while it need not be
     *     replaced
     * @param notes the notices of the last {@link Effect.Say}
     */
    public record State(RosterBook book, SortedMap<LinkId, Talk> links, Optional<Long> dueNanos, Notes notes) {
        /** The start state, with the book on the disk. */
        public static State of(RosterBook book) {
            return new State(book, new TreeMap<>(), Optional.empty(), Notes.NONE);
        }

        /** Number of links in use. */
        public int linkCount() {
            return links.size();
        }
    }

    @Override
    public Step<State, Effect> step(State state, Event event, long nowNanos) {
        var transition = new Transition(state, nowNanos);
        switch (event) {
            case Event.Opened(LinkId link, boolean rekey, Bytes proved) -> transition.opened(link, rekey, proved);
            case Event.Closed(LinkId link) -> transition.links.remove(link);
            case Event.Received(LinkId link, RosterMessage message) -> transition.received(link, message);
            case Event.Stored(RosterBook stored) -> transition.stored(stored);
            case Event.Tick() -> {}
        }
        transition.drive();
        transition.speak(state);
        return new Step<>(transition.state(), transition.effects);
    }

    @Override
    public long sleepNanos(State state, long nowNanos) {
        long sleep = Long.MAX_VALUE;
        for (Talk talk : state.links().values()) {
            long wait = talk.summaries().isDue() ? limits.spacingNanos() : limits.summaryNanos();
            sleep = Math.min(sleep, talk.summaries().sentNanos() + wait - nowNanos);
        }
        if (state.dueNanos().isPresent()) {
            sleep = Math.min(
                    sleep, state.dueNanos().get() + rotationDelayNanos(state.book(), state.links()) - nowNanos);
        } else if (isDue(state.book())) {
            sleep = 0;
        }
        return Math.max(0, sleep);
    }

    private boolean isDue(RosterBook book) {
        return book.isRotationDue() && book.mayRotateAlone(self);
    }

    /** The time to wait before a rotation; linked members with a lower id rotate first. */
    private long rotationDelayNanos(RosterBook book, SortedMap<LinkId, Talk> links) {
        long before = links.keySet().stream()
                .map(LinkId::peer)
                .filter(peer -> peer.compareTo(self) < 0 && book.roster().isMember(peer))
                .distinct()
                .count();
        return limits.rotateNanos() + before * limits.rankNanos();
    }

    /** One step. */
    private final class Transition {
        private final long now;
        private final SortedMap<LinkId, Talk> links;
        private final List<Effect> effects = new ArrayList<>();
        private RosterBook book;
        private Optional<Long> dueNanos;
        private Notes notes;

        Transition(State state, long now) {
            this.now = now;
            this.book = state.book();
            this.links = new TreeMap<>(state.links());
            this.dueNanos = state.dueNanos();
            this.notes = state.notes();
        }

        State state() {
            return new State(book, links, dueNanos, notes);
        }

        /** A link came up. Its handshake may have begun before the secret was replaced. */
        void opened(LinkId link, boolean rekey, Bytes proved) {
            boolean isByFormer = !rekey && !proved.equals(book.keyId());
            links.put(link, Talk.fresh(rekey, now));
            if (closedIfRemoved(link) || (isByFormer && closedIfStranger(link))) {
                return;
            }
            if (links.size() > limits.linksMax()) {
                links.remove(link); // the roster comes over another link
            } else {
                summarize(link);
            }
        }

        void received(LinkId link, RosterMessage message) {
            Talk talk = links.get(link);
            if (talk == null) {
                return; // the link is closing
            }
            Talk counted = talk.counted(message instanceof RosterMessage.Page, now, limits.windowNanos());
            links.put(link, counted);
            if (counted.traffic().pages() > limits.pagesMax()) {
                close(link, "more pages than a roster has");
                return;
            }
            if (counted.traffic().others() > limits.othersMax()) {
                close(link, "more summaries and secrets than changes are possible");
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
                close(from, "a roster entry with a wrong signature"); // no honest node keeps or sends such an entry
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
            links.replaceAll((_, talk) -> talk.withSummaryDue());
        }

        /** Whether it is the charter of the secret in use, while this machine knows none; as trusted as the secret itself. */
        private boolean isPresentOne(Charter charter) {
            return book.roster().charter().isEmpty()
                    && charter.generation() == book.current().generation()
                    && charter.keyId().equals(book.keyId())
                    && book.roster().isSigned(charter, signatures);
        }

        private void judge(LinkId link, RosterBook.Offer offer) {
            switch (book.judge(offer, self, signatures)) {
                case Verdict.Adopted _ -> // with the entries that it was judged by, which may not be on the disk yet
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
            links.replaceAll((_, talk) -> talk.withSummaryDue());
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

        /** Closes the link to a machine that is not on the roster: it proved only the former secret, and must not get the new one. */
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
            boolean isSaid =
                    talk.sent().digest().equals(own) && talk.sent().answered().equals(theirs.digest());
            if (!own.equals(theirs.digest()) && !isSaid) {
                links.put(link, talk.sent(own, theirs.digest()));
                sendPages(
                        link,
                        isSameKey ? book.roster().charter() : Optional.empty(),
                        book.roster().entries());
            }
            offer(link);
        }

        /**
         * Sends the secret to members only. The receiver decides, because a secret of a higher generation may be that of a removed machine.
         */
        private void offer(LinkId link) {
            Talk talk = links.get(link);
            Optional<RosterBook.Offer> own = book.offer();
            if (talk == null || talk.theirs().isEmpty() || own.isEmpty()) {
                return;
            }
            RosterMessage.Summary theirs = talk.theirs().get();
            boolean isOther = !theirs.keyId().equals(book.keyId());
            if (isOther
                    && !talk.sent().offered().equals(book.keyId())
                    && book.roster().isMember(link.peer())) {
                links.put(link, talk.offered(book.keyId()));
                effects.add(new Effect.Send(link, new RosterMessage.Secret(own.get())));
            }
        }

        private void sendPages(LinkId link, Optional<Charter> charter, List<RosterEntry> entries) {
            RosterMessageEncoding.pages(charter, entries).forEach(page -> effects.add(new Effect.Send(link, page)));
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
            notes = notes.withMessage(line);
        }

        /** Shows new notices to a person. */
        void speak(State before) {
            String line = notes.line(book.roster());
            if (!line.equals(before.notes().line(before.book().roster()))) {
                effects.add(new Effect.Say(line));
            }
        }

        /** Runs the timers: summaries and rotation. */
        void drive() {
            for (Map.Entry<LinkId, Talk> entry : List.copyOf(links.entrySet())) {
                Talk talk = entry.getValue();
                if (now - talk.summaries().sentNanos() >= limits.summaryNanos()) {
                    links.put(
                            entry.getKey(),
                            talk.offered(Bytes.EMPTY)); // an offer that was rejected before may be accepted by now
                    summarize(entry.getKey());
                } else if (talk.summaries().isDue() && now - talk.summaries().sentNanos() >= limits.spacingNanos()) {
                    summarize(entry.getKey()); // once for a burst of pages, because each summary may make the peer
                    // send all entries
                }
            }
            if (!isDue(book)) {
                dueNanos = Optional.empty();
            } else if (dueNanos.isEmpty()) {
                dueNanos = Optional.of(now);
            } else if (now - dueNanos.get() >= rotationDelayNanos(book, links)) {
                dueNanos = Optional.of(now);
                effects.add(new Effect.Rotate(book.current().generation()));
            }
        }
    }
}
