package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the real launcher in a source tree. The JDK and Maven there are scripts that only print their arguments. */
final class LauncherTest {
    private static final String JAVA = """
            #!/bin/sh
            echo java
            printf '%s\\n' "$@"
            record=
            for argument in "$@"; do
                if [ "$record" = --record ]; then
                    echo >>"${0%/bin/java}/archives"
                    if [ -f "${0%/bin/java}/no room" ]; then echo 'no room' >&2; exit 1; fi
                    : >"$argument"
                fi
                record=$argument
            done
            """;

    private static final String MAVEN = """
            #!/bin/sh
            echo "$JAVA_HOME $*" >>builds
            echo '[INFO] Building Hearth 0.1.0-SNAPSHOT [1/3]'
            echo '[INFO] Building Hearth core 0.1.0-SNAPSHOT [2/3]'
            echo '[INFO] noise'
            echo '[INFO] Building Hearth cli 0.1.0-SNAPSHOT [3/3]'
            n=0; while [ -f hold ] && [ $n -lt 600 ]; do n=$((n + 1)); sleep 0.05; done
            if [ -f broken ]; then echo '[ERROR] Some.java:[1,2] not a statement'; exit 1; fi
            mkdir -p cli/target/lib
            : >cli/target/lib/hearth-cli.jar
            printf lib/one.jar:lib/two.jar >cli/target/lib/classpath
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private Path root;

    @SuppressWarnings("NullAway.Init") // set before each test
    private Path jdk;

    /** The result of one start. */
    private record Outcome(int code, String out, String err) {}

    @BeforeEach
    void makeTree() throws IOException {
        root = Files.createDirectory(folder.toRealPath().resolve("a tree"));
        jdk = makeJdk("a jdk", "JAVA_VERSION=\"25.0.1\"\n");
        Path real = Path.of(System.getProperty("hearth.root"));
        script(root.resolve("hearth"), Files.readString(real.resolve("hearth")));
        script(
                Files.createDirectory(root.resolve("bin")).resolve("hearth"),
                Files.readString(real.resolve("bin/hearth")));
        Files.copy(real.resolve("bin/jvm.args"), root.resolve("bin/jvm.args"));
        script(root.resolve("mvnw"), MAVEN);
        Files.createDirectories(root.resolve("core/src/main/java"));
        Files.writeString(root.resolve("core/src/main/java/One.java"), "");
        Files.writeString(root.resolve("core/pom.xml"), "");
        Files.writeString(root.resolve("pom.xml"), "");
    }

    @Test
    void theFirstStartBuildsAndOnlyTheCommandWritesToStandardOutput() throws Exception {
        Outcome first = start("id", "--json");
        assertEquals(0, first.code(), first.err());
        assertTrue(first.err().contains("hearth: building [2/3] core\nhearth: building [3/3] cli\n"), first.err());
        assertEquals(4, first.err().lines().count(), first.err());
        assertTrue(first.out().startsWith("java\n"), first.out());
        assertEquals(List.of(jdk + " -B -ntp -Dmaven.test.skip=true -Dspotless.check.skip=true package"), builds());
        assertEquals(new Outcome(0, first.out(), ""), start("id", "--json"));
        assertEquals(1, builds().size());
    }

    @Test
    void theCommandGetsItsArgumentsAsTheyAre() throws Exception {
        String out = start("wait", "--", "a  b", "*", "", "$HOME", "'\"").out();
        String jar = root + "/cli/target/lib/hearth-cli.jar";
        assertTrue(out.endsWith("\n-jar\n" + jar + "\nwait\n--\na  b\n*\n\n$HOME\n'\"\n"), out);
        assertTrue(out.startsWith("java\n@" + root + "/bin/jvm.args\n"), out);
    }

    @Test
    void onlyWhatReducesGetsTheVectorModuleAndWhatComputesLittleTheShortCompiler() throws Exception {
        var reduce = List.of("bench", "kernel", "train");
        var computeLong = List.of("simulate");
        var computeLittle = List.of("agent", "id", "status", "wait");
        for (String command : Stream.of(reduce, computeLong, computeLittle)
                .flatMap(List::stream)
                .toList()) {
            for (String out : List.of(
                    start(command, "demo", "agent", "id").out(),
                    start("--json", command).out())) {
                assertEquals(reduce.contains(command), hasVectorModule(out), out);
                assertEquals(
                        List.of("agent", "train").contains(command),
                        out.contains("\n-XX:+ExitOnOutOfMemoryError\n"),
                        "without memory it ends: " + out);
                assertEquals(
                        computeLittle.contains(command),
                        out.contains("\n-XX:+UseSerialGC\n-XX:TieredStopAtLevel=1\n"),
                        out);
            }
        }
    }

    /** They answer for as long as others train, and a parameter server holds the parameters. */
    @ParameterizedTest
    @CsvSource({
        "lighthouse --port 0, true",
        "coordinator, true",
        "scheduler, true",
        "parameterserver --sync-updates, false",
        "agent --serve lighthouse:0, true",
        "agent --label desk --serve=scheduler, true",
        "agent --serve lighthouse --serve parameterserver, false"
    })
    void aServerOfOtherProgramsGetsTheLongCompilerAndMemory(String command, boolean isSmall) throws Exception {
        String out = start(command.split(" ")).out();
        assertFalse(out.contains("-XX:TieredStopAtLevel=1") || out.contains("-Xmx"), out);
        assertTrue(out.contains("\n-XX:+ExitOnOutOfMemoryError\n"), out);
        assertEquals(isSmall, out.contains("\n-XX:+UseSerialGC\n"), out);
    }

    @Test
    void anAgentGetsTheVectorModuleWhereItsEngineIsNamed() throws Exception {
        assertTrue(hasVectorModule(start("agent", "--engine", "vector").out()));
        assertTrue(hasVectorModule(start("agent", "--open", "--engine=vector").out()));
        assertFalse(hasVectorModule(start("status", "--engine", "vector").out()));
        var byEnvironment = builder("agent");
        byEnvironment.environment().put("HEARTH_ENGINE", "vector");
        assertTrue(hasVectorModule(outcome(byEnvironment).out()));
        Path home = Files.createDirectory(folder.resolve("a home"));
        Files.writeString(home.resolve("config.toml"), "page_port = 0\nengine = \"vector\"\n");
        var byFile = builder("agent");
        byFile.environment().put("HEARTH_HOME", home.toString());
        assertTrue(hasVectorModule(outcome(byFile).out()));
    }

    private static boolean hasVectorModule(String out) {
        return out.contains("\n-XX:+EnableVectorSupport\n-Dhearth.vector=load\n");
    }

    @Test
    void aBuildMakesAnArchiveOfClassesThatAllStartsGetButThoseWithAnotherModule() throws Exception {
        String plain = start("id").out();
        String archive = root + "/cli/target/lib/hearth.aot";
        assertTrue(Files.exists(Path.of(archive)));
        for (String command : List.of("id", "simulate", "demo", "wait")) {
            String out = start(command).out();
            assertTrue(out.contains("\n-XX:AOTCache=" + archive + "\n-Xlog:aot=off\n-Xlog:cds=off\n"), out);
        }
        assertTrue(plain.contains("\n-XX:AOTCache="), plain);
        assertFalse(start("train").out().contains("AOT"));
        assertFalse(start("agent").out().contains("AOT"), "it would take memory for as long as the agent runs");
        assertEquals(1, archives());
    }

    @Test
    void aCommandThatOnlyAsksTheAgentGetsASmallerArchive() throws Exception {
        start("id");
        Path small = Files.createFile(root.resolve("cli/target/lib/short.aot"));
        for (String command : List.of("status", "top", "watch", "dashboard", "version")) {
            String out = start(command).out();
            assertTrue(out.contains("\n-XX:AOTCache=" + small + "\n"), out);
        }
        for (String command : List.of("demo", "wait", "run", "pair", "join", "agent")) {
            assertFalse(start(command).out().contains(small.toString()), command);
        }
    }

    @Test
    void theArchiveIsMadeAnewForNewerJarsAndForAnotherJdk() throws Exception {
        start("id");
        Path madeFor = root.resolve("cli/target/lib/hearth.aot.for");
        Files.setLastModifiedTime(madeFor, FileTime.from(Instant.now().minusSeconds(60)));
        Outcome newerJars = start("id");
        assertEquals("hearth: preparing fast starts, which takes some seconds\n", newerJars.err());
        assertEquals(2, archives());
        jdk = makeJdk("another jdk", "JAVA_VERSION=\"25.0.2\"\n");
        start("id");
        assertEquals(1, archives());
        start("id");
        assertEquals(1, archives());
        assertEquals(1, builds().size());
    }

    @Test
    void anArchiveThatCannotBeMadeIsSaidOnceInOneLineAndEveryStartGoesOnWithout() throws Exception {
        Files.createFile(jdk.resolve("no room"));
        Outcome first = start("id");
        assertEquals(0, first.code());
        assertTrue(first.out().startsWith("java\n") && !first.out().contains("AOT"), first.out());
        assertTrue(first.err().endsWith("hearth: starts will be slower, because that failed: no room\n"), first.err());
        assertEquals(new Outcome(0, first.out(), ""), start("id"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "no archive at all", "an archive of another program, longer than its first page"})
    void javaSaysNothingOfAnArchiveThatItCannotUse(String content) throws Exception {
        start("id");
        Path archive = root.resolve("cli/target/lib/hearth.aot");
        Files.writeString(archive, content.repeat(200));
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command = new ArrayList<>(List.of(java));
        command.addAll(
                start("id").out().lines().filter(word -> word.startsWith("-X")).toList());
        assertTrue(command.contains("-XX:AOTCache=" + archive), command.toString());
        command.add("--list-modules");
        assertEquals(outcome(new ProcessBuilder(java, "--list-modules")), outcome(new ProcessBuilder(command)));
    }

    @Test
    void anArchiveThatIsGoneIsNotMissed() throws Exception {
        start("id");
        Files.delete(root.resolve("cli/target/lib/hearth.aot"));
        Outcome without = start("id");
        assertTrue(
                without.code() == 0 && without.err().isEmpty() && !without.out().contains("AOT"), without.out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"core/src/main/java/One.java", "core/src/main/java", "pom.xml", "core/pom.xml"})
    void whatIsNewerThanTheLastBuildIsBuilt(String path) throws Exception {
        start("id");
        Files.setLastModifiedTime(
                root.resolve(path), FileTime.from(Instant.now().plusSeconds(60)));
        start("id");
        assertEquals(2, builds().size());
    }

    @Test
    void whatWasEditedDuringABuildIsBuiltNextTime() throws Exception {
        // repeat until the clock of the file system has advanced
        script(root.resolve("mvnw"), MAVEN + """
                until [ -n "$(find core/src/main/java/One.java -newer target/launcher.start)" ]; do
                    touch core/src/main/java/One.java
                done
                """);
        start("id");
        script(root.resolve("mvnw"), MAVEN);
        start("id");
        assertEquals(2, builds().size());
    }

    @Test
    void aBuildThatFailsShowsItsErrorsAndItsLogAndStartsNothing() throws Exception {
        Files.createFile(root.resolve("broken"));
        Outcome failed = start("id");
        assertEquals(1, failed.code());
        assertEquals("", failed.out());
        assertTrue(failed.err().contains("[ERROR] Some.java:[1,2] not a statement\n"), failed.err());
        assertTrue(failed.err().contains(root + "/target/launcher.log"), failed.err());
        assertTrue(Files.readString(root.resolve("target/launcher.log")).contains("[INFO] noise"));
        Files.delete(root.resolve("broken"));
        assertEquals(0, start("id").code());
    }

    @Test
    void ofTwoStartsAtOnceOneBuildsAndTheOtherWaits() throws Exception {
        Path hold = Files.createFile(root.resolve("hold"));
        Process one = process("id");
        try (BufferedReader said = one.errorReader(StandardCharsets.UTF_8)) {
            String line = said.readLine();
            while (line != null && !line.contains("[3/3]")) {
                line = said.readLine();
            }
            Process two = process("id");
            try (BufferedReader twoSaid = two.errorReader(StandardCharsets.UTF_8)) {
                assertEquals("hearth: waiting for the build of process " + one.pid(), twoSaid.readLine());
                Files.delete(hold);
                assertEquals(0, two.waitFor());
            }
        }
        assertEquals(0, one.waitFor());
        assertEquals(1, builds().size());
    }

    @Test
    void theLockOfAProcessThatIsGoneIsTaken() throws Exception {
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        Path lock = Files.createDirectories(root.resolve("target/launcher.lock"));
        Files.writeString(lock.resolve("pid"), gone.pid() + "\n");
        assertEquals(0, start("id").code());
        assertFalse(Files.exists(lock));
    }

    @Test
    void theLockOfAnotherProgramWithTheSameNumberIsTaken() throws Exception {
        Process other = new ProcessBuilder("sleep", "600").start();
        try {
            Path lock = Files.createDirectories(root.resolve("target/launcher.lock"));
            Files.writeString(lock.resolve("pid"), other.pid() + "\n");
            assertEquals(0, start("id").code());
            assertFalse(Files.exists(lock));
        } finally {
            other.destroy();
        }
    }

    @Test
    void aSignalEndsTheBuildAtOnceAndLeavesNothing() throws Exception {
        Files.createFile(root.resolve("hold"));
        Process building = process("id");
        try (BufferedReader said = building.errorReader(StandardCharsets.UTF_8)) {
            String line = said.readLine();
            while (line != null && !line.contains("[3/3]")) {
                line = said.readLine();
            }
            long maven = Long.parseLong(
                    Files.readString(root.resolve("target/launcher.maven")).strip());
            building.destroy();
            assertEquals(143, building.waitFor());
            assertFalse(Files.exists(root.resolve("target/launcher.lock")));
            assertTrue(ProcessHandle.of(maven).stream().noneMatch(ProcessHandle::isAlive));
        }
    }

    @Test
    void oneJdkHasOneArchiveHoweverItIsNamed() throws Exception {
        start("id");
        jdk = Files.createSymbolicLink(folder.resolve("a link"), jdk);
        start("id");
        jdk = jdk.resolve("bin/..");
        assertEquals(0, start("id").code());
        assertEquals(1, archives());
    }

    @Test
    void whatMavenAdvisesInTheEndIsNotShown() throws Exception {
        script(root.resolve("mvnw"), """
                #!/bin/sh
                echo '[ERROR] Some.java:[1,2] not a statement'
                echo '[ERROR] '
                echo '[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.'
                echo '[ERROR]   mvn <args> -rf :hearth-core'
                exit 1
                """);
        Outcome failed = start("id");
        assertTrue(failed.err().contains("not a statement\nhearth: the build failed"), failed.err());
        assertFalse(failed.err().contains("mvn"), failed.err());
        script(root.resolve("mvnw"), "#!/bin/sh\necho '[ERROR] x: No space left on device'\nexit 1\n");
        assertTrue(start("id").err().contains("hearth: the build failed: the disk is full"));
    }

    @Test
    void withoutALocaleOfUnicodeJavaGetsOne() throws Exception {
        script(jdk.resolve("bin/java"), "#!/bin/sh\necho \"$LC_ALL $LC_CTYPE\"\n");
        var builder = builder("id");
        builder.environment().keySet().removeIf(name -> name.startsWith("LC_") || name.equals("LANG"));
        outcome(builder);
        Assumptions.assumeTrue(Files.isDirectory(Path.of("/proc/self")), "only Linux needs it");
        assertEquals(" C.UTF-8\n", outcome(builder).out());
        builder.environment().put("LC_ALL", "C");
        assertEquals("C.UTF-8 \n", outcome(builder).out());
        builder.environment().put("LC_ALL", "de_DE.UTF-8");
        assertEquals("de_DE.UTF-8 \n", outcome(builder).out());
    }

    @Test
    void anArchiveThatBringsItsOwnJavaUsesNoOther() throws Exception {
        start("id");
        Path own = Files.createDirectories(root.resolve("jdk/bin"));
        script(own.resolve("java"), "#!/bin/sh\necho own\n");
        var builder = builder().command(root.resolve("bin/hearth").toString(), "id");
        assertEquals("own\n", outcome(builder).out());
    }

    @Test
    void aSymbolicLinkToItWorksFromAnywhere() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("bin"), Path.of("a tree", "hearth"));
        Outcome outcome = outcome(builder("id").command(link.toString(), "id").directory(folder.toFile()));
        assertEquals(0, outcome.code(), outcome.err());
        assertEquals(1, builds().size());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "JAVA_VERSION=\"25\"|true",
                "JAVA_VERSION=\"26-ea\"|true",
                "JAVA_VERSION=25.0.1|true",
                "JAVA_VERSION=\"24.0.2\"|false",
                "JAVA_VERSION=\"17.0.15\"|false",
                "JAVA_VERSION=\"1.8.0_402\"|false",
                "JAVA_VERSION=\"unknown\"|false",
                "IMPLEMENTOR=\"25\"|false"
            })
    void aJdkIsKnownByItsReleaseFile(String line, boolean good) throws Exception {
        Path launcher = root.resolve("bin/hearth");
        script(launcher, Files.readString(launcher).replace(" /usr/lib/jvm/*", ""));
        Path other = makeJdk("other", "MODULES=\"java.base\"\n" + line + "\r\n");
        jdk = other;
        Outcome outcome = start("id");
        boolean taken = outcome.code() == 0 && builds().getFirst().startsWith(other + " ");
        assertEquals(good, taken, outcome.err());
    }

    @Test
    void aRuntimeThatCannotCompileIsNotTaken() throws Exception {
        Files.delete(jdk.resolve("bin/javac"));
        Outcome outcome = start("id");
        assertTrue(outcome.code() != 0 || !builds().getFirst().startsWith(jdk + " "));
    }

    @Test
    void withoutAJdkOneLineSaysHowToGetOne() throws Exception {
        String launcher = Files.readString(root.resolve("bin/hearth"));
        script(root.resolve("bin/hearth"), launcher.replace("java_min=25", "java_min=99"));
        Outcome outcome = start("id");
        assertEquals(1, outcome.code());
        assertEquals("", outcome.out());
        assertTrue(
                outcome.err().startsWith("hearth: no JDK 99 or newer was found (newest: ")
                        && outcome.err().endsWith(", or set JAVA_HOME to one\n")
                        && outcome.err().lines().count() == 1,
                outcome.err());
        assertFalse(Files.exists(root.resolve("builds")));
    }

    private Outcome start(String... arguments) throws IOException, InterruptedException {
        return outcome(builder(arguments));
    }

    private Process process(String... arguments) throws IOException {
        return builder(arguments).start();
    }

    private ProcessBuilder builder(String... arguments) {
        List<String> command = new ArrayList<>(List.of(root.resolve("hearth").toString()));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command);
        builder.environment().put("JAVA_HOME", jdk.toString());
        builder.environment().put("HEARTH_HOME", folder.resolve("no home").toString());
        return builder;
    }

    private Outcome outcome(ProcessBuilder builder) throws IOException, InterruptedException {
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        int code = builder.redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start()
                .waitFor();
        return new Outcome(code, Files.readString(out), Files.readString(err));
    }

    private List<String> builds() throws IOException {
        return Files.readAllLines(root.resolve("builds"));
    }

    /** Number of archives that the launcher asked the JDK for. */
    private int archives() throws IOException {
        return Files.readAllLines(jdk.resolve("archives")).size();
    }

    private Path makeJdk(String name, String release) throws IOException {
        Path made = folder.resolve(name);
        Files.createDirectories(made.resolve("bin"));
        script(made.resolve("bin/java"), JAVA);
        script(made.resolve("bin/javac"), "#!/bin/sh\n");
        Files.writeString(made.resolve("release"), release);
        return made;
    }

    private static void script(Path path, String content) throws IOException {
        Files.writeString(path, content);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
