package io.hearth.cli;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.conditions.ArchConditions.be;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceRule;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import io.hearth.core.Machine;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rules that the compiler does not check: the allowed dependencies of modules and packages, and the purity of packages that decide. */
final class ArchitectureTest {
    private static final String ROOT = "io.hearth.";

    /** The modules that each module may use, by the name of its package. {@code accel} is the folder {@code native}. */
    private static final Map<String, Set<String>> ALLOWED = Map.ofEntries(
            Map.entry("core", Set.of()),
            Map.entry("standin", Set.of("core")),
            Map.entry("identity", Set.of("core")),
            Map.entry("accel", Set.of("core")),
            Map.entry("compression", Set.of("core", "accel")),
            Map.entry("topology", Set.of("core", "identity")),
            Map.entry("election", Set.of("core", "identity")),
            Map.entry("discovery", Set.of("core", "identity")),
            Map.entry("transport", Set.of("core", "identity")),
            Map.entry(
                    "collective",
                    Set.of("core", "identity", "accel", "compression", "topology", "election", "transport")),
            Map.entry("simulation", Set.of("core", "identity", "discovery", "election", "collective")),
            Map.entry(
                    "agent",
                    Set.of(
                            "core",
                            "identity",
                            "accel",
                            "compression",
                            "topology",
                            "election",
                            "discovery",
                            "transport",
                            "collective")),
            Map.entry("examples", Set.of("core", "collective", "compression", "topology", "agent")),
            Map.entry(
                    "bench",
                    Set.of(
                            "core",
                            "standin",
                            "identity",
                            "accel",
                            "compression",
                            "topology",
                            "election",
                            "discovery",
                            "transport",
                            "collective",
                            "agent",
                            "examples")),
            Map.entry(
                    "cli",
                    Set.of(
                            "core",
                            "standin",
                            "identity",
                            "accel",
                            "compression",
                            "topology",
                            "election",
                            "discovery",
                            "transport",
                            "collective",
                            "simulation",
                            "agent",
                            "examples",
                            "bench")));

    /** Rooms that other modules may use, with these modules. All other packages below the root of a module are closed to them. */
    private static final Map<String, Set<String>> OPEN = Map.ofEntries(
            Map.entry("accel.metal", Set.of("cli")),
            Map.entry("accel.select", Set.of("agent", "bench", "cli", "collective", "compression")),
            Map.entry("agent.api", Set.of("cli")),
            Map.entry("agent.pairing", Set.of("cli")),
            Map.entry("agent.status", Set.of("cli")),
            Map.entry("collective.engine", Set.of("agent")),
            Map.entry("collective.group", Set.of("agent", "simulation")),
            Map.entry("collective.pair.machine", Set.of("simulation")),
            Map.entry("collective.ring", Set.of("bench", "cli")),
            Map.entry("collective.state", Set.of("simulation")),
            Map.entry("collective.state.machine", Set.of("simulation")),
            Map.entry("compression.block", Set.of("bench", "collective")),
            Map.entry("compression.codecs", Set.of("bench", "collective")),
            Map.entry("compression.memory", Set.of("collective")),
            Map.entry("compression.sparse", Set.of("collective")),
            Map.entry("discovery.gossip", Set.of("agent", "simulation")),
            Map.entry("discovery.mdns", Set.of("agent")),
            Map.entry("discovery.mdns.machine", Set.of("agent")),
            Map.entry("discovery.protobuf", Set.of("agent")),
            Map.entry("discovery.table", Set.of("agent", "simulation")),
            Map.entry("election.health", Set.of("agent", "simulation")),
            Map.entry("election.protobuf", Set.of("agent", "simulation")),
            Map.entry("election.view", Set.of("agent", "simulation")),
            Map.entry("election.vote", Set.of("agent", "simulation")),
            Map.entry("identity.pairing", Set.of("agent", "cli")),
            Map.entry("identity.pairing.machine", Set.of("agent", "cli")),
            Map.entry("identity.roster", Set.of("agent", "cli", "simulation", "transport")),
            Map.entry("identity.roster.machine", Set.of("agent", "simulation")),
            Map.entry("transport.cipher", Set.of("bench")),
            Map.entry("transport.links", Set.of("agent", "bench", "collective")));

    /** Pure packages, with all packages below them. Each package named {@code machine} is pure too. */
    private static final Set<String> DECIDE = Set.of(
            "cli.chaos.plan",
            "collective.choice",
            "collective.group",
            "collective.schedule",
            "compression",
            "discovery.dns",
            "discovery.gossip",
            "discovery.table",
            "election");

    private static final ArchRule PURE = noClasses()
            .that(decide())
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "java.net..",
                    "java.nio.channels..",
                    "java.util.concurrent..",
                    "io.netty..",
                    "javax.jmdns..",
                    "org.slf4j..")
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.lang.Thread")
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.security.SecureRandom")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(Math.class, "random")
            .orShould()
            .callConstructor(Random.class)
            .because("time, bytes and chance come in as arguments, so that every run can be repeated from a seed");

    private static final SliceRule NO_CIRCLES = SlicesRuleDefinition.slices()
            .matching("io.hearth.(**)")
            .should()
            .beFreeOfCycles()
            .because("a package is read after those that it uses");

    /** Largest allowed circle of classes of one package that use each other. A reader of a larger circle has no class to begin with. */
    private static final int CIRCLE_MAX = 8;

    private static final JavaClasses HEARTH = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.hearth");

    /** Two packages that use each other, and a class of another module that uses one of them. */
    private static final JavaClasses PLANTED =
            new ClassFileImporter().importPackages("io.hearth.planted", "io.hearth.visitor");

    static Stream<String> modules() {
        return ALLOWED.keySet().stream().sorted();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("modules")
    void aModuleUsesOnlyThoseThatItsRowNames(String module) {
        List<String> allowed = new ArrayList<>(List.of(ROOT + module + ".."));
        ALLOWED.getOrDefault(module, Set.of()).forEach(other -> allowed.add(ROOT + other + ".."));
        classes()
                .that()
                .resideInAPackage(ROOT + module + "..")
                .should()
                .onlyDependOnClassesThat(
                        resideOutsideOfPackage("io.hearth..").or(resideInAnyPackage(allowed.toArray(String[]::new))))
                .allowEmptyShould(true)
                .check(HEARTH);
    }

    @Test
    void everyModuleHasARow() {
        Set<String> seen = HEARTH.stream()
                .map(type -> module(type.getPackageName()))
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(new TreeSet<>(ALLOWED.keySet()), seen);
    }

    @Test
    void noRowLeadsBackToItself() {
        ALLOWED.keySet().forEach(module -> assertTrue(!closure(module, ALLOWED).contains(module), module));
    }

    @Test
    void noPackagesUseEachOther() {
        NO_CIRCLES.check(HEARTH);
        assertTrue(NO_CIRCLES.evaluate(PLANTED).hasViolation());
    }

    @Test
    void circlesOfClassesAreSmall() {
        assertEquals(Map.of(), circles(HEARTH, CIRCLE_MAX));
        assertEquals(Map.of("planted.circle", 2), circles(PLANTED, 1));
    }

    @Test
    void aRoomIsClosedToOtherModulesUnlessItHasARow() {
        assertEquals(new TreeMap<>(OPEN), usedFromOutside(HEARTH));
        assertEquals(Map.of("planted.one", Set.of("visitor")), usedFromOutside(PLANTED));
    }

    @Test
    void whatDecidesTouchesNoThreadNoSocketNoClockAndNoRandomSource() {
        PURE.check(HEARTH);
        assertTrue(PURE.evaluate(PLANTED).hasViolation());
    }

    @Test
    void aMachineIsWhereTheRuleSeesIt() {
        classes()
                .that()
                .implement(Machine.class)
                .should(be(describe("in a pure package", ArchitectureTest::isPure)))
                .check(HEARTH);
    }

    @Test
    void ofTheProductOnlyAccelCallsNativeCode() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.hearth.accel..", "io.hearth.standin..")
                .and()
                .doNotHaveFullyQualifiedName("io.hearth.bench.CLoops")
                .should()
                .dependOnClassesThat()
                .haveNameMatching("java\\.lang\\.foreign\\.Linker(\\$.*)?")
                .check(HEARTH);
    }

    @Test
    void everyChildProcessIsPreparedInOnePlace() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName("io.hearth.core.ChildProcess")
                .should()
                .callConstructor(ProcessBuilder.class, String[].class)
                .orShould()
                .callConstructor(ProcessBuilder.class, List.class)
                .orShould()
                .callMethodWhere(describe(
                        "start a program",
                        call -> call.getTargetOwner().isEquivalentTo(Runtime.class)
                                && call.getTarget().getName().equals("exec")))
                .because("a child does not inherit the secret")
                .check(HEARTH);
    }

    /** A comparison that ends at the first difference shows an attacker which part of a guess was right. */
    @Test
    void secretsAndProofsAreComparedInConstantTime() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "io.hearth.core..", "io.hearth.identity..", "io.hearth.transport..", "io.hearth.discovery..")
                .and(describe(
                        "do not compare public keys or identifiers only",
                        type -> !Set.of("Bytes", "PeerId", "NodeIdentity", "Tls")
                                .contains(type.getSimpleName())))
                .and(written())
                .should()
                .callMethodWhere(describe("compare arrays or buffers", call -> {
                    String owner = call.getTargetOwner().getName();
                    String name = call.getTarget().getName();
                    return (owner.equals("java.util.Arrays")
                                    && Set.of("equals", "compare", "compareUnsigned", "mismatch", "deepEquals")
                                            .contains(name))
                            || (owner.equals("java.nio.ByteBuffer")
                                    && Set.of("equals", "compareTo", "mismatch").contains(name))
                            || (owner.equals("java.lang.foreign.MemorySegment") && name.equals("mismatch"));
                }))
                .because("MessageDigest.isEqual takes as long for a near miss as for any other")
                .check(HEARTH);
        noClasses()
                .that()
                .haveNameMatching(
                        "io\\.hearth\\.(identity\\.MembershipProof|identity\\.pairing\\.machine\\.PairingKeys|discovery\\.mdns\\.machine\\.TagCodec)")
                .should()
                .callMethodWhere(
                        describe("equals", call -> call.getTarget().getName().equals("equals")))
                .because("what they compare are proofs and tags")
                .check(HEARTH);
        Set<String> compare = HEARTH.stream()
                .filter(type -> type.getMethodCallsFromSelf().stream()
                        .anyMatch(call -> call.getTargetOwner().isEquivalentTo(MessageDigest.class)
                                && call.getTarget().getName().equals("isEqual")))
                .map(JavaClass::getSimpleName)
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(
                Set.of("MembershipProof", "NetworkNamespace", "SecretText", "TagCodec"),
                compare,
                "one stopped comparing so");
    }

    @Test
    void onlyTheBenchReachesWhereCiphersAreChosen() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.hearth.transport..", "io.hearth.bench..")
                .should()
                .dependOnClassesThat()
                .haveNameMatching("io\\.hearth\\.transport\\.cipher\\.(Record|Aead)Cipher(\\$.*)?")
                .orShould()
                .accessTargetWhere(describe(
                        "open links for measuring",
                        access -> access.getTarget().getName().equals("openForMeasuring")))
                .because("what the product sends is encrypted, whatever anybody configures")
                .check(HEARTH);
    }

    @Test
    void onlyTheBenchsCommandsNameACipher() {
        noClasses()
                .that(describe(
                        "are no commands of the bench",
                        type -> !type.getPackageName().equals("io.hearth.bench")
                                && !Set.of("BenchAllReduceCommand", "BenchRankCommand", "BenchOptions", "Ciphering")
                                        .contains(type.getSimpleName())))
                .should()
                .dependOnClassesThat()
                .haveNameMatching("io\\.hearth\\.bench\\.BenchCipher")
                .check(HEARTH);
    }

    @Test
    void onlyProgramsWriteToStandardOutputAndAllLogThroughSlf4j() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.hearth.cli..", "io.hearth.examples..", "io.hearth.bench..")
                .and()
                .doNotHaveFullyQualifiedName("io.hearth.agent.LogProvider") // it reports that nothing is logged
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .orShould()
                .dependOnClassesThat()
                .resideInAPackage("java.util.logging..")
                .check(HEARTH);
    }

    @Test
    void aPublicClassCannotBeExtendedUnlessItSaysByWhom() {
        List<String> open = HEARTH.stream()
                .filter(written())
                .filter(type -> type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(type -> !type.isInterface() && !type.isAssignableTo(Throwable.class))
                .filter(type -> !type.getModifiers().contains(JavaModifier.FINAL)
                        && !type.isEnum()
                        && !type.reflect().isSealed())
                .map(JavaClass::getName)
                .toList();
        assertEquals(List.of(), open);
    }

    @Test
    void everyPackageIsNullMarked() {
        Set<String> unmarked = HEARTH.stream()
                .filter(written())
                .map(JavaClass::getPackage)
                .filter(folder -> !folder.isAnnotatedWith(NullMarked.class))
                .map(JavaPackage::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(Set.of(), unmarked);
    }

    /** Classes that protoc did not generate. */
    private static DescribedPredicate<JavaClass> written() {
        return describe("are written by hand", type -> !type.getPackageName().endsWith(".wire"));
    }

    private static DescribedPredicate<JavaClass> decide() {
        return written().and(describe("decide", ArchitectureTest::isPure));
    }

    private static boolean isPure(JavaClass type) {
        String room = type.getPackageName().substring(ROOT.length()) + ".";
        return room.contains(".machine.") || DECIDE.stream().anyMatch(pure -> room.startsWith(pure + "."));
    }

    /** For each package below the root of a module, the other modules that use it. */
    private static Map<String, Set<String>> usedFromOutside(JavaClasses classes) {
        var rooms = new TreeMap<String, Set<String>>();
        for (JavaClass user : classes) {
            for (Dependency use : user.getDirectDependenciesFromSelf()) {
                String room = use.getTargetClass().getPackageName();
                boolean isRoom = room.startsWith(ROOT) && room.indexOf('.', ROOT.length()) >= 0;
                if (isRoom && !module(room).equals(module(user.getPackageName()))) {
                    rooms.computeIfAbsent(room.substring(ROOT.length()), _ -> new TreeSet<>())
                            .add(module(user.getPackageName()));
                }
            }
        }
        return rooms;
    }

    /** For each package, the size of its largest circle of classes, if that is more than {@code most}. */
    private static Map<String, Integer> circles(JavaClasses classes, int most) {
        var uses = new TreeMap<String, Set<String>>();
        for (JavaClass user : classes.that(written())) {
            for (Dependency use : user.getDirectDependenciesFromSelf()) {
                if (use.getTargetClass().getPackageName().equals(user.getPackageName())) {
                    uses.computeIfAbsent(outermost(user), _ -> new TreeSet<>()).add(outermost(use.getTargetClass()));
                }
            }
        }
        var largest = new TreeMap<String, Integer>();
        for (String type : uses.keySet()) {
            Set<String> used = closure(type, uses);
            int size = (int) used.stream()
                    .filter(other -> closure(other, uses).contains(type))
                    .count();
            if (size > most && used.contains(type)) {
                largest.merge(type.substring(ROOT.length(), type.lastIndexOf('.')), size, Math::max);
            }
        }
        return largest;
    }

    private static String outermost(JavaClass type) {
        return type.getName().split("\\$", 2)[0];
    }

    private static String module(String folder) {
        return folder.substring(ROOT.length()).split("\\.", -1)[0];
    }

    /** All that {@code one} uses, directly or through others. It contains {@code one} only if one of them uses it. */
    private static Set<String> closure(String one, Map<String, Set<String>> uses) {
        var found = new TreeSet<String>();
        var open = new ArrayList<>(uses.getOrDefault(one, Set.of()));
        while (!open.isEmpty()) {
            String next = open.removeLast();
            if (found.add(next)) {
                open.addAll(uses.getOrDefault(next, Set.of()));
            }
        }
        return found;
    }
}
