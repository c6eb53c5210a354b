/** The table of all reported peers. It decides which to dial, and when. */
@NullMarked
package io.hearth.discovery.table;

import org.jspecify.annotations.NullMarked;
