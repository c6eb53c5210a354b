package io.hearth.cli.chaos.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The last step of each worker of a chaos run: whether all are members, and the rank of each. */
public final class ChaosBoard {
    private final List<Optional<ChaosEvent.Begun>> begun = new ArrayList<>();

    public ChaosBoard(int hosts) {
        for (int host = 0; host < hosts; host++) {
            begun.add(Optional.empty());
        }
    }

    public void note(int host, ChaosEvent event) {
        if (event instanceof ChaosEvent.Begun latest) {
            begun.set(host, Optional.of(latest));
        }
    }

    /** Forgets the events of a worker that was ended. */
    public void gone(int host) {
        begun.set(host, Optional.empty());
    }

    /** Whether every worker began a step after {@code sinceNanos} in a group of all workers. */
    public boolean isWhole(long sinceNanos) {
        return begun.stream().allMatch(latest -> isIn(latest, sinceNanos))
                && begun.stream()
                                .flatMap(Optional::stream)
                                .map(ChaosEvent.Begun::rank)
                                .distinct()
                                .count()
                        == begun.size();
    }

    private boolean isIn(Optional<ChaosEvent.Begun> latest, long sinceNanos) {
        return latest.filter(step -> step.at() - sinceNanos > 0 && step.world() == begun.size())
                .isPresent();
    }

    /** The host whose worker had that rank in its last step; -1 if none. */
    public int hostOf(int rank) {
        for (int host = 0; host < begun.size(); host++) {
            if (begun.get(host).filter(step -> step.rank() == rank).isPresent()) {
                return host;
            }
        }
        return -1;
    }

    /** The workers because of which {@link #isWhole} is false, for messages. */
    public String missing(long sinceNanos) {
        var lines = new ArrayList<String>();
        for (int host = 0; host < begun.size(); host++) {
            Optional<ChaosEvent.Begun> latest = begun.get(host);
            if (!isIn(latest, sinceNanos)) {
                lines.add("host " + host
                        + latest.map(step -> " (last: step " + step.step() + " as rank " + step.rank() + " of "
                                        + step.world() + ")")
                                .orElse(" (began no step)"));
            }
        }
        return lines.isEmpty() ? "two workers with one rank" : String.join(", ", lines);
    }
}
