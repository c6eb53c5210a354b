package io.hearth.cli.bench;

import io.hearth.cli.process.LabNetwork;
import io.hearth.core.SetupException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** A lab that {@code lab/lan} created, for a measurement with one rank on each host. The measurement does not remove it. */
public final class BenchLab {
    private static final Pattern ID = Pattern.compile("[a-z0-9]{1,20}");

    private final LabNetwork lab;

    private BenchLab(LabNetwork lab) {
        this.lab = lab;
    }

    /** Whether {@code lab/lan} accepts this as the name of a lab. */
    static boolean isId(String text) {
        return ID.matcher(text).matches();
    }

    /**
     * The lab of that name.
     *
     * @throws SetupException this machine cannot have labs; the message says why
     */
    static BenchLab of(String id) throws SetupException {
        return new BenchLab(LabNetwork.existing(LabNetwork.script("hearth bench allreduce --lab"), id));
    }

    /**
     * Addresses of the first {@code hosts} hosts.
     *
     * @throws SetupException the lab does not exist or has fewer hosts
     */
    List<String> addresses(int hosts) throws SetupException, InterruptedException {
        var addresses = new ArrayList<String>();
        for (int host = 0; host < hosts; host++) {
            addresses.add(lab.address(host));
        }
        return addresses;
    }

    /** As {@link LabNetwork#on}. */
    List<String> on(int host, List<String> command) {
        return lab.on(host, command);
    }
}
