package io.hearth.cli.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.cli.RunFolderMaker;
import io.hearth.cli.RunningProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RunFolderTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path parent;

    @Test
    void whatARunMakesIsGoneWhenItCloses() throws Exception {
        RunFolder folder = RunFolder.create(parent, "chaos");
        Files.writeString(Files.createDirectory(folder.path().resolve("logs")).resolve("a.log"), "text");
        assertTrue(folder.id().matches("[a-z0-9]{1,20}"), folder.id());
        folder.close();
        assertTrue(isEmpty());
    }

    @Test
    void whatAKilledRunLeftIsFoundAndWhatLivesIsNot() throws Exception {
        try (RunningProcess maker = RunningProcess.start(Map.of(), command())) {
            Path folder = Path.of(maker.await("its folder", line -> line.startsWith(parent.toString())));
            assertEquals(List.of(), RunFolder.left(parent, "chaos"), "its run lives");
            maker.handle().destroyForcibly();
            maker.exitCode();
            List<RunFolder> left = RunFolder.left(parent, "chaos");
            assertEquals(List.of(folder), left.stream().map(RunFolder::path).toList());
            left.forEach(RunFolder::close);
            assertFalse(Files.exists(folder));
        }
    }

    private List<String> command() {
        var command = new ArrayList<>(RunningProcess.java());
        command.addAll(List.of(RunFolderMaker.class.getName(), parent.toString()));
        return command;
    }

    @Test
    void whatOnlyLooksLikeOneIsLeftAlone() throws Exception {
        Files.createDirectory(parent.resolve("hearth-chaosabcd1234")); // a folder without a lock
        Files.createDirectory(parent.resolve("hearth-demo-abcd1234"));
        Files.writeString(parent.resolve("hearth-chaosabcd1235"), "a file");
        Files.createSymbolicLink(parent.resolve("hearth-chaosabcd1236"), parent);
        assertEquals(List.of(), RunFolder.left(parent, "chaos"));
    }

    private boolean isEmpty() throws Exception {
        try (var children = Files.list(parent)) {
            return children.findAny().isEmpty();
        }
    }
}
