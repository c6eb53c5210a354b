package io.hearth.topology;

import io.hearth.core.BoundedDecoder;
import io.hearth.core.MalformedMessageException;
import io.hearth.topology.wire.NodeProfileMessage;

/** Converts {@link NodeProfile}s to their wire form and back. */
public final class NodeProfileEncoding {
    /** Kind of the message on a control link. */
    public static final int KIND = 40;

    private NodeProfileEncoding() {}

    /** The wire form, at most about 1 KiB. */
    public static byte[] encode(NodeProfile profile) {
        return NodeProfileMessage.newBuilder()
                .setLabel(profile.label())
                .setOs(profile.os())
                .setArch(profile.arch())
                .setCores(profile.cores())
                .setMemoryBytes(profile.memoryBytes())
                .setAccelerator(profile.accelerator())
                .setVersion(profile.version())
                .build()
                .toByteArray();
    }

    /**
     * Reads the profile that a peer sent.
     *
     * @throws MalformedMessageException if the bytes are not a profile, or a number in it is out of range
     */
    public static NodeProfile decode(byte[] bytes) throws MalformedMessageException {
        NodeProfileMessage message =
                BoundedDecoder.parse(NodeProfileMessage.parser(), NodeProfileMessage.getDescriptor(), bytes);
        if (message.getCores() < 1 || message.getCores() > NodeProfile.CORES_MAX || message.getMemoryBytes() < 0) {
            throw new MalformedMessageException(
                    "a profile has numbers out of range: " + Integer.toUnsignedString(message.getCores())
                            + " cores and " + Long.toUnsignedString(message.getMemoryBytes()) + " bytes of memory");
        }
        return new NodeProfile(
                message.getLabel(),
                message.getOs(),
                message.getArch(),
                message.getCores(),
                message.getMemoryBytes(),
                message.getAccelerator(),
                message.getVersion());
    }
}
