package io.hearth.identity.place;

import io.hearth.identity.DurableFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The file {@code place}. It contains its own inode, so it is first written under another name; a rename keeps the inode. */
public final class PlaceFile {
    private static final int BYTES_MAX = 1024;

    /** File systems that give files new inode numbers at each mount, or leave the numbers to a server. */
    private static final Set<String> CHANGING_INODES =
            Set.of("msdos", "vfat", "exfat", "fuse", "fuseblk", "cifs", "smb3", "smbfs", "9p");

    /**
     * Older than any real file. A creation time equal to this one shows that the file system returns the time of the last change instead.
     */
    private static final FileTime LONG_AGO = FileTime.fromMillis(1_000);

    private static final FileAttribute<Set<PosixFilePermission>> FILE_MODE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path file;
    private final Optional<String> computer;

    /** Properties of the file that are cheap to read. */
    public record Seen(Optional<Object> key, Optional<FileTime> created) {}

    /** The file of this folder; {@code computer} is a hash of the operating system's machine id. */
    public PlaceFile(Path folder, Optional<String> computer) {
        this.file = folder.resolve("place");
        this.computer = computer;
    }

    /** The properties of the current file; empty if there is none. */
    public Optional<Seen> seen() throws IOException {
        try {
            var found = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return Optional.of(new Seen(
                    Optional.ofNullable(found.fileKey()),
                    Optional.of(found.creationTime()).filter(created -> !created.equals(found.lastModifiedTime()))));
        } catch (NoSuchFileException absent) {
            return Optional.empty();
        }
    }

    /** The place in the file; empty if there is none or it is damaged. */
    public Optional<FolderIdentity> read() throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        try (var in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            return FolderIdentity.decode(new String(in.readNBytes(BYTES_MAX), StandardCharsets.US_ASCII));
        }
    }

    /** The actual place of the file. */
    public FolderIdentity observed() throws IOException {
        return observed(file);
    }

    /** Writes a new file, which replaces a former one. It is on disk when this returns. */
    public FolderIdentity write() throws IOException {
        Path draft = file.resolveSibling(
                file.getFileName() + ".new-" + ProcessHandle.current().pid());
        try {
            Files.deleteIfExists(draft);
            Files.createFile(draft, FILE_MODE);
            Files.setLastModifiedTime(draft, LONG_AGO);
            FolderIdentity here = observed(draft);
            Files.write(draft, here.encode().getBytes(StandardCharsets.US_ASCII));
            DurableFile.sync(draft);
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
            DurableFile.sync(file);
            return here;
        } finally {
            Files.deleteIfExists(draft);
        }
    }

    /**
     * Gives the file a new time stamp, which no backup has. A tool that restores only files whose size or stamp differs from the backup's
     * then replaces this one too, by a file with another inode.
     */
    public void touch(long nowMillis) throws IOException {
        Files.setLastModifiedTime(file, FileTime.fromMillis(nowMillis));
    }

    private FolderIdentity observed(Path where) throws IOException {
        if (hasChangingInodes(where)) {
            return new FolderIdentity(Optional.empty(), Optional.empty(), computer);
        }
        try {
            Map<String, Object> found =
                    Files.readAttributes(where, "unix:ino,creationTime,lastModifiedTime", LinkOption.NOFOLLOW_LINKS);
            return new FolderIdentity(
                    Optional.ofNullable(found.get("ino")).map(Object::toString),
                    Optional.ofNullable(found.get("creationTime"))
                            .filter(created -> !created.equals(found.get("lastModifiedTime")))
                            .map(Object::toString),
                    computer);
        } catch (UnsupportedOperationException | IllegalArgumentException foreign) {
            return new FolderIdentity(Optional.empty(), Optional.empty(), computer);
        }
    }

    /** Whether its file system is one of those above; a file system that is not known counts as a disk, whose copies are noticed. */
    private static boolean hasChangingInodes(Path where) {
        String name;
        try {
            name = Files.getFileStore(where).type().toLowerCase(Locale.ROOT);
        } catch (IOException unlisted) {
            return false; // as in a chroot
        }
        return CHANGING_INODES.contains(name) || name.startsWith("fuse.");
    }
}
