package io.hearth.cli;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;

/** The classes that rules are checked on. */
final class Code {
    /** All classes of the product and its tools, without tests. */
    static final JavaClasses HEARTH = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.hearth");

    /** Classes that break a rule on purpose, one for each rule. */
    static final JavaClasses PLANTED = new ClassFileImporter()
            .importPackages("io.hearth.planted", "io.hearth.visitor", "io.hearth.identity.planted");

    private Code() {}

    /** Classes that protoc did not generate. */
    static DescribedPredicate<JavaClass> written() {
        return describe("are written by hand", type -> !type.getPackageName().endsWith(".wire"));
    }

    /** The code keeps the rule; the planted classes break it, and the rule reports each of {@code violations}. */
    static void assertKept(ArchRule rule, String... violations) {
        rule.check(HEARTH);
        assertFinds(rule, violations);
    }

    /** The rule reports each of {@code violations} of the planted classes. */
    static void assertFinds(ArchRule rule, String... violations) {
        String report = rule.evaluate(PLANTED).getFailureReport().toString();
        for (String violation : violations) {
            assertTrue(report.contains(violation), () -> "did not find " + violation + " but: " + report);
        }
    }
}
