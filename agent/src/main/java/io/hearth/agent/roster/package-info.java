/**
 * Which machines belong to the namespace: steps the roster's machine, keeps its files, and admits nodes by it. The room uses {@code loop}; no
 * other module may use it.
 */
@NullMarked
package io.hearth.agent.roster;

import org.jspecify.annotations.NullMarked;
