package io.hearth.cli.bench;

import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalLibraries;
import io.hearth.accel.metal.MetalLimits;
import io.hearth.accel.select.EngineSelfTest;
import io.hearth.accel.select.EngineSelfTest.Verdict;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Table;
import io.hearth.cli.terminal.Terminal;
import io.hearth.cli.terminal.Version;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import io.hearth.standin.MetalStandIn;
import io.hearth.standin.NativeCompiler;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code hearth kernel selftest}: checks that all engines give the same bits on this machine. */
@Command(
        name = "selftest",
        description = {
            "Compare all engines of this machine with plain Java, bit for bit.",
            "The report is one block of text, for bug reports."
        })
public final class KernelSelftestCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Option(names = "--fake", description = "Test Metal on a stand-in too; needs Linux and a C++ compiler.")
    private boolean fake;

    public KernelSelftestCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException, InterruptedException {
        Optional<MetalStandIn> standIn = fake ? Optional.of(standIn()) : Optional.empty();
        var verdicts = new ArrayList<>(EngineSelfTest.here());
        standIn.ifPresent(metal -> verdicts.addAll(on(metal)));
        report(verdicts).forEach(terminal.out()::println);
        if (verdicts.stream().anyMatch(Verdict::isFault)) {
            throw new HearthException("an engine gives wrong bits or does not work: report the block above;"
                    + " until then run with --engine cpu, or with --engine portable if that one is wrong too");
        }
        return Exit.OK;
    }

    static List<String> report(List<Verdict> verdicts) {
        var lines = new ArrayList<String>();
        lines.add("---- hearth kernel selftest ----");
        lines.add(Version.line() + ", kernels " + MetalEngine.kernelsVersion() + ", "
                + Runtime.getRuntime().availableProcessors() + " processors");
        var rows = new ArrayList<List<String>>();
        verdicts.forEach(verdict -> rows.add(List.of(verdict.engine(), verdict.text())));
        lines.addAll(Table.lines(rows));
        boolean wrong = verdicts.stream().anyMatch(Verdict::isFault);
        lines.add(wrong ? "result: WRONG" : "result: ok");
        lines.add("---- end ----");
        return lines;
    }

    private MetalStandIn standIn() throws HearthException, InterruptedException {
        if (!MetalStandIn.isPossible()) {
            throw new SetupException("--fake needs Linux on x86-64 or aarch64; leave it out");
        }
        NativeCompiler compiler = MetalStandIn.compiler(terminal.environment().getOrDefault("PATH", ""))
                .orElseThrow(() -> new SetupException(
                        "--fake needs a C++ compiler, and neither g++ nor clang++ is on PATH; install one"));
        return MetalStandIn.build(compiler);
    }

    /** The Metal engine on the stand-in, in each manner that a GPU may have. */
    private static List<Verdict> on(MetalStandIn standIn) {
        var verdicts = new ArrayList<Verdict>();
        for (MetalStandIn.Manner manner : MetalStandIn.Manner.values()) {
            standIn.reset();
            standIn.set(manner);
            String name = "metal, stand-in, " + manner.name().toLowerCase(Locale.ROOT);
            try (MetalEngine metal = MetalEngine.open(MetalLibraries.single(standIn.library()), MetalLimits.DEFAULTS)) {
                verdicts.add(EngineSelfTest.metal(name, metal));
            }
            String broken = standIn.violations();
            if (!broken.isEmpty()) {
                verdicts.add(new Verdict(name, true, false, "WRONG: a rule of Metal was broken: " + broken.strip()));
            }
        }
        return verdicts;
    }
}
