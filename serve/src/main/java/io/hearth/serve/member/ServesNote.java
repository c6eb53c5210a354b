package io.hearth.serve.member;

import io.hearth.core.BoundedDecoder;
import io.hearth.core.MalformedMessageException;
import io.hearth.serve.wire.ServesFrame;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a node serves, as it tells each linked node.
 *
 * @param services names of services; the value of each is what has to be the same on all machines ({@link
 *     io.hearth.serve.shell.ClusterService.Maker#settings}), empty if that is unknown
 * @param port at which members reach them
 */
record ServesNote(SortedMap<String, String> services, int port) {
    /** The kind of this message on a control link. */
    static final int KIND = 97;

    private static final int PORT_MAX = 65_535;
    private static final int SERVICES_MAX = 32;
    private static final BoundedDecoder.Limits LIMITS = new BoundedDecoder.Limits(16 * 1024, 1, SERVICES_MAX, 256);

    ServesNote {
        services = Collections.unmodifiableSortedMap(new TreeMap<>(services));
    }

    byte[] encode() {
        return ServesFrame.newBuilder()
                .addAllServices(services.keySet())
                .addAllSettings(services.values())
                .setPort(port)
                .build()
                .toByteArray();
    }

    static ServesNote decode(byte[] message) throws MalformedMessageException {
        ServesFrame frame = BoundedDecoder.parse(ServesFrame.parser(), ServesFrame.getDescriptor(), message, LIMITS);
        if (frame.getPort() < 1 || frame.getPort() > PORT_MAX) {
            throw new MalformedMessageException("a port is 1 to " + PORT_MAX + ", got " + frame.getPort());
        }
        if (frame.getSettingsCount() != 0 && frame.getSettingsCount() != frame.getServicesCount()) {
            throw new MalformedMessageException(
                    frame.getServicesCount() + " services have " + frame.getSettingsCount() + " texts of settings");
        }
        var services = new TreeMap<String, String>();
        for (int i = 0; i < frame.getServicesCount(); i++) {
            String name = frame.getServices(i);
            if (name.getBytes(StandardCharsets.UTF_8).length > ServiceFrame.NAME_BYTES_MAX) {
                throw new MalformedMessageException(
                        "the name of a service has at most " + ServiceFrame.NAME_BYTES_MAX + " bytes");
            }
            if (i < frame.getSettingsCount()
                    && !frame.getSettings(i).chars().allMatch(letter -> letter >= ' ' && letter <= '~')) {
                throw new MalformedMessageException("settings are in printable ASCII");
            }
            services.put(name, frame.getSettingsCount() == 0 ? "" : frame.getSettings(i));
        }
        return new ServesNote(services, frame.getPort());
    }
}
