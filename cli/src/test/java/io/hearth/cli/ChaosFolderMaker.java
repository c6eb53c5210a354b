package io.hearth.cli;

import java.nio.file.Path;

/** Makes the folder of a chaos run, says where, and keeps it until its input ends or it is killed. */
final class ChaosFolderMaker {
    private ChaosFolderMaker() {}

    public static void main(String[] arguments) throws Exception {
        ChaosFolder folder = ChaosFolder.create(Path.of(arguments[0]));
        System.out.println(folder.path());
        while (System.in.read() != -1) {
            Thread.onSpinWait();
        }
        folder.close();
    }
}
