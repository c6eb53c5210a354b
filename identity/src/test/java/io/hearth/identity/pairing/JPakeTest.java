package io.hearth.identity.pairing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.identity.pairing.machine.PairingEncoding;
import io.hearth.identity.pairing.machine.PairingMessage;
import io.hearth.identity.pairing.machine.PairingMessage.Proof;
import io.hearth.identity.pairing.machine.PairingMessage.Round1;
import io.hearth.identity.pairing.machine.Pake;
import io.hearth.identity.pairing.machine.PakeException;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import org.bouncycastle.crypto.agreement.jpake.JPAKEPrimeOrderGroups;
import org.junit.jupiter.api.Test;

/** The product's group: the cost of a run, and the numbers that it accepts. */
final class JPakeTest {
    private static final Pake.Factory PAKES = JPake.nist3072(new SecureRandom());

    private static byte[][] keys(Pake one, Pake other) throws PakeException {
        Round1 first = one.round1();
        Round1 second = other.round1();
        one.accept(second);
        other.accept(first);
        PairingMessage.Round2 third = one.round2();
        PairingMessage.Round2 fourth = other.round2();
        return new byte[][] {one.accept(fourth), other.accept(third)};
    }

    @Test
    void bothSidesComeToOneKeyIfTheyHaveOneSecret() throws PakeException {
        byte[][] same = keys(PAKES.begin("a", "b", "12345678"), PAKES.begin("b", "a", "12345678"));
        assertArrayEquals(same[0], same[1]);
        assertEquals(384, same[0].length);
        byte[][] others = keys(PAKES.begin("a", "b", "12345678"), PAKES.begin("b", "a", "12345679"));
        assertFalse(Arrays.equals(others[0], others[1]));
    }

    @Test
    void itWorksWithItself() {
        assertTrue(JPake.rehearse(new SecureRandom()));
    }

    @Test
    void otherNamesAreRejectedInRound1() {
        Round1 theirs = PAKES.begin("b", "a", "1").round1();
        Pake own = PAKES.begin("a", "c", "1");
        own.round1();
        assertThrows(PakeException.class, () -> own.accept(theirs));
    }

    @Test
    void messagesFitTheirLimits() throws Exception {
        Pake own = PAKES.begin("a", "b", "1");
        Pake other = PAKES.begin("b", "a", "1");
        Round1 round1 = own.round1();
        Bytes frame = PairingEncoding.encode(round1);
        assertTrue(frame.size() < 2048, "" + frame.size());
        assertEquals(round1, PairingEncoding.decode(frame));
        own.accept(other.round1());
        assertTrue(PairingEncoding.encode(own.round2()).size() < 1024);
    }

    @Test
    void elementsOutsideTheGroupAreRejected() {
        BigInteger p = JPAKEPrimeOrderGroups.NIST_3072.getP();
        Round1 right = PAKES.begin("b", "a", "1").round1();
        for (BigInteger bad : List.of(
                BigInteger.ZERO,
                BigInteger.ONE,
                p.subtract(BigInteger.ONE),
                p,
                p.add(BigInteger.TWO),
                BigInteger.TWO)) {
            Pake own = PAKES.begin("a", "b", "1");
            own.round1();
            assertThrows(
                    PakeException.class,
                    () -> own.accept(new Round1(right.gx1(), bad, right.proof1(), right.proof2())));
            Pake again = PAKES.begin("a", "b", "1");
            again.round1();
            assertThrows(
                    PakeException.class,
                    () -> again.accept(new Round1(
                            right.gx1(),
                            right.gx2(),
                            new Proof(bad, right.proof1().response()),
                            right.proof2())));
        }
    }

    /** x = 0 has a valid proof, but an honest side never draws it. */
    @Test
    void theNeutralElementIsRejectedWhateverItsProof() {
        Round1 right = PAKES.begin("b", "a", "1").round1();
        Pake own = PAKES.begin("a", "b", "1");
        own.round1();
        var proof = new Proof(JPAKEPrimeOrderGroups.NIST_3072.getG(), BigInteger.ONE); // g^1 = g^1 * 1^h
        PakeException refused = assertThrows(
                PakeException.class, () -> own.accept(new Round1(BigInteger.ONE, right.gx2(), proof, right.proof2())));
        assertEquals("an element is out of range", refused.getMessage());
    }

    @Test
    void itPrintsNothing() {
        assertEquals("JPake[redacted]", PAKES.begin("a", "b", "12345678").toString());
    }
}
