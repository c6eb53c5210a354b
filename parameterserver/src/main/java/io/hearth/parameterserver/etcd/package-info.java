/** How servers and trainers find each other in an etcd. */
@NullMarked
package io.hearth.parameterserver.etcd;

import org.jspecify.annotations.NullMarked;
