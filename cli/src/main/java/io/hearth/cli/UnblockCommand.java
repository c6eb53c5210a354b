package io.hearth.cli;

import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.BlockFile;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code hearth unblock}: takes a block back. */
@Command(
        name = "unblock",
        description = {"Admit a machine again that 'hearth block' shut out on this machine."})
final class UnblockCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private RosterOptions options = new RosterOptions();

    @Parameters(paramLabel = "WHO", description = "Its id, a part of it of at least 4 characters, or its name.")
    private String who = "";

    UnblockCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException {
        RosterOptions.Known known = options.read(terminal);
        PeerId machine = known.find(who);
        if (machine.equals(known.self().peer())) {
            throw new SetupException("this machine cannot unblock itself: name another one of 'hearth peers'");
        }
        boolean changed = BlockFile.in(known.home()).set(machine, false);
        terminal.out()
                .println(machine.shortText() + " is admitted again on this machine" + (changed ? "" : " already"));
        return Exit.OK;
    }
}
