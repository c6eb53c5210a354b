/**
 * One step of the machine under construction, which every rule reads and changes. Uses {@code view.state}, {@code vote} and the root; for
 * the other rooms of the view change only.
 */
@NullMarked
package io.hearth.election.view.step;

import org.jspecify.annotations.NullMarked;
