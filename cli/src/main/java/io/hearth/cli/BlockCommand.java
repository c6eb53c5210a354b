package io.hearth.cli;

import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.BlockFile;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code hearth block}: shuts a machine out here, and only here. */
@Command(
        name = "block",
        description = {
            "Admit a machine no more on this machine alone; 'hearth unblock' takes it back.",
            "Nobody else is told. To put a lost machine out everywhere: hearth remove"
        })
final class BlockCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private RosterOptions options = new RosterOptions();

    @Parameters(paramLabel = "WHO", description = "Its id, a part of it of at least 4 characters, or its name.")
    private String who = "";

    BlockCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException {
        RosterOptions.Known known = options.read(terminal);
        PeerId machine = known.find(who);
        if (machine.equals(known.self().peer())) {
            throw new SetupException("this machine cannot block itself: name another one of 'hearth peers'");
        }
        boolean changed = BlockFile.in(known.home()).set(machine, true);
        terminal.out().println(machine.shortText() + " is blocked on this machine" + (changed ? "" : " already"));
        return Exit.OK;
    }
}
