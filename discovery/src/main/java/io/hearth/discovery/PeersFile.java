package io.hearth.discovery;

import io.hearth.core.SetupException;
import io.hearth.identity.DurableFile;
import io.hearth.identity.NodeId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of remembered addresses, mode 0600, one line for each peer, the latest last:
 *
 * <pre>
 * hearth peers 1
 * 12D3KooW…/trainer-0 192.168.1.7:52417 [fe80::1%eth0]:52417
 * </pre>
 *
 * <p>A wrong address costs at most a dial, so the content is not verified. A file that cannot be parsed is renamed as a whole.
 */
final class PeersFile {
    private static final Logger LOG = LoggerFactory.getLogger(PeersFile.class);
    private static final String HEAD = "hearth peers 1";
    private static final int BYTES_MAX = 512 * 1024;

    private final Path path;

    PeersFile(Path path) {
        this.path = path;
    }

    /**
     * The remembered peers, the latest last. Empty if there is no file or it is damaged; a damaged file is renamed and logged.
     *
     * @throws SetupException if the file exists and cannot be read or renamed
     */
    SequencedMap<NodeId, List<PeerAddress>> read() throws SetupException {
        byte[] content;
        try (var in = Files.newInputStream(path, LinkOption.NOFOLLOW_LINKS)) {
            content = in.readNBytes(BYTES_MAX + 1);
        } catch (NoSuchFileException absent) {
            return new LinkedHashMap<>();
        } catch (IOException broken) {
            throw failed("read", broken);
        }
        try {
            return parse(content);
        } catch (IllegalArgumentException damaged) {
            setAside(damaged.getMessage());
            return new LinkedHashMap<>();
        }
    }

    /** Replaces the content. A crash leaves either the former content or this one. */
    void write(SequencedMap<NodeId, List<PeerAddress>> peers) throws SetupException {
        var text = new StringBuilder(HEAD).append('\n');
        peers.forEach((node, addresses) -> {
            text.append(node.text());
            addresses.forEach(address -> text.append(' ').append(address));
            text.append('\n');
        });
        try {
            DurableFile.replace(path, text.toString().getBytes(StandardCharsets.UTF_8));
        } catch (IOException broken) {
            throw failed("write", broken);
        }
    }

    private static SequencedMap<NodeId, List<PeerAddress>> parse(byte[] content) {
        if (content.length > BYTES_MAX) {
            throw new IllegalArgumentException("it is larger than " + BYTES_MAX + " bytes");
        }
        List<String> lines = new String(content, StandardCharsets.UTF_8).lines().toList();
        if (lines.isEmpty() || !lines.getFirst().equals(HEAD) || lines.size() > 1 + RememberedPeers.PEERS_MAX) {
            throw new IllegalArgumentException("it does not begin with '" + HEAD + "', or has too many lines");
        }
        var peers = new LinkedHashMap<NodeId, List<PeerAddress>>();
        for (String line : lines.subList(1, lines.size())) {
            List<String> words = List.of(line.split(" ", Sighting.CANDIDATES_MAX + 2));
            if (words.size() < 2 || words.size() > Sighting.CANDIDATES_MAX + 1) {
                throw new IllegalArgumentException("a line has " + (words.size() - 1) + " addresses");
            }
            var addresses = new ArrayList<PeerAddress>();
            for (String word : words.subList(1, words.size())) {
                addresses.add(HostPort.parse(word)
                        .literal()
                        .orElseThrow(() -> new IllegalArgumentException("an address is a name")));
            }
            peers.put(NodeId.parse(words.getFirst()), List.copyOf(addresses));
        }
        return peers;
    }

    private void setAside(@Nullable String why) throws SetupException {
        Path aside = path.resolveSibling(path.getFileName() + ".damaged-" + UUID.randomUUID());
        try {
            Files.move(path, aside, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException broken) {
            throw failed("set aside", broken);
        }
        LOG.warn("{} is damaged ({}); kept as {}, addresses will be learned again", path, why, aside.getFileName());
    }

    /** The text leaves out the paths in the system's message, because each draft file has another name: repeats must be equal. */
    private SetupException failed(String what, IOException broken) {
        String cause = switch (broken) {
            case FileSystemException failed when failed.getReason() != null -> failed.getReason();
            case FileSystemException failed -> failed.getClass().getSimpleName();
            default -> String.valueOf(broken.getMessage());
        };
        return new SetupException(
                "cannot " + what + " " + path + ": " + cause + "; make its folder writable for you", broken);
    }
}
