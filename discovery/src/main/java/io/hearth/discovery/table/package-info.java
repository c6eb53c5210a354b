/** Whom to dial, and when: one table of all that was said about peers. */
@NullMarked
package io.hearth.discovery.table;

import org.jspecify.annotations.NullMarked;
