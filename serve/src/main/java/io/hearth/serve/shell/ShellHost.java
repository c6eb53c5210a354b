package io.hearth.serve.shell;

import io.hearth.core.Clock;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;

/** The host of a shell. It gives a clock and a timer, and takes fatal errors. */
public interface ShellHost {
    Clock clock();

    /** Runs what is short. */
    ScheduledExecutorService timer();

    /** Called with an error that the service cannot go on after. */
    Consumer<Throwable> failed();
}
