package io.hearth.cli.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

final class ServicePlanTest {
    private static final Path HOME = Path.of("/home/Über & <me>");
    private static final ServiceSpec OF_USER = spec(Path.of("/opt/My \"Apps\"/100%/bin/hearth"), false);
    private static final ServiceSpec OF_SYSTEM = spec(Path.of("/usr/bin/hearth"), true);

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private static ServiceSpec spec(Path launcher, boolean isSystem) {
        return new ServiceSpec(launcher, Path.of("/opt/jdk"), HOME.resolve(".hearth"), "me", HOME, isSystem);
    }

    @Test
    void aUnitOfTheUserNeedsNoRootAndRunsWithoutALogin() {
        ServicePlan plan = SystemdPlan.of(OF_USER, 255);
        assertEquals(
                Set.of(HOME.resolve(".config/systemd/user/hearth.service")),
                plan.files().keySet());
        String unit = plan.files().values().iterator().next();
        assertTrue(unit.contains("ExecStart=\"/opt/My \\\"Apps\\\"/100%%/bin/hearth\" agent\n"), unit);
        assertTrue(unit.contains("Environment=\"HEARTH_HOME=" + HOME + "/.hearth\"\n"), unit);
        assertTrue(unit.contains("WantedBy=default.target"), unit);
        assertTrue(unit.contains("RestartMaxDelaySec=5min"), unit);
        assertFalse(unit.contains("User="), unit);
        assertTrue(plan.start().contains(ServicePlan.Step.may("loginctl", "enable-linger", "me")));
    }

    @Test
    void aUnitOfTheSystemIsConfinedAndEndsBeforeSleep() {
        ServicePlan plan = SystemdPlan.of(OF_SYSTEM, 252);
        String unit = plan.files().getOrDefault(Path.of("/etc/systemd/system/hearth.service"), "");
        assertTrue(unit.contains("\nUser=me\n") && unit.contains("\nProtectSystem=strict\n"), unit);
        assertTrue(unit.contains("\nReadWritePaths=\"" + HOME + "/.hearth\"\n"), unit);
        String sleep = plan.files().getOrDefault(Path.of("/etc/systemd/system/hearth-sleep.service"), "");
        assertTrue(
                sleep.contains("Before=sleep.target") && sleep.contains("ExecStart=systemctl stop hearth.service"),
                sleep);
    }

    @Test
    void systemdAcceptsTheUnits() throws Exception {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/systemd-analyze")), "systemd is not installed");
        Path program = Path.of("/bin/true");
        Path unit = Files.writeString(
                folder.resolve("hearth.service"),
                SystemdPlan.unit(new ServiceSpec(program, Path.of("/opt/jdk"), HOME, "root", HOME, true), 252));
        Path sleep = Files.writeString(folder.resolve("hearth-sleep.service"), SystemdPlan.sleepUnit());
        Process check = new ProcessBuilder(
                        "systemd-analyze",
                        "verify",
                        "--man=no",
                        "--recursive-errors=no",
                        unit.toString(),
                        sleep.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        List<String> ours =
                said.lines().filter(line -> line.contains(folder.toString())).toList();
        assertEquals(List.of(), ours, said);
        assertEquals(0, check.waitFor(), said);
    }

    @Test
    void aDaemonOfLaunchdRunsAsTheUserWhoInstalledIt() throws Exception {
        ServicePlan plan = LaunchdPlan.of(OF_SYSTEM, 501);
        Element job =
                dictionary(plan.files().getOrDefault(Path.of("/Library/LaunchDaemons/io.hearth.agent.plist"), ""));
        assertEquals("io.hearth.agent", value(job, "Label").getTextContent());
        assertEquals("me", value(job, "UserName").getTextContent());
        assertEquals("true", value(job, "RunAtLoad").getTagName());
        assertEquals("Interactive", value(job, "ProcessType").getTextContent());
        String arguments = value(job, "ProgramArguments")
                .getTextContent()
                .replaceAll("\\s+", " ")
                .strip();
        assertEquals("/usr/bin/hearth agent --log-file " + HOME + "/Library/Logs/Hearth.log", arguments);
        assertTrue(value(job, "EnvironmentVariables").getTextContent().contains(HOME + "/.hearth"));
        assertEquals(
                ServicePlan.Step.must(
                        "launchctl", "bootstrap", "system", "/Library/LaunchDaemons/io.hearth.agent.plist"),
                plan.start().get(1));
    }

    @Test
    void anAgentOfLaunchdBelongsToTheLoginSession() throws Exception {
        ServicePlan plan = LaunchdPlan.of(OF_USER, 501);
        Path file = HOME.resolve("Library/LaunchAgents/io.hearth.agent.plist");
        Element job = dictionary(plan.files().getOrDefault(file, ""));
        assertFalse(job.getTextContent().contains("UserName"));
        assertEquals(
                ServicePlan.Step.may("launchctl", "bootout", "gui/501/io.hearth.agent"),
                plan.stop().getFirst());
    }

    /** The dictionary of a property list, read by an XML parser as launchd reads it. */
    private static Element dictionary(String plist) throws Exception {
        var factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
        Document document = factory.newDocumentBuilder().parse(new InputSource(new StringReader(plist)));
        return (Element) document.getElementsByTagName("dict").item(0);
    }

    private static Element value(Element dictionary, String key) {
        for (var child = dictionary.getFirstChild(); child != null; child = child.getNextSibling()) {
            if (child instanceof Element element
                    && element.getTagName().equals("key")
                    && element.getTextContent().equals(key)) {
                var next = element.getNextSibling();
                while (!(next instanceof Element)) {
                    next = next.getNextSibling();
                }
                return (Element) next;
            }
        }
        throw new AssertionError("no key " + key);
    }
}
