package io.hearth.identity;

import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The file {@code identity.pem} of a {@link HearthHome}: this machine's key, made at the first start and never changed.
 *
 * <p>If several first starts run at the same time, one of them makes the key and all use it. A file that is damaged, readable by others,
 * another user's or from another machine is rejected and never replaced. With a new key, this machine would be a new machine for all
 * others, so a person decides ({@link #reset}).
 */
public final class IdentityFile {
    /** Upper bound; the file has about 900. */
    private static final int BYTES_MAX = 4096;

    private final Path file;
    private final Optional<String> machineId;

    private IdentityFile(Path file, Optional<String> machineId) {
        this.file = file;
        this.machineId = machineId;
    }

    /** The key file of {@code home} on this machine. */
    public static IdentityFile in(HearthHome home) {
        return in(home, MachineId.ofThisMachine());
    }

    /** As {@link #in(HearthHome)}, with the given machine id. */
    static IdentityFile in(HearthHome home, Optional<String> machineId) {
        return new IdentityFile(home.file("identity.pem"), machineId);
    }

    /**
     * This machine's identity; made and stored if there is none.
     *
     * @throws SetupException if there is a file that must not be used, or none can be made; names the remedy
     */
    public NodeIdentity loadOrCreate() throws SetupException {
        Optional<NodeIdentity> stored = load();
        if (stored.isPresent()) {
            return stored.get();
        }
        NodeIdentity fresh = NodeIdentity.generate();
        byte[] text = IdentityPem.of(fresh, machineId).encode().getBytes(StandardCharsets.US_ASCII);
        if (OwnFile.publish(file, text)) {
            return fresh;
        }
        return load().orElseThrow(
                        () -> new SetupException(
                                file
                                        + " appeared and disappeared while Hearth started: another program removes it; find that program, then try again"));
    }

    /**
     * This machine's identity, if it has one already.
     *
     * @throws SetupException if there is a file that must not be used; names the remedy
     */
    public Optional<NodeIdentity> load() throws SetupException {
        Optional<byte[]> content = OwnFile.read(file, BYTES_MAX);
        if (content.isEmpty()) {
            return Optional.empty();
        }
        IdentityPem pem;
        try {
            pem = IdentityPem.decode(new String(content.get(), StandardCharsets.US_ASCII));
        } catch (IllegalArgumentException damaged) {
            throw new SetupException(
                    file + " is damaged: " + damaged.getMessage() + "; put a backup of it back, or make this machine"
                            + " a new one in the eyes of the others with 'hearth identity reset'",
                    damaged);
        }
        if (!pem.belongsTo(machineId)) {
            throw new SetupException(
                    file + " is rejected: it was made on another machine, and two machines with one identity disturb"
                            + " each other; give this one its own with 'hearth identity reset'");
        }
        return Optional.of(pem.identity());
    }

    /**
     * Renames the key file, valid or not; the next {@link #loadOrCreate} makes a new identity. Running nodes keep the former one until they
     * end.
     *
     * @return the new path of the former file; nothing if there was none
     * @throws SetupException if it cannot be renamed
     */
    public Optional<Path> reset() throws SetupException {
        return Files.exists(file, LinkOption.NOFOLLOW_LINKS)
                ? Optional.of(OwnFile.setAside(file, "old", Clock.system().epochMillis()))
                : Optional.empty();
    }

    /**
     * A hash of machine id and key. It distinguishes this computer from others and does not reveal its machine id. Empty if the system has
     * no machine id.
     */
    public Optional<String> computer(NodeIdentity identity) {
        return IdentityPem.of(identity, machineId).machine();
    }

    /** The path of the key file. */
    public Path path() {
        return file;
    }
}
