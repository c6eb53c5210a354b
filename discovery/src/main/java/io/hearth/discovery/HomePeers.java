package io.hearth.discovery;

import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.HomeFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The other nodes that run with this home. Each writes its port to a file of its slot, then reads the files of the others; so of two that
 * start at the same time at least one knows the other at once, also where multicast does not work.
 *
 * <p>The file {@code slots/SLOT.listens}, mode 0600, names the namespace, the key id of its secret, the process and the port:
 *
 * <pre>
 * hearth listens 1 home 3f2a91c07d5b 4711 52417
 * </pre>
 *
 * <p>The file of a process that ended is ignored. A wrong port costs at most a dial.
 */
public final class HomePeers implements PeerSource {
    private static final Logger LOG = LoggerFactory.getLogger(HomePeers.class);
    private static final String NAME_PREFIX = "home:";
    private static final String HEAD = "hearth listens 1 ";
    private static final String SUFFIX = ".listens";
    private static final Pattern NUMBERS = Pattern.compile("([1-9][0-9]{0,17}) ([1-9][0-9]{0,4})\n");
    private static final String HOST = "127.0.0.1";
    private static final int BYTES_MAX = 256;
    private static final int FILES_MAX = 128;

    private final HearthHome home;
    private final String slot;
    private final String start;
    private final int port;

    /**
     * A source for the node in that slot of the home.
     *
     * @param slot held by this node until after this source is closed
     * @param port at which it accepts links from this machine
     */
    public HomePeers(HearthHome home, String slot, String namespace, String keyId, int port) {
        this.home = home;
        this.slot = slot;
        this.start = HEAD + namespace + " " + keyId + " ";
        this.port = port;
    }

    /** Writes this node's port and reports every other node whose process runs. */
    @Override
    public void start(Consumer<Sighting> sink) {
        try {
            Path folder = home.subfolder("slots");
            String content = start + ProcessHandle.current().pid() + " " + port + "\n";
            file(slot).replace(content.getBytes(StandardCharsets.UTF_8));
            for (String other : others(folder)) {
                report(other, sink);
            }
        } catch (SetupException broken) {
            warn(broken);
        }
    }

    private void report(String other, Consumer<Sighting> sink) {
        try {
            OptionalInt found = port(other);
            if (found.isPresent()) {
                var candidate = new Candidate(new PeerAddress(HOST, found.getAsInt()), Medium.WIRED);
                sink.accept(
                        new Sighting(NAME_PREFIX + other, List.of(candidate), SourceKind.HOME, OptionalInt.empty()));
            }
        } catch (SetupException unusable) {
            warn(unusable);
        }
    }

    private static void warn(SetupException broken) {
        LOG.warn("{}; processes of this home find one another without it", broken.getMessage());
    }

    /** Removes this node's file. */
    @Override
    public void close() {
        try {
            Files.deleteIfExists(file(slot).path());
        } catch (IOException stays) {
            LOG.debug("the file of a port stays and costs others a dial: {}", stays.toString());
        }
    }

    private List<String> others(Path folder) throws SetupException {
        var slots = new ArrayList<String>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*" + SUFFIX)) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                String other = name.substring(0, name.length() - SUFFIX.length());
                if (!other.equals(slot) && slots.size() < FILES_MAX) {
                    slots.add(other);
                }
            }
        } catch (IOException | DirectoryIteratorException unreadable) {
            throw new SetupException("cannot list " + folder + ": " + unreadable.getMessage(), unreadable);
        }
        slots.sort(null);
        return slots;
    }

    /** The port of the node in that slot, if its process runs and it is of this namespace, with this secret. */
    private OptionalInt port(String other) throws SetupException {
        String content = file(other)
                .read()
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                .orElse("");
        if (!content.startsWith(start)) {
            return OptionalInt.empty();
        }
        Matcher numbers = NUMBERS.matcher(content.substring(start.length()));
        if (!numbers.matches()
                || ProcessHandle.of(Long.parseLong(numbers.group(1))).isEmpty()) {
            return OptionalInt.empty();
        }
        int found = Integer.parseInt(numbers.group(2));
        return found > 65_535 ? OptionalInt.empty() : OptionalInt.of(found);
    }

    private HomeFile file(String of) {
        return HomeFile.in(home, "slots/" + of + SUFFIX, "slots/" + of + ".lock", BYTES_MAX);
    }
}
