package io.hearth.cli.service;

import java.nio.file.Path;

/**
 * The parameters of a service.
 *
 * @param launcher the program {@code hearth}, absolute
 * @param java folder of the JDK; the launcher looks for another one if it is gone
 * @param hearthHome folder of identity and state
 * @param user name of the user as whom it runs
 * @param userHome that user's home folder
 * @param isSystem whether it belongs to the system and starts with it; otherwise to the user
 */
record ServiceSpec(Path launcher, Path java, Path hearthHome, String user, Path userHome, boolean isSystem) {}
