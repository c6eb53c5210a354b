/** Sources of peers: mDNS, static and remembered addresses. */
@NullMarked
package io.hearth.discovery;

import org.jspecify.annotations.NullMarked;
