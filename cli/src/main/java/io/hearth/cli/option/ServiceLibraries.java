package io.hearth.cli.option;

import io.hearth.core.SetupException;

/** The libraries of services and their clients, which the Python package leaves out: they are a third of its bytes. */
public final class ServiceLibraries {
    private static final String ONE = "io/grpc/Server.class";

    private ServiceLibraries() {}

    /** Checks that they are here. */
    public static void require() throws SetupException {
        if (ServiceLibraries.class.getClassLoader().getResource(ONE) == null) {
            throw new SetupException(
                    "the Python package has no services: run 'hearth' of Hearth's archive or source tree"
                            + " on this machine (see its README)");
        }
    }
}
