/** The services of a node of a cluster: each call reaches the member that answers, whichever member it came to. */
@NullMarked
package io.hearth.serve.member;

import org.jspecify.annotations.NullMarked;
