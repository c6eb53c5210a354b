package io.hearth.agent.group.machine;

import io.hearth.collective.RankBounds;
import io.hearth.collective.group.GroupActivity;
import io.hearth.core.MalformedMessageException;
import io.hearth.election.ViewRules;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A trainer's message to every linked node about its place in its group. With it a trainer can name the trainers that it waits for, and
 * sees whether the group's job runs without it. No decision on which members must agree depends on it.
 *
 * <pre>
 * 0       2      4          5       6
 * +-------+------+----------+-------+-------+
 * | least | most | activity | spare | group |   little-endian
 * +-------+------+----------+-------+-------+
 * </pre>
 *
 * @param group the job, {@code [a-z0-9-]{1,63}}
 * @param least ranks that it waits for
 * @param most ranks that it trains with, not below {@code least}
 * @param spare whether it waits because the group is full
 */
public record TrainerNote(String group, int least, int most, GroupActivity activity, boolean spare) {
    /** Kind of the message on a control link. */
    public static final int KIND = 41;

    /** The activities by their number on the wire. */
    private static final List<GroupActivity> ACTIVITIES =
            List.of(GroupActivity.IDLE, GroupActivity.STARTING, GroupActivity.WORKING, GroupActivity.STEPPING);

    private static final int GROUP_AT = 6;
    private static final int BYTES_MAX = GROUP_AT + ViewRules.GROUP_CHARACTERS_MAX;

    public TrainerNote {
        var _ = new RankBounds(least, most);
        if (group.isEmpty() || !ViewRules.isGroupName(group)) {
            throw new IllegalArgumentException("group must be 1 to 63 characters of a-z, 0-9 and '-'");
        }
    }

    public byte[] encode() {
        byte[] name = group.getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(GROUP_AT + name.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putShort((short) least)
                .putShort((short) most)
                .put((byte) ACTIVITIES.indexOf(activity))
                .put((byte) (spare ? 1 : 0))
                .put(name)
                .array();
    }

    /**
     * Reads a peer's message.
     *
     * @throws MalformedMessageException if the bytes are no note
     */
    public static TrainerNote decode(byte[] bytes) throws MalformedMessageException {
        if (bytes.length <= GROUP_AT || bytes.length > BYTES_MAX) {
            throw new MalformedMessageException("a trainer's note has " + bytes.length + " bytes");
        }
        ByteBuffer from = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int least = Short.toUnsignedInt(from.getShort());
        int most = Short.toUnsignedInt(from.getShort());
        int activity = from.get();
        int spare = from.get();
        if (activity < 0 || activity >= ACTIVITIES.size() || spare < 0 || spare > 1) {
            throw new MalformedMessageException("a trainer's note has activity " + activity + " and spare " + spare);
        }
        String group = new String(bytes, GROUP_AT, bytes.length - GROUP_AT, StandardCharsets.ISO_8859_1);
        try {
            return new TrainerNote(group, least, most, ACTIVITIES.get(activity), spare == 1);
        } catch (IllegalArgumentException invalid) {
            throw new MalformedMessageException("a trainer's note is not valid: " + invalid.getMessage(), invalid);
        }
    }

    /** Whether the trainer counts as training for others. */
    boolean isAtWork() {
        return activity == GroupActivity.WORKING || activity == GroupActivity.STEPPING;
    }
}
