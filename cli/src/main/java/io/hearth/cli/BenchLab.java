package io.hearth.cli;

import io.hearth.cli.chaos.ChaosLab;
import io.hearth.core.SetupException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** A lab that {@code lab/lan} made, for a measurement with a rank on each host; it stays when the measurement ends. */
final class BenchLab {
    private static final Pattern ID = Pattern.compile("[a-z0-9]{1,20}");

    private final ChaosLab lab;

    private BenchLab(ChaosLab lab) {
        this.lab = lab;
    }

    /** Whether {@code lab/lan} takes this for a lab's name. */
    static boolean isId(String text) {
        return ID.matcher(text).matches();
    }

    /**
     * The lab of that name.
     *
     * @throws SetupException no lab can be here; says why
     */
    static BenchLab of(String id) throws SetupException {
        return new BenchLab(ChaosLab.existing(ChaosLab.script("hearth bench allreduce --lab"), id));
    }

    /**
     * Addresses of the first hosts.
     *
     * @throws SetupException there is no such lab, or it has fewer hosts
     */
    List<String> addresses(int hosts) throws SetupException, InterruptedException {
        var addresses = new ArrayList<String>();
        for (int host = 0; host < hosts; host++) {
            addresses.add(lab.address(host));
        }
        return addresses;
    }

    /** As {@link ChaosLab#on}. */
    List<String> on(int host, List<String> command) {
        return lab.on(host, command);
    }
}
