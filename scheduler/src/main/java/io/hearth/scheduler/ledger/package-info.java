/** What survives the machine of a scheduler, and what commands do to it; pure. */
@NullMarked
package io.hearth.scheduler.ledger;

import org.jspecify.annotations.NullMarked;
