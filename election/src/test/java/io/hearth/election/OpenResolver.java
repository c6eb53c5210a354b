package io.hearth.election;

import io.hearth.core.Bytes;
import java.util.List;
import java.util.Optional;

/** In place of the collectives: a status of one byte that is 1 if the group is open, 0 if it trains, 2 if it is broken. */
public final class OpenResolver implements Resolver {
    public static final Bytes OPEN = Bytes.of((byte) 1);
    public static final Bytes TRAINING = Bytes.of((byte) 0);
    public static final Bytes BROKEN = Bytes.of((byte) 2);

    @Override
    public Optional<String> refusal(String group, List<Report> kept) {
        return kept.stream().allMatch(report -> report.status().equals(OPEN))
                ? Optional.empty()
                : Optional.of("group " + group + " is training");
    }

    @Override
    public Optional<String> broken(String group, List<Report> kept) {
        return kept.stream().anyMatch(report -> report.status().equals(BROKEN))
                ? Optional.of("a stream broke")
                : Optional.empty();
    }

    @Override
    public Bytes resolve(String group, List<Member> members, List<Report> kept) {
        return Bytes.of((byte) kept.size());
    }
}
