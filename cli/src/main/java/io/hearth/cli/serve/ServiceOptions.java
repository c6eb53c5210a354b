package io.hearth.cli.serve;

import io.hearth.serve.grpc.PortPlace;
import io.hearth.serve.shell.ClusterService;
import java.time.Duration;

/** The settings of one service, as a command line gives them. */
interface ServiceOptions {
    /** The port on 127.0.0.1, unless a person says another one. */
    int port();

    /**
     * Makes the service from the settings.
     *
     * @throws IllegalArgumentException if a setting is missing or out of range
     */
    ClusterService.Maker<?> maker();

    /**
     * Checks that the service can listen there.
     *
     * @throws IllegalArgumentException with what is wrong
     */
    default void check(PortPlace place) {}

    /** A time in nanoseconds; {@link Long#MAX_VALUE} if it is longer than a hundred years. */
    static long nanos(Duration time) {
        return time.compareTo(Duration.ofDays(36_500)) > 0 ? Long.MAX_VALUE : time.toNanos();
    }
}
