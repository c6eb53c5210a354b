package io.hearth.identity.roster;

import io.hearth.core.MalformedMessageException;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The actions of a person on this machine's roster, and the welcome of pairing. This machine signs each change, which is on disk when the
 * method returns. Running nodes of this home see it within a fraction of a second and send it to the others.
 */
public final class RosterDesk {
    /** Most bytes of a {@link #welcome}. */
    public static final int WELCOME_BYTES_MAX = RosterEncoding.ROSTER_BYTES_MAX + 128;

    private static final byte WELCOME_VERSION = 1;

    private final RosterFile file;
    private final NetworkNamespace given;
    private final Signatures.Hand hand;
    private final String label;

    /**
     * A desk; reads nothing yet.
     *
     * @param given the secret as {@code NamespaceLookup} finds it
     * @param label this machine's name for people, for the founder's entry
     * @throws SetupException if the namespace is open, so that it has no members and no roster
     */
    public RosterDesk(HearthHome home, NetworkNamespace given, NodeIdentity identity, String label)
            throws SetupException {
        if (given.isOpen()) {
            throw new SetupException(
                    "an open namespace has no roster, because any machine may join; make a closed one with"
                            + " 'hearth init'");
        }
        this.file = RosterFile.in(home, given.name());
        this.given = given;
        this.hand = Ed25519.hand(identity);
        this.label = label;
    }

    /** The present book. */
    public RosterBook book() throws SetupException {
        return file.load(given);
    }

    /**
     * Founds the namespace, unless a founder is known: this machine becomes the root of the roster. Only for the machine that made the
     * secret, or if a person confirms that no other machine has a roster: two rosters do not know each other's removals.
     *
     * @param epochMillis wall clock
     * @throws SetupException if another machine founded it
     */
    public RosterBook found(long epochMillis) throws SetupException {
        return file.change(given, before -> {
            RosterBook book = before.founded(hand, label, epochMillis, Ed25519.INSTANCE);
            Optional<PeerId> root = book.roster().root();
            if (!root.equals(Optional.of(hand.peer()))) {
                throw new SetupException("the roster of namespace " + given.name() + " is here already"
                        + root.map(founder -> ", founded by machine " + founder.shortText())
                                .orElse("")
                        + ": a second one would not know its removals; 'hearth peers' shows it");
            }
            return book;
        });
    }

    /**
     * Checks that this machine may admit others.
     *
     * @return a warning for the person, if there is one
     * @throws SetupException if it may not: it has no roster, is not on it, or was removed; names the remedy
     */
    public Optional<String> requireSponsor() throws SetupException {
        RosterBook book = requireMember(book());
        return book.roster().hasRoom()
                ? Optional.empty()
                : Optional.of("the roster is full (" + Roster.GRANTS_MAX
                        + " machines): the code serves only a machine that is"
                        + " on it already; to let another one in, 'hearth remove' one that is gone first");
    }

    /**
     * Signs a grant.
     *
     * @param machine the machine that was paired
     * @param itsLabel its name for people; cleaned and shortened
     * @param epochMillis wall clock
     * @return the roster with the new grant, on disk
     * @throws SetupException if it was removed, this machine is not on the roster itself or has none, or the roster is full; names the
     *     remedy
     */
    public Roster grant(PeerId machine, String itsLabel, GrantKind how, long epochMillis) throws SetupException {
        return file.change(given, before -> {
                    RosterBook book = requireMember(before);
                    return granted(book, machine, itsLabel, how, epochMillis);
                })
                .roster();
    }

    /**
     * Removes machines and makes a new secret for all others, in one write, so a crash leaves all of it or nothing. If all of them are
     * removed already and a new secret was made since, nothing changes.
     *
     * @param out all machines to remove, including those that only a removed machine introduced and that are not kept
     * @param kept machines that stay though they are not members, with their labels: this machine grants them
     * @param epochMillis wall clock
     * @throws SetupException if this machine is among them or not on the roster, or the roster is full; names the remedy
     */
    public RosterBook remove(Collection<PeerId> out, Map<PeerId, String> kept, long epochMillis) throws SetupException {
        if (out.contains(hand.peer())) {
            throw new SetupException("this machine cannot remove itself: run 'hearth remove "
                    + hand.peer().shortText() + "' on another one");
        }
        return file.change(given, before -> {
            RosterBook book = keeping(before, kept, epochMillis);
            var left = new TreeSet<>(out);
            left.removeIf(book.roster()::isRemoved);
            if (left.isEmpty() && !book.isRotationDue()) {
                return book; // each new secret may lock out machines that are away
            }
            return book.without(hand, left, book.current().successor(), epochMillis, Ed25519.INSTANCE)
                    .orElseThrow(() -> full("removals"));
        });
    }

    /**
     * Makes a new secret for all members.
     *
     * @param kept as for {@link #remove}
     */
    public RosterBook rotate(Map<PeerId, String> kept, long epochMillis) throws SetupException {
        return file.change(given, before -> {
            RosterBook book = keeping(before, kept, epochMillis);
            return book.rotated(hand, book.current().successor(), epochMillis, Ed25519.INSTANCE);
        });
    }

    private RosterBook keeping(RosterBook before, Map<PeerId, String> kept, long epochMillis) throws SetupException {
        RosterBook book = requireMember(before);
        for (Map.Entry<PeerId, String> machine : new TreeMap<>(kept).entrySet()) {
            if (!book.roster().isMember(machine.getKey())) {
                book = granted(book, machine.getKey(), machine.getValue(), GrantKind.KEPT, epochMillis);
            }
        }
        return book;
    }

    private RosterBook granted(RosterBook book, PeerId machine, String itsLabel, GrantKind how, long epochMillis)
            throws SetupException {
        if (book.roster().isRemoved(machine)) {
            throw new SetupException("machine " + machine.shortText() + " was removed, and a removal is for ever: run"
                    + " 'hearth identity reset' there and pair it again");
        }
        return book.granted(hand, machine, itsLabel, how, epochMillis, Ed25519.INSTANCE)
                .orElseThrow(() -> full("machines"));
    }

    private RosterBook requireMember(RosterBook book) throws SetupException {
        Roster roster = book.roster();
        if (roster.root().isEmpty() && roster.charter().isEmpty()) {
            throw new SetupException("there is no roster of namespace " + roster.namespace()
                    + " on this machine, which has only the secret: if another machine has one, start 'hearth agent' here once"
                    + " near it and pair this machine; if none has, run 'hearth init "
                    + roster.namespace() + " --first' here, and on no other machine");
        }
        if (roster.isRemoved(hand.peer())) {
            throw new SetupException("this machine was removed from namespace " + roster.namespace()
                    + ": run 'hearth identity reset' and pair it again");
        }
        if (!roster.isMember(hand.peer())) {
            throw new SetupException("this machine is in namespace " + roster.namespace()
                    + " by its secret only, so it cannot sign: do it on a machine that 'hearth peers' lists as paired or"
                    + " founder, or pair this one");
        }
        return book;
    }

    private static SetupException full(String what) {
        return new SetupException("the roster has no room for more " + what + " (" + Roster.GRANTS_MAX + " machines, "
                + Roster.ENTRIES_MAX + " entries, " + Roster.UNGRANTED_BY_ONE_MAX
                + " removals of machines that were never"
                + " paired by one signer): remove machines that are gone, or begin a new namespace with 'hearth init'");
    }

    /**
     * Grants the joiner (how = paired) and returns the data that it needs: name, secret and roster. Only for sending through the encrypted
     * channel of a pairing.
     *
     * @return at most {@link #WELCOME_BYTES_MAX} bytes, which hold the secret
     */
    public byte[] welcome(NodeId joiner, String joinerLabel, long epochMillis) throws SetupException {
        Roster _ = grant(joiner.peer(), joinerLabel, GrantKind.PAIRED, epochMillis);
        return welcome(book());
    }

    static byte[] welcome(RosterBook book) {
        var out = new ByteArrayOutputStream();
        byte[] name = book.current().name().getBytes(StandardCharsets.US_ASCII);
        byte[] secret = book.current().secret();
        out.write(WELCOME_VERSION);
        out.write(name.length);
        out.writeBytes(name);
        out.writeBytes(ByteBuffer.allocate(Integer.BYTES)
                .putInt(book.current().generation())
                .array());
        out.writeBytes(secret);
        out.writeBytes(RosterEncoding.encode(book.roster()));
        Arrays.fill(secret, (byte) 0);
        return out.toByteArray();
    }

    /**
     * Stores the welcome of a sponsor. Entries in it that no member signed do not count.
     *
     * @param welcome as {@link #welcome} made it, from a pairing that succeeded
     * @param self this machine, which the sponsor granted
     * @return the book on the disk; it contains the removals that only this machine knew, if they count under the sponsor's roster
     * @throws SetupException if a secret of another namespace of that name is here already, or it cannot be written
     * @throws MalformedMessageException if the bytes are not a welcome, or one for another machine
     */
    public static RosterBook accept(HearthHome home, PeerId self, byte[] welcome)
            throws SetupException, MalformedMessageException {
        RosterBook book = decode(welcome);
        if (!book.roster().isMember(self)) {
            throw new MalformedMessageException("the received roster does not list this machine");
        }
        NetworkNamespace fresh = book.current();
        NamespaceFile namespaces = NamespaceFile.in(home);
        RosterFile file = RosterFile.in(home, fresh.name());
        Optional<NetworkNamespace> here = namespaces.find(fresh.name());
        boolean isOther = here.isPresent() && !here.get().equals(fresh);
        if (isOther) {
            Optional<RosterBook> stored = file.stored();
            boolean isReturning = stored.isPresent()
                    && stored.get().roster().root().isPresent()
                    && stored.get().roster().root().equals(book.roster().root());
            if (!isReturning) {
                var _ = namespaces.add(fresh); // throws, because another secret is here
            }
        }
        RosterBook after = file.replace(before -> before.filter(
                        stored -> stored.roster().root().equals(book.roster().root()))
                .map(stored -> book.with(book.roster()
                        .merged(stored.roster().entries(), Ed25519.INSTANCE)
                        .roster()))
                .orElse(book));
        namespaces.put(fresh);
        return after;
    }

    /**
     * The namespace that a welcome is for.
     *
     * @throws MalformedMessageException if the bytes are not a welcome
     */
    public static String namespace(byte[] welcome) throws MalformedMessageException {
        return decode(welcome).current().name();
    }

    private static RosterBook decode(byte[] welcome) throws MalformedMessageException {
        if (welcome.length > WELCOME_BYTES_MAX) {
            throw new MalformedMessageException("a welcome of " + welcome.length + " bytes is too large");
        }
        try {
            ByteBuffer in = ByteBuffer.wrap(welcome);
            if (in.get() != WELCOME_VERSION) {
                throw new MalformedMessageException("a welcome of another version: update Hearth on the older machine");
            }
            byte[] name = new byte[in.get()];
            in.get(name);
            int generation = in.getInt();
            byte[] secret = new byte[NetworkNamespace.SECRET_BYTES];
            in.get(secret);
            var namespace = NetworkNamespace.closed(new String(name, StandardCharsets.US_ASCII), generation, secret);
            Arrays.fill(secret, (byte) 0);
            byte[] encoded = new byte[in.remaining()];
            in.get(encoded);
            Roster received = RosterEncoding.roster(namespace.name(), encoded);
            Roster begun = new Roster(
                    namespace.name(),
                    received.root(),
                    received.charter().filter(charter -> received.isSigned(charter, Ed25519.INSTANCE)),
                    List.of());
            Roster roster = begun.merged(received.entries(), Ed25519.INSTANCE).roster();
            return new RosterBook(roster, namespace, Optional.empty());
        } catch (BufferUnderflowException | NegativeArraySizeException | IllegalArgumentException broken) {
            throw new MalformedMessageException("a welcome that is cut off or out of range", broken);
        }
    }
}
