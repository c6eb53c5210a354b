package io.hearth.identity.pairing;

import io.hearth.identity.MembershipProof;
import io.hearth.identity.pairing.machine.PairingMessage.Proof;
import io.hearth.identity.pairing.machine.PairingMessage.Round1;
import io.hearth.identity.pairing.machine.PairingMessage.Round2;
import io.hearth.identity.pairing.machine.Pake;
import io.hearth.identity.pairing.machine.PakeException;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.Arrays;
import org.bouncycastle.crypto.CryptoException;
import org.bouncycastle.crypto.agreement.jpake.JPAKEParticipant;
import org.bouncycastle.crypto.agreement.jpake.JPAKEPrimeOrderGroup;
import org.bouncycastle.crypto.agreement.jpake.JPAKEPrimeOrderGroups;
import org.bouncycastle.crypto.agreement.jpake.JPAKERound1Payload;
import org.bouncycastle.crypto.agreement.jpake.JPAKERound2Payload;
import org.bouncycastle.crypto.digests.SHA256Digest;

/**
 * J-PAKE over a finite field (RFC 8236), computed by BouncyCastle. This side computes the names of both sides. It checks the proofs of the
 * other side against the expected name, whatever the other side calls itself.
 */
public final class JPake implements Pake {
    private final JPAKEPrimeOrderGroup group;
    private final JPAKEParticipant own;
    private final String theirName;

    private JPake(JPAKEPrimeOrderGroup group, String ownName, String theirName, String secret, SecureRandom random) {
        this.group = group;
        this.theirName = theirName;
        char[] digits = secret.toCharArray();
        this.own = new JPAKEParticipant(ownName, digits, group, SHA256Digest.newInstance(), random);
        Arrays.fill(digits, '0'); // the participant has a copy, and wipes it when it makes the key
    }

    /** Exchanges in the group that NIST recommends for 128 bits of security: 3,072 bits. */
    public static Pake.Factory nist3072(SecureRandom random) {
        return of(JPAKEPrimeOrderGroups.NIST_3072, random);
    }

    /**
     * Makes one exchange with itself. The first exchange of a JVM takes five times as long as later ones, which is seconds on a small
     * computer. So it is better made before another machine waits for it.
     *
     * @return whether both sides computed the same key
     */
    public static boolean rehearse(SecureRandom random) {
        Pake.Factory exchanges = nist3072(random);
        Pake one = exchanges.begin("one", "other", "rehearsal");
        Pake other = exchanges.begin("other", "one", "rehearsal");
        Round1 first = one.round1();
        Round1 second = other.round1();
        try {
            one.accept(second);
            other.accept(first);
            Round2 third = one.round2();
            Round2 fourth = other.round2();
            return MembershipProof.matches(one.accept(fourth), other.accept(third));
        } catch (PakeException bug) {
            throw new AssertionError("a key exchange fails with itself, so no machine can be paired", bug);
        }
    }

    /** Exchanges in another group; all machines that pair must use the same. */
    public static Pake.Factory of(JPAKEPrimeOrderGroup group, SecureRandom random) {
        return (ownName, theirName, secret) -> new JPake(group, ownName, theirName, secret, random);
    }

    @Override
    public Round1 round1() {
        JPAKERound1Payload payload = own.createRound1PayloadToSend();
        return new Round1(
                payload.getGx1(),
                payload.getGx2(),
                proof(payload.getKnowledgeProofForX1()),
                proof(payload.getKnowledgeProofForX2()));
    }

    @Override
    public void accept(Round1 theirs) throws PakeException {
        requireElement(theirs.gx1());
        requireElement(theirs.gx2());
        try {
            own.validateRound1PayloadReceived(new JPAKERound1Payload(
                    theirName, theirs.gx1(), theirs.gx2(), proof(theirs.proof1()), proof(theirs.proof2())));
        } catch (CryptoException refused) {
            throw new PakeException("round 1 proves nothing about this connection", refused);
        }
    }

    @Override
    public Round2 round2() {
        JPAKERound2Payload payload = own.createRound2PayloadToSend();
        return new Round2(payload.getA(), proof(payload.getKnowledgeProofForX2s()));
    }

    @Override
    public byte[] accept(Round2 theirs) throws PakeException {
        requireElement(theirs.a());
        try {
            own.validateRound2PayloadReceived(new JPAKERound2Payload(theirName, theirs.a(), proof(theirs.proof())));
        } catch (CryptoException refused) {
            throw new PakeException("round 2 proves nothing about this connection", refused);
        }
        return fixed(own.calculateKeyingMaterial());
    }

    @Override
    public String toString() {
        return "JPake[redacted]";
    }

    /** Rejects 0, 1 and -1, which no honest side sends; BouncyCastle checks that other elements are in the group. */
    private void requireElement(BigInteger element) throws PakeException {
        if (element.compareTo(BigInteger.TWO) < 0
                || element.compareTo(group.getP().subtract(BigInteger.TWO)) > 0) {
            throw new PakeException("an element is out of range");
        }
    }

    private BigInteger[] proof(Proof proof) throws PakeException {
        requireElement(proof.commitment());
        if (proof.response().compareTo(group.getQ()) >= 0) {
            throw new PakeException("a proof's response is out of range");
        }
        return new BigInteger[] {proof.commitment(), proof.response()};
    }

    private static Proof proof(BigInteger[] proof) {
        return new Proof(proof[0], proof[1]);
    }

    /** The number with as many bytes as the group's prime. */
    private byte[] fixed(BigInteger number) {
        byte[] raw = number.toByteArray();
        byte[] fixed = new byte[(group.getP().bitLength() + Byte.SIZE - 1) / Byte.SIZE];
        int skip = Math.max(0, raw.length - fixed.length);
        System.arraycopy(raw, skip, fixed, fixed.length - raw.length + skip, raw.length - skip);
        Arrays.fill(raw, (byte) 0);
        return fixed;
    }
}
