package io.hearth.identity.roster;

import io.hearth.core.Bytes;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.PeerId;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;

/** Machines that sign without cryptography: a signature is a digest of the signer's key and the words. */
final class Hands implements Signatures {
    static final Hands INSTANCE = new Hands();
    static final String HOME = "home";

    private Hands() {}

    /** The signing key of machine {@code number}, 1 to 65,535. */
    static Hand hand(int number) {
        byte[] key = new byte[PeerId.KEY_BYTES];
        key[0] = (byte) (number >>> 8);
        key[1] = (byte) number;
        key[31] = (byte) number;
        PeerId peer = PeerId.of(key);
        return new Hand() {
            @Override
            public PeerId peer() {
                return peer;
            }

            @Override
            public Bytes sign(byte[] words) {
                return digest(peer, words);
            }
        };
    }

    static PeerId peer(int number) {
        return hand(number).peer();
    }

    static NetworkNamespace secret(int generation, int seed) {
        byte[] secret = new byte[NetworkNamespace.SECRET_BYTES];
        Arrays.fill(secret, (byte) seed);
        return NetworkNamespace.closed(HOME, generation, secret);
    }

    static RosterEntry founder(int number) {
        return signed(
                number,
                new RosterEntry.Grant(
                        peer(number), peer(number), "m" + number, GrantKind.FOUNDED, number, Bytes.EMPTY));
    }

    static RosterEntry grant(int by, int subject) {
        return signed(
                by,
                new RosterEntry.Grant(peer(subject), peer(by), "m" + subject, GrantKind.PAIRED, subject, Bytes.EMPTY));
    }

    static RosterEntry removal(int by, int subject) {
        return signed(by, new RosterEntry.Removal(peer(subject), peer(by), subject, Bytes.EMPTY));
    }

    static RosterEntry signed(int by, RosterEntry entry) {
        return entry.signed(hand(by).sign(RosterEncoding.words(HOME, entry)));
    }

    static Roster roster(RosterEntry... entries) {
        Roster.Merged merged = Roster.empty(HOME).merged(List.of(entries), INSTANCE);
        if (!merged.dropped().isEmpty()) {
            throw new AssertionError("dropped " + merged.dropped());
        }
        return merged.roster();
    }

    /** A book of generation 1 with machine 1 as founder, which granted the others. */
    static RosterBook book(int machines) {
        RosterBook book = RosterBook.bySecret(secret(1, 1)).founded(hand(1), "m1", 1, INSTANCE);
        for (int number = 2; number <= machines; number++) {
            book = book.granted(hand(1), peer(number), "m" + number, GrantKind.PAIRED, number, INSTANCE)
                    .orElseThrow();
        }
        return book;
    }

    @Override
    public boolean verify(PeerId signer, byte[] words, Bytes signature) {
        return digest(signer, words).equals(signature);
    }

    private static Bytes digest(PeerId signer, byte[] words) {
        try {
            var digest = MessageDigest.getInstance("SHA-512");
            digest.update(signer.publicKey());
            return Bytes.of(digest.digest(words));
        } catch (NoSuchAlgorithmException missing) {
            throw new AssertionError(missing);
        }
    }
}
