package io.hearth.cli.namespace;

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

/** {@code hearth block} and {@code unblock}: set which machines this machine admits. Other machines are not affected. */
public abstract sealed class BlockingCommand implements Callable<Integer> {
    private final Terminal terminal;
    private final boolean blocks;

    @Mixin
    private RosterOptions options = new RosterOptions();

    @Parameters(paramLabel = "WHO", description = "The machine: its id, at least 4 characters of it, or its name.")
    private String who = "";

    private BlockingCommand(Terminal terminal, boolean blocks) {
        this.terminal = terminal;
        this.blocks = blocks;
    }

    /** Adds a machine to the block list of this machine. */
    @Command(
            name = "block",
            description = {
                "Block a machine, on this machine only. 'hearth unblock' undoes it.",
                "Other machines are not affected. To remove a lost machine from the namespace: hearth remove"
            })
    public static final class Block extends BlockingCommand {
        public Block(Terminal terminal) {
            super(terminal, true);
        }
    }

    /** Removes a machine from the block list of this machine. */
    @Command(
            name = "unblock",
            description = {"Undo 'hearth block': admit a machine on this machine again."})
    public static final class Unblock extends BlockingCommand {
        public Unblock(Terminal terminal) {
            super(terminal, false);
        }
    }

    @Override
    public final Integer call() throws HearthException {
        RosterOptions.Known known = options.read(terminal);
        PeerId machine = known.find(who);
        if (machine.equals(known.self().peer())) {
            throw new SetupException("this machine cannot " + (blocks ? "block" : "unblock")
                    + " itself: name another machine that 'hearth peers' lists");
        }
        boolean changed = BlockFile.in(known.home()).set(machine, blocks);
        terminal.out()
                .println(machine.shortText()
                        + (blocks ? " is blocked on this machine" : " is admitted again on this machine")
                        + (changed ? "" : " already"));
        return Exit.OK;
    }
}
