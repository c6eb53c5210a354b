/** What a machine votes from: its record of a lineage, and the tasks that read and write it. */
@NullMarked
package io.hearth.election.vote;

import org.jspecify.annotations.NullMarked;
