package io.hearth.cli.service;

import io.hearth.cli.service.ServicePlan.Step;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The agent as a job of launchd. By default it is a daemon: macOS lets daemons reach the local network, while it asks for each agent of a
 * login session, and may refuse without a word (Apple TN3179).
 */
final class LaunchdPlan {
    static final String LABEL = "io.hearth.agent";
    private static final String FILE = LABEL + ".plist";

    private LaunchdPlan() {}

    /** @param uid number of the user as whom it runs, for a job of the login session */
    static ServicePlan of(ServiceSpec spec, long uid) {
        Path folder = spec.isSystem()
                ? Path.of("/Library/LaunchDaemons")
                : spec.userHome().resolve("Library/LaunchAgents");
        Path file = folder.resolve(FILE);
        String domain = spec.isSystem() ? "system" : "gui/" + uid;
        return new ServicePlan(
                Map.of(file, plist(spec)),
                List.of(
                        Step.may("launchctl", "bootout", domain + "/" + LABEL),
                        Step.must("launchctl", "bootstrap", domain, file.toString()),
                        Step.must("launchctl", "enable", domain + "/" + LABEL)),
                List.of(Step.may("launchctl", "bootout", domain + "/" + LABEL)),
                "tail -f '" + log(spec) + "'");
    }

    private static Path log(ServiceSpec spec) {
        return spec.userHome().resolve("Library/Logs/Hearth.log");
    }

    /** The property list, as launchd.plist(5) defines it. */
    static String plist(ServiceSpec spec) {
        String user = spec.isSystem() ? """
                  <key>UserName</key>
                  <string>%s</string>
                """.formatted(escaped(spec.user())) : "";
        return """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                <!-- Written by 'hearth install'; 'hearth uninstall' deletes it. -->
                <plist version="1.0">
                <dict>
                  <key>Label</key>
                  <string>%s</string>
                  <key>ProgramArguments</key>
                  <array>
                    <string>%s</string>
                    <string>agent</string>
                    <string>--log-file</string>
                    <string>%s</string>
                  </array>
                %s  <key>EnvironmentVariables</key>
                  <dict>
                    <key>HEARTH_HOME</key>
                    <string>%s</string>
                    <key>JAVA_HOME</key>
                    <string>%s</string>
                    <key>LC_ALL</key>
                    <string>en_US.UTF-8</string>
                  </dict>
                  <key>RunAtLoad</key>
                  <true/>
                  <key>KeepAlive</key>
                  <dict>
                    <key>SuccessfulExit</key>
                    <false/>
                  </dict>
                  <key>ThrottleInterval</key>
                  <integer>10</integer>
                  <key>ExitTimeOut</key>
                  <integer>20</integer>
                  <key>ProcessType</key>
                  <string>Interactive</string>
                  <key>StandardErrorPath</key>
                  <string>%s</string>
                </dict>
                </plist>
                """.formatted(
                        LABEL,
                        escaped(spec.launcher()),
                        escaped(log(spec)),
                        user,
                        escaped(spec.hearthHome()),
                        escaped(spec.java()),
                        escaped(log(spec).resolveSibling("Hearth-start.log")));
    }

    private static String escaped(Object value) {
        return value.toString().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
