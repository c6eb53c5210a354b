/**
 * The meaning of what an operating system says about its machine: classes of interfaces, processor, load, battery. Pure; {@code local} reads
 * the files and tools, and alone uses this room.
 */
@NullMarked
package io.hearth.topology.system;

import org.jspecify.annotations.NullMarked;
