package io.hearth.identity.pairing.machine;

import io.hearth.core.Bytes;
import io.hearth.identity.PeerId;
import java.nio.charset.StandardCharsets;

/**
 * The TLS connection of a run, as one end sees it. A machine in the middle has two connections, with different exporters and its own
 * identity on each. Then the two ends compute different names for one another, and the first proof fails.
 *
 * @param exporter 32 bytes that only the two ends of the connection know
 * @param joiner the identity that TLS proved of the joining machine, or this machine's own
 * @param sponsor likewise
 */
record Channel(Bytes exporter, PeerId joiner, PeerId sponsor) {
    private static final String LABEL = "hearth/1 pair";

    /** Name of the joining machine in the key exchange. */
    String joinerName() {
        return "joiner " + binding();
    }

    /** Name of the sponsor in the key exchange. */
    String sponsorName() {
        return "sponsor " + binding();
    }

    private String binding() {
        return Transcript.digest(
                        LABEL.getBytes(StandardCharsets.US_ASCII),
                        exporter.toArray(),
                        joiner.publicKey(),
                        sponsor.publicKey())
                .hex();
    }
}
