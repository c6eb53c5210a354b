package io.hearth.collective.group;

import io.hearth.election.Member;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Names a subgroup, the same on all of its members without a message: it comes from the list of members, and from the number of subgroups
 * that each of them made of this list before.
 *
 * @param text 16 hexadecimal digits
 */
public record SubgroupId(String text) implements Comparable<SubgroupId> {
    private static final int BYTES = 8;
    private static final Pattern FORM = Pattern.compile("[0-9a-f]{" + 2 * BYTES + "}");

    public SubgroupId {
        if (!FORM.matcher(text).matches()) {
            throw new IllegalArgumentException("a subgroup's id has " + 2 * BYTES + " hexadecimal digits");
        }
    }

    /**
     * The id of a subgroup.
     *
     * @param lineage of the group's views, in the text form of its owner
     * @param members by rank in the subgroup; one that left its group and came back is another member
     * @param ordinal number of earlier subgroups of this list, 0 or more
     */
    public static SubgroupId of(String lineage, List<Member> members, int ordinal) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update((lineage + "\n").getBytes(StandardCharsets.UTF_8));
            for (Member member : members) {
                String line = member.node().text() + " " + member.incarnation() + " " + member.entryEpoch() + "\n";
                digest.update(line.getBytes(StandardCharsets.UTF_8));
            }
            byte[] hash = digest.digest(String.valueOf(ordinal).getBytes(StandardCharsets.UTF_8));
            return new SubgroupId(HexFormat.of().formatHex(hash, 0, BYTES));
        } catch (NoSuchAlgorithmException absent) {
            throw new AssertionError(absent);
        }
    }

    @Override
    public int compareTo(SubgroupId other) {
        return text.compareTo(other.text);
    }
}
