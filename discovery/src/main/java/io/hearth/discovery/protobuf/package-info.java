/** Codecs between the records of this module and protobuf. */
@NullMarked
package io.hearth.discovery.protobuf;

import org.jspecify.annotations.NullMarked;
