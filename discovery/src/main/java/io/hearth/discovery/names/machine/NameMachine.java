package io.hearth.discovery.names.machine;

import io.hearth.core.Machine;
import io.hearth.core.Step;
import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.PeerName;
import io.hearth.discovery.names.machine.NamePlan.Task;
import io.hearth.discovery.names.machine.NameQuestion.Kind;
import io.hearth.discovery.names.machine.NameTable.Entry;
import io.hearth.discovery.names.machine.NameTable.Phase;
import io.hearth.discovery.names.machine.NameTable.Round;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;

/**
 * Decides which name is looked up when, and which addresses follow from the answers.
 *
 * <pre>
 *           due                     answer without addresses: next question of the plan
 * Waiting --------&gt; Asking (one question open) --------------------------------------+
 *    ^                 |   ^                                                            |
 *    |                 |   +------------------------------------------------------------+
 *    |  addresses: in use until their TTL is over, 5 s .. 5 min
 *    +-----------------+
 *    |  plan exhausted: former addresses stay in use; pause 1, 2, 4 .. 60 s
 *    +-----------------+
 * </pre>
 *
 * <p>The plan of a name holds the complete names that it may mean. SRV records are sorted by priority, then by weight, and each target
 * without an address in the same answer is asked for. All addresses are reported, so RFC 2782's draw by weight has no place here: it
 * selects one server of many, and a node wants them all.
 *
 * <p>A round without addresses reports the former ones again. So a peer table does not forget them while DNS is away. An answer with
 * addresses replaces them.
 *
 * <p>Rejected: a time limit for an answer. The shell's lookups end by themselves, and a second question beside one that hangs would hang
 * too.
 */
public final class NameMachine implements Machine<NameTable, NameMachine.Event, NameMachine.Effect> {
    private final NameLimits limits;

    public NameMachine(NameLimits limits) {
        this.limits = limits;
    }

    /** Inputs of the machine. */
    public sealed interface Event {
        /**
         * The outcome of a question.
         *
         * @param entry number of the name in the table
         */
        record Answered(int entry, NameQuestion question, NameAnswer answer) implements Event {}

        /** This machine has other servers or domains now; questions that are open are not asked again. */
        record Configured(ResolverSettings settings) implements Event {}

        /** Time passed. */
        record Tick() implements Event {}
    }

    /** Outputs, which the shell carries out. */
    public sealed interface Effect {
        /** Ask, and report the outcome as exactly one {@link Event.Answered}. */
        record Ask(int entry, NameQuestion question) implements Effect {}

        /** Report these addresses of a name to the sink, best first. */
        record Sight(PeerName name, List<PeerAddress> addresses) implements Effect {
            public Sight {
                addresses = List.copyOf(addresses);
            }
        }

        /** The news about a name changed. */
        record Report(int entry, NameReport report) implements Effect {}
    }

    @Override
    public Step<NameTable, Effect> step(NameTable table, Event event, long nowNanos) {
        var entries = new ArrayList<>(table.entries());
        var effects = new ArrayList<Effect>();
        ResolverSettings settings = table.settings();
        switch (event) {
            case Event.Answered(int number, var question, var answer) -> {
                if (number >= 0
                        && number < entries.size()
                        && entries.get(number).phase() instanceof Phase.Asking(var asked, var _, var round)
                        && asked.equals(question)) {
                    entries.set(number, go(number, entries.get(number), answered(round, answer), nowNanos, effects));
                }
            }
            case Event.Configured(var changed) -> settings = changed;
            case Event.Tick() -> {}
        }
        for (int number = 0; number < entries.size(); number++) {
            entries.set(number, due(number, entries.get(number), settings, nowNanos, effects));
        }
        return new Step<>(new NameTable(settings, entries), effects);
    }

    @Override
    public long sleepNanos(NameTable table, long nowNanos) {
        long sleep = Long.MAX_VALUE;
        for (Entry entry : table.entries()) {
            long dueNanos = switch (entry.phase()) {
                case Phase.Waiting(long due) -> due - nowNanos;
                case Phase.Asking asking ->
                    isReportedSlow(entry) ? Long.MAX_VALUE : asking.sinceNanos() + limits.slowAfterNanos() - nowNanos;
            };
            sleep = Math.min(sleep, dueNanos);
        }
        return Math.max(0, sleep);
    }

    private Entry due(int number, Entry entry, ResolverSettings settings, long nowNanos, List<Effect> effects) {
        return switch (entry.phase()) {
            case Phase.Waiting(long dueNanos) ->
                nowNanos - dueNanos < 0
                        ? entry
                        : go(number, entry, Round.of(NamePlan.of(entry.name(), settings)), nowNanos, effects);
            case Phase.Asking asking ->
                nowNanos - asking.sinceNanos() < limits.slowAfterNanos()
                        ? entry
                        : reported(number, entry, slow(), effects);
        };
    }

    /** The round after an answer to its current task, which is done. */
    private Round answered(Round round, NameAnswer answer) {
        Task task = round.current();
        List<Task> rest = round.left().subList(1, round.left().size());
        return switch (answer) {
            case NameAnswer.Addresses addresses ->
                round.with(more(round, task, addresses.literals()), addresses.ttlSeconds())
                        .next(rest);
            case NameAnswer.Services services ->
                round.with(round.found(), services.ttlSeconds()).next(targets(services.locations(), rest));
            case NameAnswer.Absent(String why) -> round.absent(why).next(rest);
            case NameAnswer.Failed(String why) -> round.failed(why).next(rest);
        };
    }

    private List<PeerAddress> more(Round round, Task task, List<String> literals) {
        var found = new ArrayList<>(round.found());
        literals.forEach(literal -> found.add(new PeerAddress(literal, task.port())));
        return found.stream().distinct().limit(limits.addressesMax()).toList();
    }

    /** The targets of SRV records, and then the rest of the plan. */
    private List<Task> targets(List<NameAnswer.Location> locations, List<Task> rest) {
        var tasks = new ArrayList<Task>();
        locations.stream()
                .sorted(Comparator.comparingInt(NameAnswer.Location::priority)
                        .thenComparing(NameAnswer.Location::weight, Comparator.reverseOrder()))
                .limit(limits.addressesMax())
                .forEach(each -> tasks.add(
                        new Task(new NameQuestion(each.host(), Kind.ADDRESSES), each.port(), true, each.literals())));
        tasks.addAll(rest);
        return tasks;
    }

    /** Asks the next question of a round, or ends it. */
    private Entry go(int number, Entry entry, Round round, long nowNanos, List<Effect> effects) {
        Round now = round;
        while (!now.left().isEmpty() && !now.current().literals().isEmpty()) { // known from the answer of the service
            now = answered(now, new NameAnswer.Addresses(now.current().literals(), OptionalLong.empty()));
        }
        boolean isDone = now.left().isEmpty()
                || now.asked() >= limits.questionsMax()
                || now.found().size() >= limits.addressesMax()
                || (!now.found().isEmpty() && !now.current().isTarget());
        if (isDone) {
            return ended(number, entry, now, nowNanos, effects);
        }
        NameQuestion question = now.current().question();
        effects.add(new Effect.Ask(number, question));
        return entry.in(new Phase.Asking(question, nowNanos, now.asking()));
    }

    private Entry ended(int number, Entry entry, Round round, long nowNanos, List<Effect> effects) {
        boolean isFound = !round.found().isEmpty();
        int failures = isFound ? 0 : entry.failures() + 1;
        long pauseNanos = isFound ? limits.validNanos(round.ttlSeconds()) : limits.pauseNanos(failures);
        List<PeerAddress> known = isFound ? round.found() : entry.known();
        if (!known.isEmpty()) {
            effects.add(new Effect.Sight(entry.name(), known));
        }
        var next = new Entry(entry.name(), new Phase.Waiting(nowNanos + pauseNanos), known, failures, entry.report());
        String problem = isFound ? "" : round.problem();
        return reported(
                number,
                next,
                isFound || !problem.isEmpty() ? problem : "its complete name is longer than 253 characters",
                effects);
    }

    private Entry reported(int number, Entry entry, String problem, List<Effect> effects) {
        var report = new NameReport(entry.name().toString(), entry.known().size(), problem);
        if (report.equals(entry.report())) {
            return entry;
        }
        effects.add(new Effect.Report(number, report));
        return entry.reporting(report);
    }

    private boolean isReportedSlow(Entry entry) {
        return entry.report().problem().equals(slow());
    }

    private String slow() {
        return "no answer for " + limits.slowAfterNanos() / 1_000_000_000 + " s";
    }
}
