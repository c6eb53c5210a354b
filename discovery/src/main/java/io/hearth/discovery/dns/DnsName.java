package io.hearth.discovery.dns;

import java.util.Locale;
import java.util.Optional;

/**
 * A domain name. Names that are equal in DNS are equal here, because ASCII letters are kept in lower case.
 *
 * @param wire the name as a message holds it without compression, one character for each byte: length and bytes of each label, and a zero
 *     at the end; at most {@value #BYTES_MAX} characters
 */
public record DnsName(String wire) {
    /** Longest name, its last zero included. */
    public static final int BYTES_MAX = 255;

    /** Longest label. */
    public static final int LABEL_BYTES_MAX = 63;

    /**
     * A name of labels that are plain ASCII.
     *
     * @throws IllegalArgumentException if a label is empty or too long, or all are too long together
     */
    public static DnsName of(String... labels) {
        var wire = new StringBuilder();
        for (String label : labels) {
            if (label.isEmpty()
                    || label.length() > LABEL_BYTES_MAX
                    || !label.chars().allMatch(c -> c < 128)) {
                throw new IllegalArgumentException("a label has 1 to " + LABEL_BYTES_MAX + " characters of ASCII");
            }
            wire.append((char) label.length()).append(label.toLowerCase(Locale.ROOT));
        }
        wire.append('\0');
        if (wire.length() > BYTES_MAX) {
            throw new IllegalArgumentException("a name has at most " + BYTES_MAX + " bytes, got " + wire.length());
        }
        return new DnsName(wire.toString());
    }

    /**
     * A name as a person writes it: labels of plain ASCII with dots between them.
     *
     * @throws IllegalArgumentException as {@link #of}
     */
    public static DnsName dotted(String text) {
        return of(text.split("\\.", -1));
    }

    /** The labels with dots between them; empty for the root, and if a label has other characters than letters, digits, '-' and '_'. */
    public Optional<String> text() {
        var text = new StringBuilder();
        for (int at = 0; wire.charAt(at) != 0; at += 1 + wire.charAt(at)) {
            String label = wire.substring(at + 1, at + 1 + wire.charAt(at));
            if (!label.chars()
                    .allMatch(c -> (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_')) {
                return Optional.empty();
            }
            text.append(at == 0 ? "" : ".").append(label);
        }
        return text.isEmpty() ? Optional.empty() : Optional.of(text.toString());
    }

    /** Whether this name is one label longer than {@code parent} and ends with it. */
    public boolean isChildOf(DnsName parent) {
        int rest = 1 + wire.charAt(0);
        return wire.length() == rest + parent.wire.length() && wire.endsWith(parent.wire);
    }
}
