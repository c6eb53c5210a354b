/** The settings of this machine's nodes: what they are, and which value applies and why. */
@NullMarked
package io.hearth.agent.settings;

import org.jspecify.annotations.NullMarked;
