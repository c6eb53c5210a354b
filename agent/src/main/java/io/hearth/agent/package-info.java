/**
 * What users start: a trainer, a node, or the agent of a machine, with their configuration, and the assembly of their parts. The package uses
 * all rooms of the module but {@code pairing}. Every module above may use it.
 */
@NullMarked
package io.hearth.agent;

import org.jspecify.annotations.NullMarked;
