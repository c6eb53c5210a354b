package io.hearth.identity.place;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The place of a folder: properties that a copy or a restored backup of it cannot have.
 *
 * <p>The inode alone is not enough: a file system may give a deleted file's inode to the next new file. An unknown property equals any
 * value.
 *
 * @param inode number of the file {@code place} in its file system
 * @param born creation time of the file, by the file system
 * @param computer hash of the operating system's machine id
 */
public record FolderIdentity(Optional<String> inode, Optional<String> born, Optional<String> computer) {
    private static final String UNKNOWN = "unknown";
    private static final Pattern TEXT = Pattern.compile("""
            # [^\\n]{0,200}
            inode: (\\S{1,40})
            born: (\\S{1,40})
            computer: (\\S{1,64})
            """);

    /** The content of the file {@code place}. */
    public String encode() {
        return """
                # Hearth sets the records in this folder aside if the folder was copied or restored from a backup.
                inode: %s
                born: %s
                computer: %s
                """.formatted(inode.orElse(UNKNOWN), born.orElse(UNKNOWN), computer.orElse(UNKNOWN));
    }

    /** Reads the text of {@link #encode}; empty if the text is anything else. */
    public static Optional<FolderIdentity> decode(String text) {
        Matcher parts = TEXT.matcher(text);
        return parts.matches()
                ? Optional.of(new FolderIdentity(known(parts.group(1)), known(parts.group(2)), known(parts.group(3))))
                : Optional.empty();
    }

    /** The property that shows that the folder was copied or restored since this was written; empty if none does. */
    public Optional<String> difference(FolderIdentity now) {
        if (differ(computer, now.computer)) {
            return Optional.of("it was made on another computer or another installation of the system");
        }
        if (differ(inode, now.inode)) {
            return Optional.of("its file 'place' had another inode");
        }
        return differ(born, now.born) ? Optional.of("its file 'place' was created at another time") : Optional.empty();
    }

    /** Whether a property is unknown here and known in {@code now}. */
    public boolean knowsLess(FolderIdentity now) {
        return (inode.isEmpty() && now.inode.isPresent())
                || (born.isEmpty() && now.born.isPresent())
                || (computer.isEmpty() && now.computer.isPresent());
    }

    private static boolean differ(Optional<String> then, Optional<String> now) {
        return then.isPresent() && now.isPresent() && !then.equals(now);
    }

    private static Optional<String> known(String text) {
        return text.equals(UNKNOWN) ? Optional.empty() : Optional.of(text);
    }
}
