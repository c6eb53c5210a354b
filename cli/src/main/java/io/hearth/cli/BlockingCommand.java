package io.hearth.cli;

import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.BlockFile;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code hearth block} and {@code unblock}: whom this machine admits, whatever the others do. */
abstract class BlockingCommand implements Callable<Integer> {
    private final Terminal terminal;
    private final boolean blocks;

    @Mixin
    private RosterOptions options = new RosterOptions();

    @Parameters(paramLabel = "WHO", description = "Its id, a part of it of at least 4 characters, or its name.")
    private String who = "";

    private BlockingCommand(Terminal terminal, boolean blocks) {
        this.terminal = terminal;
        this.blocks = blocks;
    }

    /** Shuts a machine out here, and only here. */
    @Command(
            name = "block",
            description = {
                "Admit a machine no more on this machine alone; 'hearth unblock' takes it back.",
                "Nobody else is told. To put a lost machine out everywhere: hearth remove"
            })
    static final class Block extends BlockingCommand {
        Block(Terminal terminal) {
            super(terminal, true);
        }
    }

    /** Takes that back. */
    @Command(
            name = "unblock",
            description = {"Admit a machine again that 'hearth block' shut out on this machine."})
    static final class Unblock extends BlockingCommand {
        Unblock(Terminal terminal) {
            super(terminal, false);
        }
    }

    @Override
    public final Integer call() throws HearthException {
        RosterOptions.Known known = options.read(terminal);
        PeerId machine = known.find(who);
        if (machine.equals(known.self().peer())) {
            throw new SetupException("this machine cannot " + (blocks ? "block" : "unblock")
                    + " itself: name another one of 'hearth peers'");
        }
        boolean changed = BlockFile.in(known.home()).set(machine, blocks);
        terminal.out()
                .println(machine.shortText()
                        + (blocks ? " is blocked on this machine" : " is admitted again on this machine")
                        + (changed ? "" : " already"));
        return Exit.OK;
    }
}
