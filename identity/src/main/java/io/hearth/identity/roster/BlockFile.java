package io.hearth.identity.roster;

import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.HomeFile;
import io.hearth.identity.PeerId;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** The file {@code blocked} of a home: machines that this one does not admit, one id per line. It is never sent to other machines. */
public final class BlockFile {
    private static final int MACHINES_MAX = 256;
    private static final int BYTES_MAX = 64 * 1024;
    private static final String HEAD =
            "# Machines that this one does not admit; 'hearth block' and 'hearth unblock' write it.\n";

    private final HomeFile file;

    private BlockFile(HomeFile file) {
        this.file = file;
    }

    /** The file of that home. */
    public static BlockFile in(HearthHome home) {
        return new BlockFile(HomeFile.in(home, "blocked", "blocked.lock", BYTES_MAX));
    }

    /** A text that changes each time the file is replaced. */
    public String version() {
        return file.version();
    }

    /**
     * The blocked machines.
     *
     * @throws SetupException if the file cannot be read, or a line of it is not an id; names the remedy
     */
    public SortedSet<PeerId> read() throws SetupException {
        Optional<byte[]> content = file.read();
        if (content.isEmpty()) {
            return Collections.emptySortedSet();
        }
        var machines = new TreeSet<PeerId>();
        for (String line :
                new String(content.get(), StandardCharsets.US_ASCII).lines().toList()) {
            if (!line.isBlank() && !line.startsWith("#")) {
                try {
                    machines.add(PeerId.parse(line.strip()));
                } catch (IllegalArgumentException broken) {
                    throw new SetupException(
                            file.path() + " is damaged: a line of it is not a machine's id; put one id on each line, or"
                                    + " delete the file to block no machine",
                            broken);
                }
            }
        }
        return machines;
    }

    /**
     * Blocks or unblocks a machine.
     *
     * @return whether that changed the file
     * @throws SetupException as {@link #read}, or if too many are blocked already
     */
    public boolean set(PeerId machine, boolean blocked) throws SetupException {
        return file.locked(() -> {
            var machines = new TreeSet<>(read());
            boolean changed = blocked ? machines.add(machine) : machines.remove(machine);
            if (machines.size() > MACHINES_MAX) {
                throw new SetupException(MACHINES_MAX
                        + " machines are blocked already: unblock some with 'hearth unblock', or rotate the"
                        + " secret with 'hearth secret rotate'");
            }
            if (changed) {
                var text = new StringBuilder(HEAD);
                machines.forEach(each -> text.append(each.text()).append('\n'));
                file.replace(text.toString().getBytes(StandardCharsets.US_ASCII));
            }
            return changed;
        });
    }
}
