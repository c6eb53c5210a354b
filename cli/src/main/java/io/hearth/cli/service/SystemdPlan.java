package io.hearth.cli.service;

import io.hearth.cli.service.ServicePlan.Step;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The agent as a unit of systemd: of the user, with linger so that it runs without a login, or of the system. */
final class SystemdPlan {
    static final String UNIT = "hearth.service";

    /** Stops the agent before the machine sleeps, so that it leaves its cluster in order, and starts it after. */
    static final String SLEEP_UNIT = "hearth-sleep.service";

    /** The version of systemd that can wait longer after each failure. */
    private static final int BACK_OFF_SINCE = 254;

    private static final Path SYSTEM_UNITS = Path.of("/etc/systemd/system");

    private SystemdPlan() {}

    /** @param version of systemd */
    static ServicePlan of(ServiceSpec spec, int version) {
        return spec.isSystem() ? ofSystem(spec, version) : ofUser(spec, version);
    }

    private static ServicePlan ofSystem(ServiceSpec spec, int version) {
        return new ServicePlan(
                Map.of(SYSTEM_UNITS.resolve(UNIT), unit(spec, version), SYSTEM_UNITS.resolve(SLEEP_UNIT), sleepUnit()),
                List.of(
                        Step.must("systemctl", "daemon-reload"),
                        Step.must("systemctl", "enable", UNIT, SLEEP_UNIT),
                        Step.must("systemctl", "restart", UNIT)),
                List.of(Step.may("systemctl", "disable", "--now", UNIT), Step.may("systemctl", "disable", SLEEP_UNIT)),
                "journalctl -u " + UNIT);
    }

    private static ServicePlan ofUser(ServiceSpec spec, int version) {
        return new ServicePlan(
                Map.of(spec.userHome().resolve(".config/systemd/user").resolve(UNIT), unit(spec, version)),
                List.of(
                        Step.must("systemctl", "--user", "daemon-reload"),
                        Step.must("systemctl", "--user", "enable", UNIT),
                        Step.must("systemctl", "--user", "restart", UNIT),
                        Step.may("loginctl", "enable-linger", spec.user())),
                List.of(Step.may("systemctl", "--user", "disable", "--now", UNIT)),
                "journalctl --user -u " + UNIT);
    }

    /** The unit file, as systemd.service(5), systemd.exec(5) and systemd.syntax(7) define it. */
    static String unit(ServiceSpec spec, int version) {
        var sections = new LinkedHashMap<String, List<String>>();
        sections.put(
                "Unit",
                List.of(
                        "Description=Hearth: trains models on the computers of one LAN together",
                        "After=network-online.target",
                        "Wants=network-online.target",
                        "StartLimitIntervalSec=0"));
        var service = new ArrayList<>(List.of(
                "Type=exec",
                "ExecStart=" + quoted(spec.launcher()) + " agent",
                "Environment=" + quoted("HEARTH_HOME=" + spec.hearthHome()),
                "Environment=" + quoted("JAVA_HOME=" + spec.java()),
                "Environment=LC_ALL=C.UTF-8",
                "RestartPreventExitStatus=2", // a wrong command line stays wrong; all else is tried again
                "Restart=on-failure",
                "RestartSec=" + (version < BACK_OFF_SINCE ? 10 : 2),
                "TimeoutStopSec=20",
                "KillMode=mixed",
                "NoNewPrivileges=yes"));
        if (version >= BACK_OFF_SINCE) {
            service.addAll(List.of("RestartSteps=8", "RestartMaxDelaySec=5min"));
        }
        if (spec.isSystem()) {
            service.add("User=" + spec.user());
            service.add("ReadWritePaths=" + quoted(spec.hearthHome()));
            service.addAll(List.of(
                    "ProtectSystem=strict",
                    "PrivateTmp=yes",
                    "PrivateDevices=yes",
                    "ProtectKernelTunables=yes",
                    "ProtectKernelModules=yes",
                    "ProtectControlGroups=yes",
                    "ProtectClock=yes",
                    "CapabilityBoundingSet=",
                    "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
                    "RestrictNamespaces=yes",
                    "RestrictRealtime=yes",
                    "RestrictSUIDSGID=yes",
                    "LockPersonality=yes",
                    "SystemCallArchitectures=native"));
        }
        sections.put("Service", service);
        sections.put("Install", List.of("WantedBy=" + (spec.isSystem() ? "multi-user.target" : "default.target")));
        return text(sections);
    }

    /** The pattern of systemd.special(7), sleep.target: started before sleep, stopped after it. */
    static String sleepUnit() {
        var sections = new LinkedHashMap<String, List<String>>();
        sections.put(
                "Unit",
                List.of(
                        "Description=Hearth leaves its cluster before this machine sleeps",
                        "Before=sleep.target",
                        "StopWhenUnneeded=yes"));
        sections.put(
                "Service",
                List.of(
                        "Type=oneshot",
                        "RemainAfterExit=yes",
                        "ExecStart=systemctl stop " + UNIT,
                        "ExecStop=systemctl start --no-block " + UNIT));
        sections.put("Install", List.of("WantedBy=sleep.target"));
        return text(sections);
    }

    private static String text(Map<String, List<String>> sections) {
        var text = new StringBuilder("# Written by 'hearth install'; 'hearth uninstall' deletes it.\n");
        sections.forEach((section, lines) -> {
            text.append("\n[").append(section).append("]\n");
            lines.forEach(line -> text.append(line).append('\n'));
        });
        return text.toString();
    }

    /** As systemd.syntax(7) quotes; '%' and '$' would begin a specifier and a variable. */
    private static String quoted(Object value) {
        String text = value.toString()
                .replace("\\", "\\\\")
                .replace("\"", "\\\"")
                .replace("%", "%%")
                .replace("$", "$$");
        return '"' + text + '"';
    }
}
