package io.hearth.cli;

import io.hearth.accel.cc.NativeCompiler;
import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalStandIn;
import io.hearth.accel.select.EngineSelfTest;
import io.hearth.cli.process.SourceTree;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Table;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code hearth kernel selftest}: do all engines give the same bits on this machine. */
@Command(
        name = "selftest",
        description = {
            "Compare all engines of this machine with plain Java, bit for bit.",
            "The report is one block, to be pasted whole where it is wanted."
        })
final class KernelSelftestCommand implements Callable<Integer> {
    private static final Path STAND_IN = Path.of("native", "src", "test", "resources", "metal-fake");

    private final Terminal terminal;

    @Option(
            names = "--fake",
            description = "Test Metal on a stand-in too, in Linux and from the source tree; needs a C++ compiler.")
    private boolean fake;

    KernelSelftestCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException, InterruptedException {
        Optional<MetalStandIn> standIn = fake ? Optional.of(standIn()) : Optional.empty();
        var verdicts = new ArrayList<>(EngineSelfTest.here());
        standIn.ifPresent(metal -> verdicts.addAll(EngineSelfTest.on(metal)));
        report(verdicts).forEach(terminal.out()::println);
        if (verdicts.stream().anyMatch(EngineSelfTest.Verdict::isFault)) {
            throw new HearthException("an engine gives other bits or does not work: report the block above;"
                    + " until then run with --engine cpu, or with --engine portable if that one is wrong too");
        }
        return Exit.OK;
    }

    static List<String> report(List<EngineSelfTest.Verdict> verdicts) {
        var lines = new ArrayList<String>();
        lines.add("---- hearth kernel selftest ----");
        lines.add(new VersionCommand().getVersion()[0] + ", kernels " + MetalEngine.kernelsVersion() + ", "
                + Runtime.getRuntime().availableProcessors() + " processors");
        var rows = new ArrayList<List<String>>();
        verdicts.forEach(verdict -> rows.add(List.of(verdict.engine(), verdict.text())));
        lines.addAll(Table.lines(rows));
        boolean wrong = verdicts.stream().anyMatch(EngineSelfTest.Verdict::isFault);
        lines.add(wrong ? "result: WRONG" : "result: ok");
        lines.add("---- end ----");
        return lines;
    }

    private MetalStandIn standIn() throws HearthException, InterruptedException {
        if (!MetalStandIn.isPossible()) {
            throw new SetupException("--fake needs Linux on x86-64 or aarch64; leave it out");
        }
        NativeCompiler compiler = NativeCompiler.find(terminal.environment().getOrDefault("PATH", ""), "g++", "clang++")
                .orElseThrow(() -> new SetupException(
                        "--fake needs a C++ compiler, and neither g++ nor clang++ is on PATH; install one"));
        Path sources = SourceTree.find(STAND_IN, Files::isDirectory)
                .orElseThrow(() -> new SetupException(
                        "--fake runs from the source tree of Hearth only, as ./hearth kernel selftest --fake"));
        return MetalStandIn.build(compiler, sources);
    }
}
