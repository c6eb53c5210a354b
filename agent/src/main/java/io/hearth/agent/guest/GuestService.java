package io.hearth.agent.guest;

import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A service that a guest offers to programs of this machine, for the status and the page.
 *
 * @param address at which they call it, as a URL
 * @param answeredBy the member that answers the calls; empty while none does
 * @param vacancy why none answers and what to do; empty while one does
 * @param keepers number of machines that keep its state, as far as this one knows
 * @param jobs that it runs, the newest first
 */
public record GuestService(
        String name,
        String address,
        Optional<NodeId> answeredBy,
        Optional<String> vacancy,
        int keepers,
        List<Job> jobs) {
    public GuestService {
        jobs = List.copyOf(jobs);
    }

    /**
     * A job of a service.
     *
     * @param reason why it is over, for people; may be empty
     * @param epoch in which it is, from 1
     * @param parts of an epoch's data
     * @param partsDone in this epoch
     * @param samplesPerSecond of all nodes together; 0 while this machine does not know it
     * @param secondsLeft until the last sample; empty while this machine does not know it
     */
    public record Job(
            String name,
            String state,
            String reason,
            long epoch,
            long epochs,
            long partsDone,
            long parts,
            double samplesPerSecond,
            OptionalDouble secondsLeft) {}
}
