package io.hearth.identity.pairing;

import io.hearth.identity.pairing.machine.PairingCode;
import java.security.SecureRandom;

/** Draws pairing codes. */
public final class PairingCodes {
    private PairingCodes() {}

    /** A random code, which no attacker can guess better than by chance. */
    public static PairingCode fresh(SecureRandom random) {
        return PairingCode.of(random.nextInt(PairingCode.NAMEPLATES), random.nextInt(PairingCode.SECRETS));
    }
}
