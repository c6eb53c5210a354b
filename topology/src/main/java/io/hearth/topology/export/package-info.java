/**
 * A topology as text for people and other programs: JSON, DOT, Mermaid, and what changed over time. Pure. The room uses the root;
 * {@code agent} may use it.
 */
@NullMarked
package io.hearth.topology.export;

import org.jspecify.annotations.NullMarked;
