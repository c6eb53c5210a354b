/** What users start: the calls of a lighthouse, and its pages. */
@NullMarked
package io.hearth.lighthouse.server;

import org.jspecify.annotations.NullMarked;
