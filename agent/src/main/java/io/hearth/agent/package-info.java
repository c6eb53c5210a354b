/**
 * The API: a trainer, a node, the agent of a machine, and their configuration. It also assembles their parts. The package uses all rooms of
 * the module except {@code pairing}. Every module above may use it.
 */
@NullMarked
package io.hearth.agent;

import org.jspecify.annotations.NullMarked;
