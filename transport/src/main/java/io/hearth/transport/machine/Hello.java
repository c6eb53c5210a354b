package io.hearth.transport.machine;

import io.hearth.core.Bytes;
import io.hearth.transport.Purpose;
import java.util.List;
import java.util.Optional;

/**
 * The introduction of each side of a connection. These are only claims: TLS proves the identity, and the proof over both hellos proves
 * membership.
 *
 * @param versions that the sender speaks
 * @param features that the sender has, see {@link Feature}
 * @param slot of the sender on its machine
 * @param incarnation not negative
 * @param bootId 16 bytes
 * @param systemBoot 16 bytes that name the current boot of the computer; empty if unknown
 * @param keyId 8 bytes that name the namespace secret
 * @param linkPort port at which the sender can be dialled, 1 to 65,535
 * @param dataPort port at which the sender accepts data streams, up to 65,535; 0 if it accepts none
 * @param dial client: rises with each dial of its process; server: 0
 * @param chosen server: the version of this link; client: 0
 * @param formerKeyId 8 bytes that name the former secret, if the sender still has one
 * @param replaces client: the link, as the sender names it, that fell silent and that this connection shall replace; server: empty
 */
public record Hello(
        List<Integer> versions,
        List<String> features,
        Purpose purpose,
        String slot,
        long incarnation,
        Bytes bootId,
        Optional<Bytes> systemBoot,
        Bytes keyId,
        int linkPort,
        int dataPort,
        long dial,
        int chosen,
        Optional<Bytes> formerKeyId,
        Optional<LinkName> replaces) {
    public Hello {
        versions = List.copyOf(versions);
        features = List.copyOf(features);
    }

    /** A hello of a connection that replaces no link. */
    public Hello(
            List<Integer> versions,
            List<String> features,
            Purpose purpose,
            String slot,
            long incarnation,
            Bytes bootId,
            Optional<Bytes> systemBoot,
            Bytes keyId,
            int linkPort,
            int dataPort,
            long dial,
            int chosen,
            Optional<Bytes> formerKeyId) {
        this(
                versions,
                features,
                purpose,
                slot,
                incarnation,
                bootId,
                systemBoot,
                keyId,
                linkPort,
                dataPort,
                dial,
                chosen,
                formerKeyId,
                Optional.empty());
    }
}
