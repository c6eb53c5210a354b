package io.hearth.cli.bench;

import io.hearth.accel.Engine;
import io.hearth.accel.EngineName;
import io.hearth.accel.KernelKind;
import io.hearth.accel.select.EngineSurvey;
import io.hearth.accel.select.Engines;
import io.hearth.accel.select.KernelRun;
import io.hearth.accel.select.TimedEngine;
import io.hearth.agent.CalibrationFile;
import io.hearth.bench.CLoops;
import io.hearth.bench.KernelBench;
import io.hearth.bench.KernelLine;
import io.hearth.bench.SizeSpec;
import io.hearth.cli.option.EngineConverter;
import io.hearth.cli.terminal.Exit;
import io.hearth.cli.terminal.Terminal;
import io.hearth.cli.terminal.Usage;
import io.hearth.core.HearthException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hearth kernel bench}: measures the speed of each engine at each kernel. */
@Command(
        name = "bench",
        description = {
            "Measure the kernels of all engines of this machine, and the same loops in C if there is a C compiler.",
            "GB/s counts the bytes of one operand (float32 for kernels of codecs). A sum moves three times that number.",
            "The engines take turns in seven rounds; the best round counts.",
            "JDK_JAVA_OPTIONS=-XX:MaxVectorSize=16 (or 32) measures vectors of 128 (or 256) bits, on x86 in C too."
        })
public final class KernelBenchCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Option(
            names = "--sizes",
            paramLabel = "BYTES,...",
            description = "Sizes of one operand (default: 64KiB,1MiB,16MiB,64MiB).")
    private String sizes = "64KiB,1MiB,16MiB,64MiB";

    @Option(
            names = "--kernels",
            paramLabel = "NAME,...",
            description = "Kernels to measure, such as sum-float32 (default: all).")
    private String kernels = "";

    @Option(
            names = "--engine",
            paramLabel = EngineConverter.LABEL,
            converter = EngineConverter.class,
            description = "Measure this engine only; auto measures all engines of this machine (default: auto).")
    private EngineName engine = EngineName.AUTO;

    @Option(
            names = "--json",
            description = "Print one line of JSON for each measurement: engine, kernel, bytes, GBps, c_GBps, chosen.")
    private boolean json;

    public KernelBenchCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws HearthException, InterruptedException {
        List<Integer> wantedSizes = sizes();
        List<KernelKind> wantedKernels = kernels();
        EngineSurvey survey = EngineSurvey.here(CalibrationFile.in(terminal.environment()));
        List<Engine> engines = engines(survey);
        Optional<CLoops> loops = loops();
        try {
            if (!json) {
                terminal.out().println("engine    kernel                 bytes      GB/s  GB/s in C  chosen");
            }
            new KernelBench(
                            engines.stream().map(TimedEngine::of).toList(),
                            loops,
                            survey.choice().division())
                    .run(wantedKernels, wantedSizes, this::show, this::warn);
        } finally {
            loops.ifPresent(CLoops::close);
        }
        return Exit.OK;
    }

    /** Empty also if the compiler of this machine does not work: the engines are measured without it. */
    private Optional<CLoops> loops() throws InterruptedException {
        try {
            return CLoops.compile(terminal.environment().getOrDefault("PATH", ""));
        } catch (HearthException failed) {
            warn("the loops in C are left out: " + failed.getMessage());
            return Optional.empty();
        }
    }

    private void warn(String line) {
        terminal.err().println("hearth: " + line.replaceAll("\\s+", " "));
    }

    private List<Engine> engines(EngineSurvey survey) throws HearthException {
        if (engine == EngineName.AUTO) {
            return survey.engines().stream()
                    .filter(EngineSurvey.EngineState::exists)
                    .map(EngineSurvey.EngineState::engine)
                    .toList();
        }
        return List.of(Engines.chosen(engine, CalibrationFile.in(terminal.environment()))
                .engine());
    }

    private List<Integer> sizes() {
        try {
            var wanted = new ArrayList<Integer>();
            for (SizeSpec size : SizeSpec.parseList(sizes)) {
                if (size.bytes() > KernelRun.BYTES_MAX) {
                    throw new IllegalArgumentException("got " + size.bytes());
                }
                wanted.add((int) size.bytes());
            }
            return wanted;
        } catch (IllegalArgumentException wrong) {
            throw usage("--sizes must be positive multiples of 4, each at most " + KernelRun.BYTES_MAX + " bytes, got '"
                    + sizes + "': " + wrong.getMessage());
        }
    }

    private List<KernelKind> kernels() {
        if (kernels.isEmpty()) {
            return List.of(KernelKind.values());
        }
        var wanted = new ArrayList<KernelKind>();
        for (String name : kernels.split(",", -1)) {
            wanted.add(KernelKind.named(name)
                    .orElseThrow(() -> usage("there is no kernel '" + name + "'; the kernels are "
                            + Arrays.stream(KernelKind.values())
                                    .map(KernelKind::text)
                                    .collect(Collectors.joining(", ")))));
        }
        return wanted;
    }

    private ParameterException usage(String why) {
        return Usage.mistake(command, why);
    }

    private void show(KernelLine line) {
        if (json) {
            terminal.print(line.toJson());
            return;
        }
        String inC = line.cGbPerSecond().isPresent()
                ? String.format(Locale.ROOT, "%9.2f", line.cGbPerSecond().getAsDouble())
                : "        -";
        terminal.out()
                .printf(
                        Locale.ROOT,
                        "%-8s  %-16s  %10d  %8.2f  %s  %s%n",
                        line.engine().label(),
                        line.kernel().text(),
                        line.bytes(),
                        line.gbPerSecond(),
                        inC,
                        line.chosen() ? "yes" : "no");
    }
}
