package io.hearth.replicated;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The entries after a snapshot, without a gap.
 *
 * @param base the position before the first one
 */
public record Log(Position base, List<Entry> entries) {
    public Log {
        entries = List.copyOf(entries);
        long number = base.number();
        for (Entry entry : entries) {
            number++;
            if (entry.number() != number) {
                throw new IllegalArgumentException("entry " + entry.number() + " in the place of " + number);
            }
        }
    }

    public Position last() {
        return entries.isEmpty() ? base : entries.getLast().position();
    }

    public long lastNumber() {
        return last().number();
    }

    /** The position with this number, unless it is before {@link #base} or after the last one. */
    public Optional<Position> at(long number) {
        if (number == base.number()) {
            return Optional.of(base);
        }
        return number < base.number() || number > lastNumber()
                ? Optional.empty()
                : Optional.of(entry(number).position());
    }

    public Entry entry(long number) {
        return entries.get(Math.toIntExact(number - base.number() - 1));
    }

    /** The entries with numbers above {@code number}, which is at least that of {@link #base}. */
    public List<Entry> after(long number) {
        return entries.subList(Math.toIntExact(number - base.number()), entries.size());
    }

    /** The same log up to {@code keep}, and then {@code more}. */
    public Log replaceAfter(long keep, List<Entry> more) {
        var all = new ArrayList<Entry>(entries.size() + more.size());
        all.addAll(entries.subList(0, Math.toIntExact(keep - base.number())));
        all.addAll(more);
        return new Log(base, all);
    }

    /** The same log without the entries up to {@code position}. */
    public Log from(Position position) {
        return new Log(position, after(position.number()));
    }

    /** Bytes of all contents. */
    public long size() {
        return entries.stream().mapToLong(entry -> entry.content().size()).sum();
    }
}
