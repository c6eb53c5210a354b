package io.hearth.topology.system;

import io.hearth.topology.NodeLoad;
import io.hearth.topology.NodeLoad.Battery;
import io.hearth.topology.TcpCounters;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds processor, load, battery and counters of TCP in texts of the operating system. A text of another shape gives nothing, never an exception. */
public final class MachineFacts {
    private static final int LINES_MAX = 2_000;

    /** Keys of {@code /proc/cpuinfo} that name the processor, the best first; kernels for ARM have no {@code model name}. */
    private static final List<String> CHIP_KEYS = List.of("model name", "Hardware", "Model", "cpu model");

    private static final Pattern CPU_RANGE = Pattern.compile("([0-9]{1,6})(?:-([0-9]{1,6}))?");
    private static final Pattern MAC_BATTERY = Pattern.compile(" *-InternalBattery[^\\t]*\\t([0-9]{1,3})%.*");

    private static final Pattern COUNT = Pattern.compile("[0-9]{1,18}");
    private static final Pattern MAC_SENT = Pattern.compile("\\s*([0-9]{1,18}) packets sent");
    private static final Pattern MAC_REPEATED =
            Pattern.compile("\\s*([0-9]{1,18}) data packets \\([0-9]+ bytes\\) retransmitted");

    private MachineFacts() {}

    /** The processor in the content of {@code /proc/cpuinfo}; empty if the content does not name it. */
    public static String chip(String cpuinfo) {
        List<String> lines = cpuinfo.lines().limit(LINES_MAX).toList();
        for (String key : CHIP_KEYS) {
            for (String line : lines) {
                int colon = line.indexOf(':');
                if (colon > 0 && line.substring(0, colon).strip().equals(key)) {
                    return line.substring(colon + 1).strip();
                }
            }
        }
        return "";
    }

    /** The number of processors in a list of the kernel such as {@code 0-3,8-11}; empty for any other text. */
    public static OptionalInt processors(String online) {
        int count = 0;
        for (String part : online.strip().split(",", 1_000)) {
            Matcher range = CPU_RANGE.matcher(part);
            if (!range.matches()) {
                return OptionalInt.empty();
            }
            int first = Integer.parseInt(range.group(1));
            int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
            if (last < first) {
                return OptionalInt.empty();
            }
            count += last - first + 1;
        }
        return OptionalInt.of(count);
    }

    /**
     * The load per core.
     *
     * @param average of runnable threads; below 0 or not a number when not known
     * @param processors over which the threads are spread
     */
    public static int loadPercent(double average, int processors) {
        return average >= 0 && processors > 0
                ? (int) Math.min(NodeLoad.PERCENT_MAX, Math.round(100 * average / processors))
                : NodeLoad.UNKNOWN;
    }

    /**
     * A folder of {@code /sys/class/power_supply}.
     *
     * @param type {@code Battery}, {@code Mains}, {@code USB} and others
     * @param scope {@code Device} for the battery of a mouse or another device; empty or {@code System} for the machine
     * @param status {@code Charging}, {@code Discharging}, {@code Full} and others
     * @param capacity percent of the charge
     * @param isOnline whether a plug gives power
     */
    public record PowerSupply(String type, String scope, String status, OptionalInt capacity, boolean isOnline) {}

    /** The battery of a machine with these supplies. Several batteries count as one of their mean charge. */
    public static Optional<Battery> battery(List<PowerSupply> supplies) {
        List<PowerSupply> own = supplies.stream()
                .filter(supply -> !supply.scope().equals("Device"))
                .toList();
        List<PowerSupply> batteries = own.stream()
                .filter(supply ->
                        supply.type().equals("Battery") && supply.capacity().isPresent())
                .toList();
        List<PowerSupply> plugs =
                own.stream().filter(supply -> !supply.type().equals("Battery")).toList();
        boolean isOnMains = plugs.isEmpty()
                ? batteries.stream().noneMatch(supply -> supply.status().equals("Discharging"))
                : plugs.stream().anyMatch(PowerSupply::isOnline);
        return batteries.isEmpty()
                ? Optional.empty()
                : Optional.of(new Battery(
                        (int) Math.round(batteries.stream()
                                .mapToInt(supply -> Math.clamp(supply.capacity().orElseThrow(), 0, 100))
                                .average()
                                .orElseThrow()),
                        isOnMains));
    }

    /** The battery in the output of macOS's {@code pmset -g batt}. */
    public static Optional<Battery> battery(String pmset) {
        boolean isOnMains = pmset.lines()
                .limit(1)
                .anyMatch(line -> line.toLowerCase(Locale.ROOT).contains("'ac power'"));
        return pmset.lines()
                .limit(LINES_MAX)
                .map(MAC_BATTERY::matcher)
                .filter(Matcher::matches)
                .findFirst()
                .map(found -> new Battery(Math.min(100, Integer.parseInt(found.group(1))), isOnMains));
    }

    /** The counters in {@code /proc/net/snmp}, where a line of names comes before the line of its values. */
    public static Optional<TcpCounters> tcpOfLinux(String snmp) {
        List<List<String>> lines = snmp.lines()
                .limit(LINES_MAX)
                .filter(line -> line.startsWith("Tcp: "))
                .map(line -> List.of(line.strip().split(" +", 100)))
                .toList();
        if (lines.size() != 2 || lines.get(0).size() != lines.get(1).size()) {
            return Optional.empty();
        }
        int sent = lines.get(0).indexOf("OutSegs"); // without those that were sent again
        int repeated = lines.get(0).indexOf("RetransSegs");
        if (sent < 0 || repeated < 0) {
            return Optional.empty();
        }
        OptionalLong first = count(lines.get(1).get(sent));
        OptionalLong again = count(lines.get(1).get(repeated));
        return first.isPresent() && again.isPresent()
                ? Optional.of(new TcpCounters(first.getAsLong() + again.getAsLong(), again.getAsLong()))
                : Optional.empty();
    }

    /** The counters in the output of macOS's {@code netstat -s -p tcp}. */
    public static Optional<TcpCounters> tcpOfMac(String netstat) {
        OptionalLong sent = count(netstat, MAC_SENT);
        OptionalLong repeated = count(netstat, MAC_REPEATED);
        return sent.isPresent() && repeated.isPresent()
                ? Optional.of(new TcpCounters(sent.getAsLong(), repeated.getAsLong()))
                : Optional.empty();
    }

    private static OptionalLong count(String text, Pattern line) {
        return text.lines()
                .limit(LINES_MAX)
                .map(line::matcher)
                .filter(Matcher::matches)
                .map(found -> count(found.group(1)))
                .findFirst()
                .orElse(OptionalLong.empty());
    }

    private static OptionalLong count(String digits) {
        return COUNT.matcher(digits).matches() ? OptionalLong.of(Long.parseLong(digits)) : OptionalLong.empty();
    }
}
