/** {@code hearth install} and {@code hearth uninstall}: the agent as a service of systemd or launchd. */
@NullMarked
package io.hearth.cli.service;

import org.jspecify.annotations.NullMarked;
