/**
 * State that survives its machine: a log of small commands, ordered by one replica and stored by a quorum before the answer. The root has
 * what its rooms and the services share; {@code docs/design/replicated.md} has the rules and their proof.
 */
@NullMarked
package io.hearth.replicated;

import org.jspecify.annotations.NullMarked;
