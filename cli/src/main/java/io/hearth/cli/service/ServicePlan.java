package io.hearth.cli.service;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The files and commands by which a supervisor runs the agent.
 *
 * @param files contents by path
 * @param start commands after the files are written; they also restart a service that runs
 * @param stop commands before the files are deleted
 * @param logs command that shows the service's log, for people
 */
record ServicePlan(SortedMap<Path, String> files, List<Step> start, List<Step> stop, String logs) {
    ServicePlan(Map<Path, String> files, List<Step> start, List<Step> stop, String logs) {
        this(new TreeMap<>(files), List.copyOf(start), List.copyOf(stop), logs);
    }

    /**
     * One command.
     *
     * @param mayFail whether a failure is of no importance, such as that of a stop of what does not run
     */
    record Step(List<String> command, boolean mayFail) {
        static Step must(String... command) {
            return new Step(List.of(command), false);
        }

        static Step may(String... command) {
            return new Step(List.of(command), true);
        }
    }
}
