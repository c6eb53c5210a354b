package io.hearth.replicated;

import io.hearth.identity.NodeId;

/**
 * Makes a command known again when it is repeated.
 *
 * @param origin the node whose call led to the command
 * @param incarnation of that node; a later one is higher
 * @param number 1, 2, … per incarnation
 * @param answered all numbers up to this one were answered, and their answers may be forgotten; less than {@code number}
 */
public record CommandKey(NodeId origin, long incarnation, long number, long answered) {
    public CommandKey {
        if (incarnation < 0 || number < 1 || number > Position.NUMBER_MAX || answered < 0 || answered >= number) {
            throw new IllegalArgumentException("incarnation at least 0, 0 <= answered < number <= "
                    + Position.NUMBER_MAX + ", got " + incarnation + ", " + answered + ", " + number);
        }
    }

    /** Whether both name the same command. */
    public boolean isSame(CommandKey other) {
        return number == other.number && incarnation == other.incarnation && origin.equals(other.origin);
    }
}
