package io.hearth.identity.roster.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.Step;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.Ed25519;
import io.hearth.identity.roster.GrantKind;
import io.hearth.identity.roster.RosterBook;
import io.hearth.identity.roster.RosterEntry;
import io.hearth.identity.roster.machine.RosterMachine.Effect;
import io.hearth.identity.roster.machine.RosterMachine.Event;
import io.hearth.identity.roster.machine.RosterMachine.LinkId;
import io.hearth.identity.roster.machine.RosterMachine.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class RosterMachineTest {
    private static final long SECOND = 1_000_000_000L;

    private final NodeIdentity self = NodeIdentity.generate();
    private final NodeIdentity friend = NodeIdentity.generate();
    private final NodeIdentity stranger = NodeIdentity.generate();
    private final LinkId toFriend = new LinkId(friend.peer(), 1);
    private final LinkId toStranger = new LinkId(stranger.peer(), 2);
    private final RosterMachine machine =
            new RosterMachine(self.peer(), Ed25519.INSTANCE, RosterMachine.Limits.DEFAULT);
    private final RosterBook first = RosterBook.bySecret(NetworkNamespace.create("home"))
            .founded(Ed25519.hand(self), "own", 1, Ed25519.INSTANCE)
            .granted(Ed25519.hand(self), friend.peer(), "friend", GrantKind.PAIRED, 1, Ed25519.INSTANCE)
            .orElseThrow();
    private State state = State.of(first);

    private List<Effect> happens(Event event, long nowNanos) {
        Step<State, Effect> step = machine.step(state, event, nowNanos);
        state = step.state();
        return step.effects();
    }

    private List<Effect> linked() {
        var effects = new ArrayList<Effect>();
        effects.addAll(happens(opened(toFriend, false), 0));
        effects.addAll(happens(opened(toStranger, false), 0));
        var summary = new RosterMessage.Summary(first.roster().digest(), 1, first.keyId());
        effects.addAll(happens(new Event.Received(toFriend, summary), 0));
        effects.addAll(happens(new Event.Received(toStranger, summary), 0));
        return effects;
    }

    private static List<LinkId> closed(List<Effect> effects) {
        return effects.stream()
                .filter(Effect.Close.class::isInstance)
                .map(effect -> ((Effect.Close) effect).link())
                .toList();
    }

    private static List<LinkId> given(List<Effect> effects) {
        return effects.stream()
                .filter(effect -> effect instanceof Effect.Send(var _, RosterMessage.Secret _))
                .map(effect -> ((Effect.Send) effect).link())
                .toList();
    }

    @Test
    void aNewSecretGoesToMembersAndEndsTheLinksOfOthers() {
        assertEquals(List.of(), given(linked()));
        RosterBook second = first.rotated(Ed25519.hand(self), first.current().successor(), 2, Ed25519.INSTANCE);
        List<Effect> effects = happens(new Event.Stored(second), SECOND);
        assertEquals(List.of(toFriend), given(effects));
        assertEquals(List.of(toStranger), closed(effects));
    }

    @Test
    void aMachineThatWasAwayGetsTheSecretOnlyIfItIsAMember() {
        RosterBook second = first.rotated(Ed25519.hand(self), first.current().successor(), 2, Ed25519.INSTANCE);
        state = State.of(second);
        var old = new RosterMessage.Summary(first.roster().digest(), 1, first.keyId());
        for (LinkId link : List.of(toFriend, toStranger)) {
            var _ = happens(opened(link, true), 0);
            List<Effect> effects = happens(new Event.Received(link, old), 0);
            assertEquals(link.equals(toFriend) ? List.of(toFriend) : List.of(), given(effects));
        }
        var now = new RosterMessage.Summary(second.roster().digest(), 2, second.keyId());
        assertEquals(List.of(toFriend), closed(happens(new Event.Received(toFriend, now), 0)), "re-keyed");
    }

    /** Attack 20: the higher generation may be that of a removed machine, and only the other side knows. */
    @Test
    void aMemberWithASecretOfAHigherGenerationIsOfferedTheOwnOne() {
        RosterBook second = first.rotated(Ed25519.hand(self), first.current().successor(), 2, Ed25519.INSTANCE);
        state = State.of(second);
        var _ = happens(opened(toFriend, true), 0);
        var far = new RosterMessage.Summary(first.roster().digest(), 60, first.keyId());
        assertEquals(List.of(toFriend), given(happens(new Event.Received(toFriend, far), 0)));
    }

    @Test
    void aSecretThatCameIsStoredBeforeItIsUsedOrOffered() {
        var _ = linked();
        RosterBook second = first.rotated(Ed25519.hand(self), first.current().successor(), 2, Ed25519.INSTANCE);
        List<Effect> effects = happens(
                new Event.Received(
                        toFriend, new RosterMessage.Secret(second.offer().orElseThrow())),
                SECOND);
        assertEquals(List.of(), given(effects));
        assertTrue(effects.stream().anyMatch(Effect.Store.class::isInstance), effects.toString());
        assertFalse(effects.stream().anyMatch(Effect.Use.class::isInstance), effects.toString());
        assertEquals(first.keyId(), state.book().keyId());
        assertTrue(happens(new Event.Stored(second), SECOND).stream().anyMatch(Effect.Use.class::isInstance));
        assertEquals(second.keyId(), state.book().keyId());
    }

    @Test
    void aRemovalIsUsedAndPassedOnAtOnceAndStored() {
        var _ = linked();
        RosterBook second = first.without(
                        Ed25519.hand(self),
                        List.of(stranger.peer()),
                        first.current().successor(),
                        2,
                        Ed25519.INSTANCE)
                .orElseThrow();
        var page = new RosterMessage.Page(Optional.empty(), second.roster().entries());
        List<Effect> effects = happens(new Event.Received(toFriend, page), SECOND);
        assertEquals(List.of(toStranger), closed(effects));
        assertTrue(effects.stream().anyMatch(Effect.Store.class::isInstance));
        assertTrue(state.book().roster().isRemoved(stranger.peer()));
        assertEquals(List.of(), happens(new Event.Received(toFriend, page), SECOND), "nothing new");
        assertEquals(List.of(toStranger), closed(happens(opened(toStranger, false), SECOND)));
    }

    /** The secret that a handshake proves is fixed when it begins; the secret may be replaced before it ends. */
    @Test
    void whoIsOnNoRosterAndProvedASecretThatWasReplacedMeanwhileIsClosed() {
        RosterBook second = first.rotated(Ed25519.hand(self), first.current().successor(), 2, Ed25519.INSTANCE);
        state = State.of(second);
        assertEquals(List.of(toStranger), closed(happens(new Event.Opened(toStranger, false, first.keyId()), 0)));
        assertEquals(List.of(), closed(happens(new Event.Opened(toFriend, false, first.keyId()), 0)));
        assertEquals(List.of(), closed(happens(new Event.Opened(toStranger, false, second.keyId()), SECOND)));
    }

    private Event opened(LinkId link, boolean rekey) {
        return new Event.Opened(link, rekey, state.book().keyId());
    }

    @Test
    void aRemovalWhoseIssuerIsGoneGetsItsNewSecretFromAnother() {
        RosterBook second = first.without(
                        Ed25519.hand(self),
                        List.of(stranger.peer()),
                        first.current().successor(),
                        2,
                        Ed25519.INSTANCE)
                .orElseThrow();
        var page = new RosterMessage.Page(Optional.empty(), second.roster().entries());
        var _ = linked();
        var _ = happens(new Event.Received(toFriend, page), 0);
        assertEquals(List.of(), rotations(happens(new Event.Tick(), SECOND)));
        List<Effect> late = happens(new Event.Tick(), 20 * SECOND);
        assertEquals(List.of(new Effect.Rotate(1)), rotations(late));
        assertEquals(List.of(), rotations(happens(new Event.Tick(), 20 * SECOND)), "once for a while");
    }

    private static List<Effect> rotations(List<Effect> effects) {
        return effects.stream().filter(Effect.Rotate.class::isInstance).toList();
    }

    /** A peer that changes its digest again and again would get the whole roster each time. */
    @Test
    void summariesWithoutEndCostTheLink() {
        var _ = linked();
        var effects = new ArrayList<Effect>();
        for (int i = 0; i <= RosterMachine.Limits.DEFAULT.othersMax(); i++) {
            byte[] digest = new byte[32];
            digest[0] = (byte) i;
            effects.addAll(happens(
                    new Event.Received(toFriend, new RosterMessage.Summary(Bytes.of(digest), 1, first.keyId())), 0));
        }
        assertEquals(List.of(toFriend), closed(effects));
    }

    /** Each secret costs the check of a signature; secrets count together with summaries. */
    @Test
    void secretsWithoutEndCostTheLink() {
        RosterMessage.Secret known = known();
        var summary = new RosterMessage.Summary(
                state.book().roster().digest(), 2, state.book().keyId());
        var effects = new ArrayList<Effect>();
        for (int i = 1; i <= RosterMachine.Limits.DEFAULT.othersMax(); i++) {
            effects.addAll(happens(new Event.Received(toFriend, i % 2 == 0 ? summary : known), 0));
        }
        assertEquals(List.of(), closed(effects));
        assertEquals(List.of(toFriend), closed(happens(new Event.Received(toFriend, known), 0)));
    }

    @Test
    void messagesAreCountedFromZeroInTheNextWindow() {
        RosterMessage.Secret known = known();
        RosterMachine.Limits limits = RosterMachine.Limits.DEFAULT;
        var effects = new ArrayList<Effect>();
        for (int window = 0; window < 3; window++) {
            for (int i = 0; i < limits.othersMax(); i++) {
                effects.addAll(happens(new Event.Received(toFriend, known), window * limits.windowNanos()));
            }
        }
        assertEquals(List.of(), closed(effects));
    }

    /** The secret that both sides of a new link hold. */
    private RosterMessage.Secret known() {
        state = State.of(first.rotated(Ed25519.hand(self), first.current().successor(), 2, Ed25519.INSTANCE));
        var _ = happens(opened(toFriend, false), 0);
        return new RosterMessage.Secret(state.book().offer().orElseThrow());
    }

    @Test
    void aBurstOfPagesIsAnsweredByOneSummary() {
        var _ = linked();
        var summaries = new ArrayList<Effect>();
        for (int i = 0; i < 8; i++) {
            RosterBook more = first.granted(
                            Ed25519.hand(self),
                            NodeIdentity.generate().peer(),
                            "m" + i,
                            GrantKind.PAIRED,
                            1,
                            Ed25519.INSTANCE)
                    .orElseThrow();
            var page = new RosterMessage.Page(Optional.empty(), more.roster().entries());
            summaries.addAll(happens(new Event.Received(toFriend, page), 1_000_000L * i));
        }
        summaries.addAll(happens(new Event.Tick(), 100_000_000L));
        assertTrue(machine.sleepNanos(state, 100_000_000L) <= 100_000_000L);
        summaries.addAll(happens(new Event.Tick(), 200_000_000L));
        assertEquals(
                1,
                summaries.stream()
                        .filter(effect -> effect instanceof Effect.Send(LinkId link, RosterMessage.Summary _)
                                && link.equals(toFriend))
                        .count());
    }

    /** Attack 22: a grant and a removal in another machine's name, beside a valid entry. */
    @Test
    void anEntryInAnothersNameCostsTheLinkAndNothingOfItsPageCounts() {
        RosterEntry good = first.granted(
                        Ed25519.hand(friend), stranger.peer(), "guest", GrantKind.PAIRED, 2, Ed25519.INSTANCE)
                .orElseThrow()
                .roster()
                .grant(stranger.peer())
                .orElseThrow();
        Bytes friends = good.signature();
        for (RosterEntry forged : List.of(
                new RosterEntry.Grant(stranger.peer(), self.peer(), "guest", GrantKind.PAIRED, 2, friends),
                new RosterEntry.Removal(friend.peer(), self.peer(), 2, friends),
                new RosterEntry.Removal(self.peer(), friend.peer(), 2, friends))) {
            state = State.of(first);
            var _ = linked();
            var page = new RosterMessage.Page(Optional.empty(), List.of(good, forged));
            List<Effect> effects = happens(new Event.Received(toStranger, page), SECOND);
            assertEquals(
                    List.of(new Effect.Close(toStranger, "a roster entry with a wrong signature")),
                    effects,
                    forged::toString);
            assertEquals(first, state.book());
        }
        var page = new RosterMessage.Page(Optional.empty(), List.of(good));
        assertEquals(List.of(), closed(happens(new Event.Received(toFriend, page), SECOND)));
        assertTrue(state.book().roster().isMember(stranger.peer()), "the good one alone counts");
    }

    /**
     * A founder's entry of an unknown machine, in its own name: a member that sends it on may have no better knowledge, so its link stays.
     */
    @Test
    void anEntryWithoutStandingIsDroppedAndItsLinkStays() {
        var _ = linked();
        List<RosterEntry> founded = RosterBook.bySecret(first.current())
                .founded(Ed25519.hand(stranger), "x", 2, Ed25519.INSTANCE)
                .roster()
                .entries();
        var page = new RosterMessage.Page(Optional.empty(), founded);
        List<Effect> effects = happens(new Event.Received(toStranger, page), SECOND);
        assertEquals(1, effects.size(), effects.toString());
        assertEquals(1, said(effects).size(), "a person has to know that there are two rosters");
        assertEquals(first, state.book());
        assertEquals(List.of(), happens(new Event.Received(toStranger, page), SECOND), "once");
    }

    /** Both halves show the line. It disappears when each machine of the other half has the roster of this one, or was removed. */
    @Test
    void twoFoundersAreSaidOnBothSidesUntilOneHalfCameOver() {
        RosterBook theirs =
                RosterBook.bySecret(first.current()).founded(Ed25519.hand(stranger), "x", 2, Ed25519.INSTANCE);
        var page = new RosterMessage.Page(Optional.empty(), theirs.roster().entries());
        var own = new RosterMessage.Page(Optional.empty(), first.roster().entries());
        var _ = linked();
        var there = new RosterMachine(stranger.peer(), Ed25519.INSTANCE, RosterMachine.Limits.DEFAULT);
        var toHere = new LinkId(self.peer(), 5);
        State opened = there.step(State.of(theirs), new Event.Opened(toHere, false, theirs.keyId()), 0)
                .state();
        List<Effect> effects =
                there.step(opened, new Event.Received(toHere, own), 0).effects();
        for (List<String> said : List.of(said(happens(new Event.Received(toStranger, page), SECOND)), said(effects))) {
            assertEquals(1, said.size());
            String line = said.getFirst();
            assertTrue(line.contains("two machines founded") && line.contains("'hearth pair'"), line);
            assertTrue(
                    line.contains(self.peer().shortText())
                            && line.contains(stranger.peer().shortText()),
                    line);
        }
        RosterBook paired = first.granted(
                        Ed25519.hand(self), stranger.peer(), "x", GrantKind.PAIRED, 3, Ed25519.INSTANCE)
                .orElseThrow();
        assertEquals(List.of(), said(happens(new Event.Stored(paired), SECOND)), "it has not taken the welcome yet");
        assertEquals(
                1, said(happens(new Event.Received(toFriend, page), SECOND)).size(), "one more of that roster");
        var brought = new RosterMessage.Summary(paired.roster().digest(), 1, paired.keyId());
        String left =
                said(happens(new Event.Received(toStranger, brought), SECOND)).getFirst();
        assertTrue(left.contains(friend.peer().shortText()), left);
        assertEquals(List.of(""), said(happens(new Event.Received(toFriend, brought), SECOND)));
        assertEquals(
                1, said(happens(new Event.Received(toFriend, page), SECOND)).size());
        assertEquals(List.of(""), said(happens(new Event.Stored(removing(paired, self, friend.peer())), SECOND)));
    }

    /** The friend signed the removal of the stranger here; meanwhile, the other side removed the friend. */
    @Test
    void aRemovalThatIsUndoneBecauseItsSignerWasRemovedIsSaidUntilItIsMadeAgain() {
        RosterBook start = first.granted(
                        Ed25519.hand(self), stranger.peer(), "stranger", GrantKind.PAIRED, 1, Ed25519.INSTANCE)
                .orElseThrow();
        NodeIdentity third = NodeIdentity.generate();
        start = start.granted(Ed25519.hand(self), third.peer(), "third", GrantKind.PAIRED, 1, Ed25519.INSTANCE)
                .orElseThrow();
        RosterBook here = removing(start, friend, stranger.peer());
        RosterBook there = removing(start, third, friend.peer());
        state = State.of(start);
        assertEquals(List.of(), said(happens(new Event.Stored(here), 0)));
        assertTrue(state.book().roster().isRemoved(stranger.peer()));
        var page = new RosterMessage.Page(Optional.empty(), there.roster().entries());
        assertEquals(List.of(), said(happens(new Event.Received(toStranger, page), SECOND)));
        RosterBook healed =
                here.taking(there.roster().entries(), Optional.empty(), there.offer(), self.peer(), Ed25519.INSTANCE);
        assertEquals(there.keyId(), healed.keyId());
        String line = "the removal of " + stranger.peer().shortText() + " by "
                + friend.peer().shortText() + " no longer counts because "
                + friend.peer().shortText() + " was removed; run 'hearth remove "
                + stranger.peer().shortText() + "' again";
        assertEquals(List.of(line), said(happens(new Event.Stored(healed), SECOND)), "though the secret is new, too");
        assertTrue(state.book().roster().isMember(stranger.peer()));
        RosterBook later = healed.rotated(Ed25519.hand(self), healed.current().successor(), 3, Ed25519.INSTANCE);
        assertEquals(List.of(), said(happens(new Event.Stored(later), SECOND)), "it stays: no machine did anything");
        assertEquals(List.of(""), said(happens(new Event.Stored(removing(later, self, stranger.peer())), SECOND)));
    }

    private static RosterBook removing(RosterBook book, NodeIdentity by, PeerId machine) {
        return book.without(Ed25519.hand(by), List.of(machine), book.current().successor(), 2, Ed25519.INSTANCE)
                .orElseThrow();
    }

    private static List<String> said(List<Effect> effects) {
        return effects.stream()
                .filter(Effect.Say.class::isInstance)
                .map(effect -> ((Effect.Say) effect).line())
                .toList();
    }

    @Test
    void moreEntriesThanARosterHasCostTheLink() {
        var _ = linked();
        var page = new RosterMessage.Page(Optional.empty(), first.roster().entries());
        var effects = new ArrayList<Effect>();
        for (int i = 0; i <= RosterMachine.Limits.DEFAULT.pagesMax(); i++) {
            effects.addAll(happens(new Event.Received(toFriend, page), 0));
        }
        assertEquals(List.of(toFriend), closed(effects));
    }
}
