package io.hearth.cli.namespace;

import io.hearth.agent.settings.Setting;
import io.hearth.agent.settings.Settings;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceLookup;
import io.hearth.identity.NetworkNamespace;
import java.util.Map;

/** The namespace that a command is about: that of the command line, else of the machine's settings, else the preferred one. */
final class NamespaceChoice {
    private NamespaceChoice() {}

    /** @param option of the command line; empty if there is none */
    static NetworkNamespace find(
            NamespaceLookup lookup, String option, HearthHome home, Map<String, String> environment)
            throws SetupException {
        return lookup.namedOrPreferred(
                option.isEmpty()
                        ? Settings.read(home, environment)
                                .value(Setting.NAMESPACE)
                                .orElse("")
                        : option);
    }
}
