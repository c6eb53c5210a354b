/** Keeps the machine awake while it trains. */
@NullMarked
package io.hearth.agent.power;

import org.jspecify.annotations.NullMarked;
