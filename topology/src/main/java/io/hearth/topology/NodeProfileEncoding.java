package io.hearth.topology;

import io.hearth.core.BoundedDecoder;
import io.hearth.core.MalformedMessageException;
import io.hearth.topology.wire.NodeProfileMessage;
import java.util.Optional;

/** Converts {@link NodeProfile}s to their wire form and back. */
public final class NodeProfileEncoding {
    /** Kind of the message on a control link. */
    public static final int KIND = 40;

    private NodeProfileEncoding() {}

    /** The wire form, at most about 2 KiB. */
    public static byte[] encode(NodeProfile profile) {
        var message = NodeProfileMessage.newBuilder()
                .setLabel(profile.label())
                .setOs(profile.os())
                .setArch(profile.arch())
                .setCores(profile.cores())
                .setMemoryBytes(profile.memoryBytes())
                .setAccelerator(profile.accelerator())
                .setVersion(profile.version())
                .setChip(profile.chip());
        if (profile.load().percent() != NodeLoad.UNKNOWN) {
            message.setLoadPercent(profile.load().percent());
        }
        profile.load()
                .battery()
                .ifPresent(
                        battery -> message.setBatteryPercent(battery.percent()).setOnMains(battery.isOnMains()));
        return message.build().toByteArray();
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
                message.getVersion(),
                message.getChip(),
                load(message));
    }

    private static NodeLoad load(NodeProfileMessage message) throws MalformedMessageException {
        try {
            Optional<NodeLoad.Battery> battery = message.hasBatteryPercent()
                    ? Optional.of(new NodeLoad.Battery(message.getBatteryPercent(), message.getOnMains()))
                    : Optional.empty();
            if (message.hasLoadPercent() && message.getLoadPercent() < 0) {
                throw new MalformedMessageException("a profile has numbers out of range: a load of "
                        + Integer.toUnsignedString(message.getLoadPercent()) + " percent");
            }
            return new NodeLoad(message.hasLoadPercent() ? message.getLoadPercent() : NodeLoad.UNKNOWN, battery);
        } catch (IllegalArgumentException outOfRange) {
            throw new MalformedMessageException(
                    "a profile has numbers out of range: " + outOfRange.getMessage(), outOfRange);
        }
    }
}
