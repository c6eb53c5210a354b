package io.hearth.collective.group;

import io.hearth.collective.group.GroupMachine.Open;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of a group's calls at one member.
 *
 * @param next number of the next call
 * @param doneUpTo all numbers up to this one ended here
 * @param open numbers that were called and have not ended
 * @param kept numbers that ended and whose outcome is still held
 */
public record CallNumbers(long next, long doneUpTo, ByNumber<Open> open, ByNumber<Status.Kept> kept) {
    /** Before the first call. */
    public static final CallNumbers NONE = new CallNumbers(1, 0, ByNumber.none(), ByNumber.none());

    /** The newest called number, if it has not ended. */
    @Nullable
    Open newest() {
        return open.get(next - 1);
    }

    CallNumbers called(Open call) {
        return new CallNumbers(next + 1, doneUpTo, open.with(next, call), kept);
    }

    /** Without the newest called number. */
    CallNumbers withdrawn() {
        return new CallNumbers(next - 1, doneUpTo, open.without(next - 1), kept);
    }

    CallNumbers ended(Status.Kept outcome) {
        ByNumber<Status.Kept> outcomes = kept.with(outcome.number(), outcome);
        long done = doneUpTo;
        while (outcomes.has(done + 1)) {
            done++;
        }
        return new CallNumbers(next, done, open.without(outcome.number()), outcomes);
    }

    /** The same with other open numbers. */
    CallNumbers opening(ByNumber<Open> calls) {
        return new CallNumbers(next, doneUpTo, calls, kept);
    }

    /** The same with other outcomes. */
    public CallNumbers keeping(ByNumber<Status.Kept> outcomes) {
        return new CallNumbers(next, doneUpTo, open, outcomes);
    }

    /** The numbers of a member whose first call gets the number {@code first}. */
    CallNumbers beginningAt(long first) {
        return new CallNumbers(first, first - 1, open, kept);
    }

    /** The newest called number becomes {@code first}, and no outcome is held. */
    CallNumbers movedTo(long first, Open call) {
        return new CallNumbers(first + 1, first - 1, open.without(next - 1).with(first, call), ByNumber.none());
    }
}
