/** When a server registers in an etcd, and under which index. */
@NullMarked
package io.hearth.parameterserver.etcd.machine;

import org.jspecify.annotations.NullMarked;
