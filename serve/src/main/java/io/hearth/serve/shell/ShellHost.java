package io.hearth.serve.shell;

import io.hearth.core.Clock;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;

/** What a shell needs from whoever runs its service: time, and somebody to tell of an error. */
public interface ShellHost {
    Clock clock();

    /** Runs what is short. */
    ScheduledExecutorService timer();

    /** Called with an error that the service cannot go on after. */
    Consumer<Throwable> failed();
}
