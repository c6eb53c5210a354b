package io.hearth.cli;

import io.hearth.cli.process.RunFolder;
import java.nio.file.Path;

/** Makes the folder of a chaos run, prints its path, and keeps it until the input ends or the process is killed. */
public final class RunFolderMaker {
    private RunFolderMaker() {}

    public static void main(String[] arguments) throws Exception {
        RunFolder folder = RunFolder.create(Path.of(arguments[0]), "chaos");
        System.out.println(folder.path());
        while (System.in.read() != -1) {
            Thread.onSpinWait();
        }
        folder.close();
    }
}
