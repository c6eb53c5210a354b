package io.hearth.cli;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.conditions.ArchConditions.be;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceRule;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import io.hearth.core.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The code follows the {@link FloorPlan}. Each rule is also shown a violation that was planted for it, and has to find it. */
final class ArchitectureTest {
    private static final String ROOT = "io.hearth.";
    private static final FloorPlan PLAN = FloorPlan.ofHearth();

    private static final SliceRule NO_CIRCLES = SlicesRuleDefinition.slices()
            .matching("io.hearth.(**)")
            .should()
            .beFreeOfCycles()
            .because("a package is read after those that it uses");

    /** Largest allowed circle of classes of one package that use each other. A reader of a larger circle has no class to begin with. */
    private static final int CIRCLE_MAX = 8;

    static Stream<String> modules() {
        return PLAN.modules().keySet().stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("modules")
    void aModuleUsesOnlyThoseThatItsRowNames(String module) {
        onlyUses(module, PLAN.modules().getOrDefault(module, Set.of())).check(Code.HEARTH);
    }

    @Test
    void aUseThatNoRowNamesIsFound() {
        Code.assertFinds(onlyUses("visitor", Set.of("core")), "io.hearth.visitor.Visitor");
    }

    private static ArchRule onlyUses(String module, Set<String> others) {
        List<String> allowed = new ArrayList<>(List.of(ROOT + module + ".."));
        others.forEach(other -> allowed.add(ROOT + other + ".."));
        return classes()
                .that()
                .resideInAPackage(ROOT + module + "..")
                .should()
                .onlyDependOnClassesThat(
                        resideOutsideOfPackage("io.hearth..").or(resideInAnyPackage(allowed.toArray(String[]::new))))
                .allowEmptyShould(true);
    }

    @Test
    void everyModuleHasARow() {
        assertEquals(PLAN.modules().keySet(), modulesOf(Code.HEARTH));
        assertEquals(Set.of("identity", "planted", "visitor"), modulesOf(Code.PLANTED));
    }

    private static Set<String> modulesOf(JavaClasses classes) {
        return classes.stream()
                .map(type -> FloorPlan.module(room(type)))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void noRowLeadsBackToItself() {
        assertEquals(Set.of(), thatLeadBack(PLAN.modules()));
        assertEquals(
                Set.of("one", "two"),
                thatLeadBack(Map.of("one", Set.of("two"), "two", Set.of("one"), "three", Set.of("one"))));
    }

    private static Set<String> thatLeadBack(Map<String, Set<String>> uses) {
        return uses.keySet().stream()
                .filter(one -> closure(one, uses).contains(one))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** A use that the plan does not show fails, and so does a row that the code does not need. */
    @Test
    void everyRoomHasTheDoorsThatThePlanShows() {
        assertEquals(FloorPlan.rows(PLAN.rooms()), FloorPlan.rows(rooms(Code.HEARTH)));
    }

    @Test
    void aDoorThatThePlanDoesNotShowIsFound() {
        Map<String, FloorPlan.Room> planted = rooms(Code.PLANTED);
        assertEquals(new FloorPlan.Room(false, Set.of("two"), Set.of("visitor")), planted.get("planted.one"));
        assertEquals(new FloorPlan.Room(false, Set.of("one"), Set.of()), planted.get("planted.two"));
    }

    /** The rooms of these classes, with their uses; a room is pure if the plan says so. */
    private static Map<String, FloorPlan.Room> rooms(JavaClasses classes) {
        var rooms = new TreeMap<String, FloorPlan.Room>();
        for (JavaClass type : classes) {
            rooms.computeIfAbsent(
                    room(type), room -> new FloorPlan.Room(isPure(type), new TreeSet<>(), new TreeSet<>()));
        }
        for (JavaClass user : classes) {
            String from = room(user);
            for (Dependency use : user.getDirectDependenciesFromSelf()) {
                FloorPlan.Room used = use.getTargetClass().getPackageName().startsWith(ROOT)
                        ? rooms.get(room(use.getTargetClass()))
                        : null;
                String to = used == null ? from : room(use.getTargetClass());
                if (used == null || to.equals(from)) {
                    continue;
                }
                if (FloorPlan.module(to).equals(FloorPlan.module(from))) {
                    rooms.getOrDefault(from, used).uses().add(FloorPlan.inside(to));
                } else if (to.contains(".")) {
                    used.openTo().add(FloorPlan.module(from));
                }
            }
        }
        return rooms;
    }

    @Test
    void noPackagesUseEachOther() {
        NO_CIRCLES.check(Code.HEARTH);
        Code.assertFinds(NO_CIRCLES, "Slice planted.one", "Slice planted.two");
    }

    @Test
    void circlesOfClassesAreSmall() {
        assertEquals(Map.of(), circles(Code.HEARTH, CIRCLE_MAX));
        assertEquals(Map.of("planted.circle", 2), circles(Code.PLANTED, 1));
    }

    @Test
    void thePageOfTheHouseNamesEveryRoom() throws IOException {
        String page = Files.readString(Path.of(System.getProperty("hearth.root", ".."), "docs/design/overview.md"));
        assertEquals(
                List.of(),
                PLAN.rooms().keySet().stream()
                        .filter(room -> room.contains(".") && !room.endsWith(".wire"))
                        .filter(room -> !page.contains("`" + room + "`"))
                        .toList());
    }

    @Test
    void whatDecidesTouchesNoThreadNoSocketNoClockAndNoRandomSource() {
        ArchRule pure = noClasses()
                .that(Code.written().and(describe("decide", ArchitectureTest::isPure)))
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
        pure.check(Code.HEARTH);
        Code.assertFinds(
                pure,
                "java.net.InetAddress",
                "java.nio.channels.SocketChannel",
                "java.util.concurrent.locks.ReentrantLock",
                "io.netty.buffer.ByteBuf",
                "javax.jmdns.JmDNS",
                "org.slf4j.Logger",
                "java.lang.Thread",
                "java.security.SecureRandom",
                "System.nanoTime()",
                "System.currentTimeMillis()",
                "Math.random()",
                "java.util.Random.<init>()");
    }

    @Test
    void aMachineIsWhereTheRuleOfPurityAppliesToIt() {
        ArchRule rule = classes()
                .that()
                .implement(Machine.class)
                .should(be(describe("in a pure package", ArchitectureTest::isPure)));
        rule.check(Code.HEARTH);
        Code.assertFinds(rule, "io.hearth.planted.Misplaced");
        assertEquals(
                List.of(),
                PLAN.rooms().entrySet().stream()
                        .filter(row -> row.getKey().endsWith(".machine")
                                && !row.getValue().isPure())
                        .toList());
    }

    /** The planted room {@code planted.machine} is pure by its name. */
    private static boolean isPure(JavaClass type) {
        FloorPlan.Room room = PLAN.rooms().get(room(type));
        return room == null ? type.getPackageName().endsWith(".machine") : room.isPure();
    }

    private static String room(JavaClass type) {
        return type.getPackageName().substring(ROOT.length());
    }

    /** For each package, the size of its largest circle of classes, if that is more than {@code most}. */
    private static Map<String, Integer> circles(JavaClasses classes, int most) {
        var uses = new TreeMap<String, Set<String>>();
        for (JavaClass user : classes.that(Code.written())) {
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
