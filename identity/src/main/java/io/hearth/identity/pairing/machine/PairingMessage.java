package io.hearth.identity.pairing.machine;

import io.hearth.core.Bytes;
import java.math.BigInteger;

/** The messages between the joining machine (J) and the sponsor (S), inside TLS. */
public sealed interface PairingMessage {
    /**
     * Schnorr's proof that its sender knows an exponent.
     *
     * @param commitment a group element
     * @param response below the group's order
     */
    record Proof(BigInteger commitment, BigInteger response) {}

    /** J to S, then S to J: the first round of J-PAKE (RFC 8236). */
    record Round1(BigInteger gx1, BigInteger gx2, Proof proof1, Proof proof2) implements PairingMessage {}

    /** J to S, then S to J: the second round. */
    record Round2(BigInteger a, Proof proof) implements PairingMessage {}

    /**
     * J to S: J computed the key.
     *
     * @param mac 32 bytes
     * @param label J's name for people, sealed
     */
    record Confirm(Bytes mac, Bytes label) implements PairingMessage {}

    /**
     * S to J: S computed the same key; pages follow.
     *
     * @param mac 32 bytes
     * @param sealedBytes of all pages together
     */
    record Welcome(Bytes mac, int sealedBytes) implements PairingMessage {}

    /** S to J: the next part of the sealed welcome. */
    record Page(Bytes part) implements PairingMessage {}

    /** J to S: the welcome is on J's disk. */
    record Done() implements PairingMessage {}

    /**
     * The last message of either side in a failed run.
     *
     * @param runsLeft of the code, as the sponsor reports; 0 to 255
     */
    record Sorry(PairingFailure failure, int runsLeft) implements PairingMessage {}
}
