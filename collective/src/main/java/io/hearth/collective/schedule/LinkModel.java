package io.hearth.collective.schedule;

/**
 * Cost of a message between two members, the same for all pairs: the constants of {@link CostModel}.
 *
 * @param alphaNanos latency in nanoseconds, from the call that sends a message without bytes to its arrival at the receiver's thread
 * @param betaNanosPerByte for each byte through one port, in one direction
 * @param gammaNanosPerByte for each byte that is combined with another
 * @param messageNanos processor time for each message that is sent or received beside another one
 * @param contention factor by which a port is slower when several others send to it at once, 1 or more
 * @param handOverNanos to start a second thread that receives while the caller's thread sends
 */
public record LinkModel(
        double alphaNanos,
        double betaNanosPerByte,
        double gammaNanosPerByte,
        double messageNanos,
        double contention,
        double handOverNanos) {
    /**
     * Ethernet of 1 Gbit/s through one switch. Measured between hosts of the lab: bytes, gamma and messages (by {@code LinkBench}),
     * contention (5 % at 64 MiB and 14 % at 4 MiB with four hosts) and hand-over. Alpha lies between the lab's 22 µs, on wires without
     * delay, and half of the round trips of 0.2 to 0.5 ms over real switches and network cards.
     */
    public static final LinkModel GIGABIT = new LinkModel(60_000, 8.46, 0.025, 7_500, 1.1, 60_000);

    /**
     * Processes of one machine, used if all members of a group are on one. Measured over loopback TCP by {@code LinkBench} on two cores:
     * alpha, bytes, gamma and messages. Hand-over was measured in another way, and contention is the lab's. Shared memory
     * has a smaller alpha and cheaper messages.
     */
    public static final LinkModel LOOPBACK = new LinkModel(17_000, 0.39, 0.025, 3_100, 1.1, 60_000);

    public LinkModel {
        check("alphaNanos", alphaNanos, 0);
        check("betaNanosPerByte", betaNanosPerByte, 0);
        check("gammaNanosPerByte", gammaNanosPerByte, 0);
        check("messageNanos", messageNanos, 0);
        check("contention", contention, 1);
        check("handOverNanos", handOverNanos, 0);
    }

    private static void check(String name, double value, double least) {
        if (!(value >= least && value <= Double.MAX_VALUE)) {
            throw new IllegalArgumentException(
                    name + " of a link must be a finite number of at least " + least + ", got " + value);
        }
    }
}
