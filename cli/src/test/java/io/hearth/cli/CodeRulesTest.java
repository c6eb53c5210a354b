package io.hearth.cli;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import java.security.MessageDigest;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Rules for single classes that the compiler does not check. Each is also shown a violation that was planted for it. */
final class CodeRulesTest {
    /** The classes that compare a proof, a tag, a secret or a checksum of one. */
    private static final Set<String> COMPARE_SECRETS =
            Set.of("MembershipProof", "NetworkNamespace", "PagePasses", "SecretText", "TagEncoding");

    @Test
    void ofTheProductOnlyAccelTheBridgeAndTheCallThatReplacesAProcessUseTheLinker() {
        Code.assertKept(
                noClasses()
                        .that()
                        .resideOutsideOfPackages("io.hearth.accel..", "io.hearth.bridge..", "io.hearth.standin..")
                        .and()
                        .doNotHaveFullyQualifiedName("io.hearth.bench.CLoops")
                        .and()
                        .doNotHaveFullyQualifiedName("io.hearth.cli.process.Execve")
                        .should()
                        .dependOnClassesThat()
                        .haveNameMatching("java\\.lang\\.foreign\\.Linker(\\$.*)?"),
                "planted.CallsNativeCode");
    }

    @Test
    void everyChildProcessIsPreparedInOnePlace() {
        Code.assertKept(
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
                        .because("a child does not inherit the secret"),
                "ProcessBuilder.<init>([Ljava.lang.String;)",
                "ProcessBuilder.<init>(java.util.List)",
                "java.lang.Runtime.exec(");
    }

    /** A comparison that ends at the first difference shows an attacker which part of a guess was right. */
    @Test
    void secretsAndProofsAreComparedInConstantTime() {
        Code.assertKept(
                noClasses()
                        .that()
                        .resideInAnyPackage(
                                "io.hearth.core..",
                                "io.hearth.identity..",
                                "io.hearth.transport..",
                                "io.hearth.discovery..")
                        .and(describe(
                                "do not compare public keys or identifiers only",
                                type -> !Set.of("Bytes", "PeerId", "NodeIdentity", "Tls")
                                        .contains(type.getSimpleName())))
                        .and(Code.written())
                        .should()
                        .callMethodWhere(describe("compare arrays or buffers", call -> {
                            String owner = call.getTargetOwner().getName();
                            String name = call.getTarget().getName();
                            return (owner.equals("java.util.Arrays")
                                            && Set.of("equals", "compare", "compareUnsigned", "mismatch", "deepEquals")
                                                    .contains(name))
                                    || (owner.equals("java.nio.ByteBuffer")
                                            && Set.of("equals", "compareTo", "mismatch")
                                                    .contains(name))
                                    || (owner.equals("java.lang.foreign.MemorySegment") && name.equals("mismatch"));
                        }))
                        .because("MessageDigest.isEqual takes as long for a near miss as for any other"),
                "java.util.Arrays.equals([B, [B)",
                "java.nio.ByteBuffer.mismatch(",
                "java.lang.foreign.MemorySegment.mismatch(");
        Code.assertKept(
                noClasses()
                        .that()
                        .haveNameMatching(
                                "io\\.hearth\\.(identity\\.(planted\\.Comparer|MembershipProof|pairing\\.machine\\.PairingKeys)|discovery\\.mdns\\.machine\\.TagEncoding)")
                        .should()
                        .callMethodWhere(describe(
                                "equals", call -> call.getTarget().getName().equals("equals")))
                        .because("what they compare are proofs and tags"),
                "planted.Comparer");
        assertEquals(COMPARE_SECRETS, thatCompareInConstantTime(Code.HEARTH), "one stopped comparing so");
        assertEquals(Set.of(), thatCompareInConstantTime(Code.PLANTED));
    }

    private static Set<String> thatCompareInConstantTime(JavaClasses classes) {
        return classes.stream()
                .filter(type -> type.getMethodCallsFromSelf().stream()
                        .anyMatch(call -> call.getTargetOwner().isEquivalentTo(MessageDigest.class)
                                && call.getTarget().getName().equals("isEqual")))
                .map(JavaClass::getSimpleName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void onlyTheBenchReachesWhereCiphersAreChosen() {
        Code.assertKept(
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
                        .because("what the product sends is encrypted, whatever a person configures"),
                "io.hearth.transport.cipher.RecordCipher",
                "openForMeasuring(");
    }

    @Test
    void onlyTheBenchsCommandsNameACipher() {
        Code.assertKept(
                noClasses()
                        .that(describe(
                                "are no commands of the bench",
                                type -> !type.getPackageName().equals("io.hearth.bench")
                                        && !Set.of(
                                                        "BenchAllReduceCommand",
                                                        "BenchRankCommand",
                                                        "BenchOptions",
                                                        "Ciphering")
                                                .contains(type.getSimpleName())))
                        .should()
                        .dependOnClassesThat()
                        .haveNameMatching("io\\.hearth\\.bench\\.BenchCipher"),
                "planted.ChoosesCipher");
    }

    @Test
    void onlyProgramsWriteToStandardOutputAndAllLogThroughSlf4j() {
        Code.assertKept(
                noClasses()
                        .that()
                        .resideOutsideOfPackages("io.hearth.cli..", "io.hearth.examples..", "io.hearth.bench..")
                        .and()
                        .doNotHaveFullyQualifiedName("io.hearth.agent.LogProvider") // it reports that nothing is logged
                        .and()
                        .doNotHaveFullyQualifiedName("io.hearth.bridge.log.LogDelivery") // it is slf4j's provider
                        .should()
                        .accessField(System.class, "out")
                        .orShould()
                        .accessField(System.class, "err")
                        .orShould()
                        .dependOnClassesThat()
                        .resideInAPackage("java.util.logging.."),
                "java.lang.System.out",
                "java.lang.System.err",
                "java.util.logging.Logger");
    }

    @Test
    void aPublicClassCannotBeExtendedUnlessItSaysByWhom() {
        assertEquals(Set.of(), thatAnyoneMayExtend(Code.HEARTH));
        assertEquals(Set.of("Extensible"), thatAnyoneMayExtend(Code.PLANTED));
    }

    private static Set<String> thatAnyoneMayExtend(JavaClasses all) {
        return all.stream()
                .filter(Code.written())
                .filter(type -> type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(type -> !type.isInterface() && !type.isAssignableTo(Throwable.class))
                .filter(type -> !type.getModifiers().contains(JavaModifier.FINAL)
                        && !type.isEnum()
                        && !type.reflect().isSealed())
                .map(JavaClass::getSimpleName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void everyPackageIsNullMarked() {
        assertEquals(Set.of(), unmarked(Code.HEARTH));
        assertEquals(Set.of("io.hearth.visitor"), unmarked(Code.PLANTED));
    }

    private static Set<String> unmarked(JavaClasses all) {
        return all.stream()
                .filter(Code.written())
                .map(JavaClass::getPackage)
                .filter(folder -> !folder.isAnnotatedWith(NullMarked.class))
                .map(JavaPackage::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
