package io.hearth.collective.schedule;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Groups of positions with fast links inside, and slower ones between; each has one leader. The processes of one machine are an island, and
 * so are the machines of one site.
 *
 * @param leaders by position, the position of its island's leader; a leader names itself. The same on all members
 */
public record Islands(List<Integer> leaders) {
    public Islands {
        leaders = List.copyOf(leaders);
        Segments.check(0, leaders.size());
        for (int position = 0; position < leaders.size(); position++) {
            int leader = leaders.get(position);
            if (leader < 0 || leader >= leaders.size() || leaders.get(leader) != leader) {
                throw new IllegalArgumentException("each position needs a leader of 0 to " + (leaders.size() - 1)
                        + " that leads itself, got leader " + leader + " of position " + position);
            }
        }
    }

    /** Each position alone. */
    public static Islands alone(int world) {
        return new Islands(IntStream.range(0, world).boxed().toList());
    }

    /** Positions in equal places are one island, led by the first of them. */
    public static Islands byPlace(List<?> places) {
        Map<Object, Integer> first = new LinkedHashMap<>();
        List<Integer> leaders = new ArrayList<>();
        for (int position = 0; position < places.size(); position++) {
            Integer earlier = first.putIfAbsent(places.get(position), position);
            leaders.add(earlier == null ? position : earlier);
        }
        return new Islands(leaders);
    }

    /** Number of positions. */
    public int world() {
        return leaders.size();
    }

    /** Number of islands. */
    public int count() {
        return (int) IntStream.range(0, world()).filter(this::isLeader).count();
    }

    /** Positions of the largest island. */
    public int largest() {
        int[] sizes = new int[world()];
        leaders.forEach(leader -> sizes[leader]++);
        return IntStream.of(sizes).max().orElseThrow();
    }

    /** Whether there are islands to tell apart: several of them, and one with several positions. */
    public boolean isHierarchy() {
        int count = count();
        return count > 1 && count < world();
    }

    /** The leader of a position's island. */
    public int leader(int position) {
        return leaders.get(position);
    }

    public boolean isLeader(int position) {
        return leader(position) == position;
    }

    /** The positions of all leaders, in rising order. */
    int[] leading() {
        return IntStream.range(0, world()).filter(this::isLeader).toArray();
    }

    /** The other positions of a leader's island, in rising order. */
    int[] led(int leader) {
        return IntStream.range(0, world())
                .filter(position -> position != leader && leader(position) == leader)
                .toArray();
    }
}
