package io.hearth.discovery.names;

import io.hearth.discovery.names.machine.NameAnswer;
import io.hearth.discovery.names.machine.NameQuestion;

/** Answers questions about names. */
@FunctionalInterface
public interface NameLookup {
    /**
     * Looks a name up. Blocks for seconds at most, as far as the resolver of the system allows it, and may be called on several threads.
     * An interrupt ends it early.
     */
    NameAnswer ask(NameQuestion question);
}
