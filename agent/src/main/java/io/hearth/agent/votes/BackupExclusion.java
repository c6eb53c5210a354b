package io.hearth.agent.votes;

import io.hearth.core.ChildProcess;
import io.hearth.identity.DurableFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Marks a folder so that backups leave it out. Old voting records are useless: restored ones are set aside anyway, and without records the
 * machine gets new seats.
 *
 * <p>borg, restic, tar and others know the file {@code CACHEDIR.TAG} (Cache Directory Tagging Specification 0.6). Time Machine knows an
 * extended attribute. A macOS program sets it, because the JDK puts "user." before every attribute's name.
 */
final class BackupExclusion {
    private static final Logger LOG = LoggerFactory.getLogger(BackupExclusion.class);
    private static final String TAG = """
            Signature: 8a477f597d28d172789f06886806bc55
            # Hearth keeps what this machine promised to others here; old promises must not come back from a backup.
            # See https://bford.info/cachedir/
            """;
    private static final String ATTRIBUTE = "com.apple.metadata:com_apple_backup_excludeItem";

    /** The string "com.apple.backupd" as a binary property list: what {@code tmutil addexclusion} writes. */
    private static final String BACKUPD = "62706c69737430305f1011636f6d2e6170706c652e6261636b75706408"
            + "000000000000010100000000000000010000000000000000000000000000001c";

    private static final long SECONDS_MAX = 5;

    private BackupExclusion() {}

    /** Marks {@code folder} unless it is marked. A folder without the mark works too, so failures are only logged. */
    static void mark(Path folder) {
        Path tag = folder.resolve("CACHEDIR.TAG");
        if (Files.exists(tag, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try {
            if (System.getProperty("os.name", "").startsWith("Mac")) {
                setAttribute(folder);
            }
            DurableFile.replace(tag, TAG.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException broken) {
            LOG.debug("{} is not marked for backups to leave out: {}", folder, broken.toString());
        }
    }

    private static void setAttribute(Path folder) throws IOException {
        Process xattr = ChildProcess.of("/usr/bin/xattr", "-wx", ATTRIBUTE, BACKUPD, folder.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            if (!xattr.waitFor(SECONDS_MAX, TimeUnit.SECONDS) || xattr.exitValue() != 0) {
                LOG.debug("{} could not be excluded from Time Machine", folder);
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } finally {
            xattr.destroyForcibly();
        }
    }
}
